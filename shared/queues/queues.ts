import { z } from 'zod';
import { dedupQueues } from './dedup.ts';
import { leavingQueues } from './leaving.ts';
import { runQueue, type Queue } from './queue.ts';
import { scheduledQueues } from './scheduled.ts';
import { scrapingQueues } from './scraping.ts';
import { searchQueues } from './search.ts';
import { DAY_SECONDS } from '../kit/clock.ts';

const WEEK_SECONDS = 7 * DAY_SECONDS;
const listingId = z.object({ listing_id: z.string() });

const define = <const Q extends Record<string, Queue>>(definitions: Q): Q => definitions;

/** The contract of the fleet: a queue's name is its file in workers/ (or scrapers/), and its dead letters are in `<name>.dead`. */
export const queues = define({
  ...scheduledQueues,
  ...searchQueues,
  ...dedupQueues,
  ...scrapingQueues,
  ...leavingQueues,
  'localize-images': {
    does: "Fetches a listing's remote images and stores them as WebP with a thumbnail.",
    payload: listingId,
    worker: 'workers',
    policy: 'short',
    retryLimit: 15,
    retryDelaySeconds: 2,
    retryDelayMaxSeconds: 6 * 3_600,
    heartbeatSeconds: 10,
    expireInSeconds: 600,
    notify: true,
    batchSize: 2,
    concurrency: 4,
    keepSeconds: DAY_SECONDS,
  },
  'draft-listing': {
    does: 'Drafts a listing from images for the user who waits for it; its id names the draft.',
    payload: z.object({}),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 1,
    retryDelaySeconds: 1,
    retryDelayMaxSeconds: 5,
    heartbeatSeconds: 10,
    expireInSeconds: 90,
    notify: true,
    batchSize: 2,
    concurrency: 4,
    keepSeconds: DAY_SECONDS,
  },
  'rewrite-listing': {
    does: 'Rewrites the texts of one listing for one locale, unless they are rewritten as they stand.',
    payload: z.object({ listing_id: z.string(), locale: z.string() }),
    worker: 'workers',
    policy: 'short',
    retryLimit: 5,
    retryDelaySeconds: 30,
    retryDelayMaxSeconds: 3_600,
    heartbeatSeconds: 30,
    expireInSeconds: 180,
    notify: true,
    batchSize: 2,
    concurrency: 3,
    keepSeconds: DAY_SECONDS,
  },
  'rewrite-migration': {
    does: 'Rewrites the next listings of a migration that lack texts, and queues the batch after.',
    ...runQueue,
    policy: 'short',
    heartbeatSeconds: 30,
    expireInSeconds: 300,
    keepSeconds: DAY_SECONDS,
  },
  'send-email': {
    does: 'Renders one message for one recipient and hands it to the mail server.',
    payload: z.object({
      message_id: z.string(),
      template: z.string(),
      /** The recipient, by one of these ids; an address never travels in a job. */
      user_id: z.string().optional(),
      subscriber_id: z.string().optional(),
      /** An account that has left, for the one mail that it still gets. */
      leaving_id: z.string().optional(),
      data: z.record(z.string(), z.unknown()),
    }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 12,
    retryDelaySeconds: 5,
    retryDelayMaxSeconds: 6 * 3_600,
    heartbeatSeconds: 10,
    expireInSeconds: 60,
    notify: true,
    batchSize: 5,
    keepSeconds: WEEK_SECONDS,
  },
  'align-publications': {
    does: 'Hides what a suspended person has on show, or brings it back when they are suspended no more.',
    payload: z.object({ user_id: z.string() }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 10,
    retryDelaySeconds: 1,
    retryDelayMaxSeconds: 60,
    heartbeatSeconds: 10,
    expireInSeconds: 900,
    notify: true,
    batchSize: 2,
    keepSeconds: DAY_SECONDS,
  },
  'mail-account-link': {
    does: 'Finds out whether an account has the address that a link was asked for, and mails it there.',
    payload: z.object({ request_id: z.uuid(), page: z.enum(['site', 'console']).optional() }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 8,
    retryDelaySeconds: 2,
    retryDelayMaxSeconds: 600,
    heartbeatSeconds: 10,
    expireInSeconds: 60,
    notify: true,
    batchSize: 10,
    keepSeconds: DAY_SECONDS,
  },
  'deliver-webhook': {
    does: 'Signs one event and posts it to one subscriber.',
    payload: z.object({ delivery_id: z.string() }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 3,
    retryDelaySeconds: 5,
    retryDelayMaxSeconds: 60,
    heartbeatSeconds: 10,
    expireInSeconds: 60,
    notify: true,
    batchSize: 4,
    concurrency: 5,
    keepSeconds: WEEK_SECONDS,
  },
  'match-saved-searches': {
    does: 'Finds the saved searches that some listings are news for, and when their owners are told.',
    payload: z.object({
      candidates: z
        .array(
          z.object({
            listing_id: z.string(),
            reason: z.enum(['new', 'price_drop']),
            previous_price: z.number().optional(),
          }),
        )
        .min(1)
        .max(100),
    }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 10,
    retryDelaySeconds: 2,
    retryDelayMaxSeconds: 600,
    heartbeatSeconds: 10,
    expireInSeconds: 120,
    notify: true,
    batchSize: 5,
    keepSeconds: DAY_SECONDS,
  },
  'check-scams': {
    does: 'Looks for signs of scams in listings of members that are new or have changed.',
    payload: z.object({ listing_ids: z.array(z.string()).min(1).max(100) }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 8,
    retryDelaySeconds: 5,
    retryDelayMaxSeconds: 600,
    heartbeatSeconds: 30,
    expireInSeconds: 300,
    notify: true,
    batchSize: 1,
    keepSeconds: DAY_SECONDS,
  },
  'delete-pictures': {
    does: 'Deletes those of some images that nothing refers to any more, with their files.',
    payload: z.object({
      sha256: z
        .array(z.string().regex(/^[0-9a-f]{64}$/))
        .min(1)
        .max(1_000),
    }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 10,
    retryDelaySeconds: 5,
    retryDelayMaxSeconds: 3_600,
    heartbeatSeconds: 30,
    expireInSeconds: 300,
    notify: true,
    batchSize: 5,
    keepSeconds: DAY_SECONDS,
  },
  'localize-rental-images': {
    does: "Fetches a rental's remote images and stores them as WebP with a thumbnail.",
    payload: z.object({ rental_id: z.string() }),
    worker: 'workers',
    policy: 'short',
    retryLimit: 15,
    retryDelaySeconds: 2,
    retryDelayMaxSeconds: 6 * 3_600,
    heartbeatSeconds: 10,
    expireInSeconds: 600,
    notify: true,
    batchSize: 2,
    keepSeconds: DAY_SECONDS,
  },
  'requeue-images': {
    does: 'Sends images that are still to come, or could not be had, to localize-images once more.',
    ...runQueue,
  },
  'move-listings': {
    does: 'Moves listings after an edit of the categories or templates of the marketplace, 500 at a time.',
    ...runQueue,
  },
  'backup-database': {
    does: 'Exports every table, as it is at one moment, into the storage.',
    /** `requested_by` alone is in jobs of releases whose backups opened their runs by themselves. */
    payload: z.object({ run_id: z.string().optional(), requested_by: z.string().optional() }),
    worker: 'workers',
    policy: 'short',
    retryLimit: 1,
    retryDelaySeconds: 30,
    retryDelayMaxSeconds: 600,
    heartbeatSeconds: 60,
    expireInSeconds: 3_600,
    notify: true,
    batchSize: 1,
    keepSeconds: WEEK_SECONDS,
  },
});

export type QueueName = keyof typeof queues;
export type Payload<Name extends QueueName> = z.infer<(typeof queues)[Name]['payload']>;
export type QueueOf<Worker extends 'workers' | 'scrapers'> = {
  [Name in QueueName]: (typeof queues)[Name]['worker'] extends Worker ? Name : never;
}[QueueName];

export const queueNames = Object.keys(queues) as QueueName[];

/** The definition of a queue, widened so that optional fields can be read. */
export function queueOf(name: QueueName): Queue {
  return queues[name];
}

export function isQueueName(name: string): name is QueueName {
  return Object.hasOwn(queues, name);
}

/** Where the jobs of a queue end that cannot succeed; admins redrive them from there. */
export const deadLetterOf = (name: QueueName) => `${name}.dead`;
