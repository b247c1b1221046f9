import { ConfigError } from '../shared/kit/config.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { QueueName, QueueOf } from '../shared/queues/queues.ts';
import { alignPublicationsOf } from './align-publications.ts';
import { backupDatabase } from './backup-database.ts';
import { closePromotions } from './close-promotions.ts';
import { collectPictures } from './collect-pictures.ts';
import { dedupListing } from './dedup-listing.ts';
import { dedupReelect } from './dedup-reelect.ts';
import { dedupScan } from './dedup-scan.ts';
import { deletePictures } from './delete-pictures.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { drainSearchBacklog } from './drain-search-backlog.ts';
import { endLostRuns } from './end-lost-runs.ts';
import { endSuspensions } from './end-suspensions.ts';
import { eraseAccount } from './erase-account.ts';
import { expireListings } from './expire-listings.ts';
import { exportAccount } from './export-account.ts';
import { foldCounts } from './fold-counts.ts';
import { indexListing } from './index-listing.ts';
import { ingestRecord } from './ingest-record.ts';
import { keepFigures } from './keep-figures.ts';
import { lapseBookings } from './lapse-bookings.ts';
import { mailAccountLink } from './mail-account-link.ts';
import { matchSavedSearches } from './match-saved-searches.ts';
import { notifyExpiring } from './notify-expiring.ts';
import { purgeOldRows } from './purge-old-rows.ts';
import { queueDueRefreshes } from './queue-refreshes.ts';
import { sendDueDigests } from './send-digests.ts';
import { reconcileSearchIndex } from './reconcile-search-index.ts';
import { reindexSearch } from './reindex-search.ts';
import { refreshExchangeRates } from './refresh-rates.ts';
import { refreshSuggestionHeads } from './refresh-suggestions.ts';
import { reimportAllListings } from './reimport-listings.ts';
import { moveListings } from './move-listings.ts';
import { requeueImages } from './requeue-images.ts';
import { resumeWebhooks } from './resume-webhooks.ts';
import { rewriteListing } from './rewrite-listing.ts';
import { rewriteMigration } from './rewrite-migration.ts';
import { sampleMetrics } from './sample-metrics.ts';
import { sendEmail } from './send-email.ts';
import type { WorkerServices } from './services.ts';
import { settleAnalytics } from './settle-analytics.ts';
import { sweepLeavings } from './sweep-leavings.ts';

export type WorkerHandlers = { [Name in QueueOf<'workers'>]: JobHandler<WorkerServices, Name> };

/** A handler that is loaded with its first job: sharp and its libvips stay out of a process that has no image to work on. */
const onFirstJob =
  <Name extends QueueName>(load: () => Promise<JobHandler<WorkerServices, Name>>): JobHandler<WorkerServices, Name> =>
  async (...job) =>
    (await load())(...job);

/** Every queue of this process and its handler: a missing or an extra one does not compile. */
export const handlers: WorkerHandlers = {
  'align-publications': alignPublicationsOf,
  'backup-database': backupDatabase,
  'check-scams': onFirstJob(async () => (await import('./check-scams.ts')).checkScams),
  'close-promotions': closePromotions,
  'collect-pictures': collectPictures,
  'dedup-listing': dedupListing,
  'dedup-reelect': dedupReelect,
  'dedup-scan': dedupScan,
  'delete-pictures': deletePictures,
  'deliver-webhook': deliverWebhook,
  'drain-search-backlog': drainSearchBacklog,
  'draft-listing': onFirstJob(async () => (await import('./draft-listing.ts')).draftListing),
  'end-lost-runs': endLostRuns,
  'end-suspensions': endSuspensions,
  'erase-account': eraseAccount,
  'expire-listings': expireListings,
  'export-account': exportAccount,
  'fold-counts': foldCounts,
  'hash-images': onFirstJob(async () => (await import('./hash-images.ts')).hashImages),
  'index-listing': indexListing,
  'ingest-record': ingestRecord,
  'keep-figures': keepFigures,
  'lapse-bookings': lapseBookings,
  'localize-images': onFirstJob(async () => (await import('./localize-images.ts')).localizeImages),
  'localize-rental-images': onFirstJob(async () => (await import('./localize-rental-images.ts')).localizeRentalImages),
  'mail-account-link': mailAccountLink,
  'match-saved-searches': matchSavedSearches,
  'notify-expiring': notifyExpiring,
  'purge-old-rows': purgeOldRows,
  'queue-refreshes': queueDueRefreshes,
  'reconcile-search-index': reconcileSearchIndex,
  'reindex-search': reindexSearch,
  'refresh-rates': refreshExchangeRates,
  'refresh-suggestions': refreshSuggestionHeads,
  'reimport-listings': reimportAllListings,
  'move-listings': moveListings,
  'requeue-images': requeueImages,
  'send-digests': sendDueDigests,
  'resume-webhooks': resumeWebhooks,
  'rewrite-listing': rewriteListing,
  'rewrite-migration': rewriteMigration,
  'sample-metrics': sampleMetrics,
  'send-email': sendEmail,
  'settle-analytics': settleAnalytics,
  'sweep-leavings': sweepLeavings,
};

/** The handlers of the named queues (QUEUES), or of all; an unknown name throws a ConfigError. */
export function chooseHandlers(names: string[] | undefined): WorkerHandlers {
  if (!names) return handlers;
  const unknown = names.filter((name) => !Object.hasOwn(handlers, name));
  if (unknown.length > 0)
    throw new ConfigError(`QUEUES: unknown queue ${unknown.join(', ')}; known are ${Object.keys(handlers).join(', ')}`);
  return Object.fromEntries(Object.entries(handlers).filter(([name]) => names.includes(name))) as WorkerHandlers;
}
