import { ConfigError } from '../shared/config.ts';
import type { JobHandler } from '../shared/job-runner.ts';
import type { QueueOf } from '../shared/queues.ts';
import { closePromotions } from './close-promotions.ts';
import { collectPictures } from './collect-pictures.ts';
import { deletePictures } from './delete-pictures.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { foldCounts } from './fold-counts.ts';
import { indexListing } from './index-listing.ts';
import { ingestRecord } from './ingest-record.ts';
import { lapseBookings } from './lapse-bookings.ts';
import { localizeImages } from './localize-images.ts';
import { localizeRentalImages } from './localize-rental-images.ts';
import { mailAccountLink } from './mail-account-link.ts';
import { matchSavedSearches } from './match-saved-searches.ts';
import { purgeOldRows } from './purge-old-rows.ts';
import { sendDueDigests } from './send-digests.ts';
import { resumeWebhooks } from './resume-webhooks.ts';
import { sendEmail } from './send-email.ts';
import type { WorkerServices } from './services.ts';
import { settleAnalytics } from './settle-analytics.ts';

export type WorkerHandlers = { [Name in QueueOf<'workers'>]: JobHandler<WorkerServices, Name> };

/** Every queue of this process and its handler: a missing or an extra one does not compile. */
export const handlers: WorkerHandlers = {
  'close-promotions': closePromotions,
  'collect-pictures': collectPictures,
  'delete-pictures': deletePictures,
  'deliver-webhook': deliverWebhook,
  'fold-counts': foldCounts,
  'index-listing': indexListing,
  'ingest-record': ingestRecord,
  'lapse-bookings': lapseBookings,
  'localize-images': localizeImages,
  'localize-rental-images': localizeRentalImages,
  'mail-account-link': mailAccountLink,
  'match-saved-searches': matchSavedSearches,
  'purge-old-rows': purgeOldRows,
  'send-digests': sendDueDigests,
  'resume-webhooks': resumeWebhooks,
  'send-email': sendEmail,
  'settle-analytics': settleAnalytics,
};

/** The handlers of the named queues (QUEUES), or of all; an unknown name throws a ConfigError. */
export function chooseHandlers(names: string[] | undefined): WorkerHandlers {
  if (!names) return handlers;
  const unknown = names.filter((name) => !Object.hasOwn(handlers, name));
  if (unknown.length > 0)
    throw new ConfigError(`QUEUES: unknown queue ${unknown.join(', ')}; known are ${Object.keys(handlers).join(', ')}`);
  return Object.fromEntries(Object.entries(handlers).filter(([name]) => names.includes(name))) as WorkerHandlers;
}
