import { ConfigError } from '../shared/config.ts';
import type { JobHandler } from '../shared/job-runner.ts';
import type { QueueOf } from '../shared/queues.ts';
import { collectPictures } from './collect-pictures.ts';
import { deletePictures } from './delete-pictures.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { foldCounts } from './fold-counts.ts';
import { indexListing } from './index-listing.ts';
import { ingestRecord } from './ingest-record.ts';
import { localizeImages } from './localize-images.ts';
import { purgeOldRows } from './purge-old-rows.ts';
import { sendEmail } from './send-email.ts';
import type { WorkerServices } from './services.ts';

export type WorkerHandlers = { [Name in QueueOf<'workers'>]: JobHandler<WorkerServices, Name> };

/** Every queue of this process and its handler: a missing or an extra one does not compile. */
export const handlers: WorkerHandlers = {
  'collect-pictures': collectPictures,
  'delete-pictures': deletePictures,
  'deliver-webhook': deliverWebhook,
  'fold-counts': foldCounts,
  'index-listing': indexListing,
  'ingest-record': ingestRecord,
  'localize-images': localizeImages,
  'purge-old-rows': purgeOldRows,
  'send-email': sendEmail,
};

/** The handlers of the named queues (QUEUES), or of all; an unknown name throws a ConfigError. */
export function chooseHandlers(names: string[] | undefined): WorkerHandlers {
  if (!names) return handlers;
  const unknown = names.filter((name) => !Object.hasOwn(handlers, name));
  if (unknown.length > 0)
    throw new ConfigError(`QUEUES: unknown queue ${unknown.join(', ')}; known are ${Object.keys(handlers).join(', ')}`);
  return Object.fromEntries(Object.entries(handlers).filter(([name]) => names.includes(name))) as WorkerHandlers;
}
