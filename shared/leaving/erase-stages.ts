import { eraseAuditData } from './erase-audit-data.ts';
import { eraseFiles } from './erase-files.ts';
import { eraseEvents, eraseDeliveries, eraseJobs } from './erase-journal.ts';
import { eraseListings, eraseWords, sweepVocabulary, undoMerges } from './erase-listings.ts';
import { eraseBookings, eraseRentals } from './erase-rentals.ts';
import { eraseRows } from './erase-rows.ts';
import { eraseSearches, eraseVisits } from './erase-searches.ts';
import type { Erased, EraseServices, EraseStep } from './erase-step.ts';
import { noteTraces } from './traces.ts';

type EraseStage = {
  name: string;
  /** What cannot be part of the transaction, and may be repeated. */
  before?: (services: EraseServices, userId: string) => Promise<void>;
  erase: (step: EraseStep) => Promise<Erased>;
};

const nothing = async (): Promise<Erased> => ({ erased: 0 });

/** In this order: what makes further traces goes before what looks for them. Only ever add at the end: cursors name places. */
export const eraseStages: readonly EraseStage[] = [
  { name: 'traces', erase: noteTraces },
  { name: 'merges', before: undoMerges, erase: nothing },
  { name: 'audit', erase: eraseAuditData },
  { name: 'listings', erase: eraseListings },
  { name: 'words', erase: eraseWords },
  { name: 'rentals', erase: eraseRentals },
  { name: 'bookings', erase: eraseBookings },
  { name: 'rows', erase: eraseRows },
  { name: 'searches', erase: eraseSearches },
  { name: 'visits', erase: eraseVisits },
  { name: 'events', erase: eraseEvents },
  { name: 'deliveries', erase: eraseDeliveries },
  { name: 'jobs', erase: eraseJobs },
  { name: 'files', before: eraseFiles, erase: nothing },
  { name: 'vocabulary', erase: sweepVocabulary },
];
