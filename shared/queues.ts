import { z } from 'zod';
import type { Queue } from './queue.ts';

const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;
const listingId = z.object({ listing_id: z.string() });

/** Short, set-based work on a schedule: often, or now and then. A run that fails is made up for by the next one. */
const repeated = {
  payload: z.object({}),
  worker: 'workers',
  policy: 'short',
  retryLimit: 2,
  notify: false,
  batchSize: 2,
} as const satisfies Partial<Queue>;
const often = { ...repeated, retryDelaySeconds: 5, retryDelayMaxSeconds: 60, keepSeconds: 3_600 } as const;
const seldom = {
  ...repeated,
  retryDelaySeconds: 60,
  retryDelayMaxSeconds: 600,
  expireInSeconds: 300,
  keepSeconds: DAY_SECONDS,
} as const;

const define = <const Q extends Record<string, Queue>>(definitions: Q): Q => definitions;

/** The contract of the fleet: a queue's name is its file in workers/ (or scrapers/), and its dead letters are in `<name>.dead`. */
export const queues = define({
  'localize-images': {
    does: "Fetches a listing's remote pictures and stores them as WebP with a thumbnail.",
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
  'index-listing': {
    does: 'Brings the search index up to date with some listings.',
    payload: z.object({ listing_ids: z.array(z.string()).min(1).max(1_000) }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 10,
    retryDelaySeconds: 1,
    retryDelayMaxSeconds: 600,
    expireInSeconds: 60,
    notify: true,
    batchSize: 20,
    keepSeconds: 3_600,
  },
  'run-scraper': {
    does: 'Crawls the site of one scraper and sends on what it finds.',
    /** A job of a scraper's schedule carries no run: its handler opens one, unless another is live. */
    payload: z.object({ run_id: z.string().optional(), scraper_id: z.string() }),
    worker: 'scrapers',
    policy: 'standard',
    retryLimit: 3,
    retryDelaySeconds: 5,
    retryDelayMaxSeconds: 60,
    heartbeatSeconds: 15,
    expireInSeconds: 21_600,
    notify: true,
    batchSize: 1,
    concurrency: 3,
    keepSeconds: WEEK_SECONDS,
  },
  'publish-scraped': {
    does: 'Publishes the drafts of one scraper, as soon as their pictures are in.',
    payload: z.object({ scraper_id: z.string(), round: z.number().int().min(0).optional() }),
    worker: 'scrapers',
    policy: 'short',
    retryLimit: 5,
    retryDelaySeconds: 10,
    retryDelayMaxSeconds: 600,
    heartbeatSeconds: 30,
    expireInSeconds: 600,
    notify: true,
    batchSize: 2,
    keepSeconds: DAY_SECONDS,
  },
  'ingest-record': {
    does: 'Ingests one scraped record for the owner of its scraper and counts it in its run.',
    payload: z.object({
      run_id: z.string(),
      scraper_id: z.string(),
      user_id: z.string(),
      record: z.record(z.string(), z.unknown()),
    }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 3,
    retryDelaySeconds: 2,
    retryDelayMaxSeconds: 60,
    expireInSeconds: 120,
    notify: true,
    batchSize: 20,
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
      data: z.record(z.string(), z.unknown()),
    }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 8,
    retryDelaySeconds: 30,
    retryDelayMaxSeconds: 6 * 3_600,
    heartbeatSeconds: 30,
    expireInSeconds: 60,
    notify: true,
    batchSize: 5,
    keepSeconds: WEEK_SECONDS,
  },
  'mail-account-link': {
    does: 'Finds out whether an account has the address that a link was asked for, and mails it there.',
    payload: z.object({ request_id: z.uuid() }),
    worker: 'workers',
    policy: 'standard',
    retryLimit: 8,
    retryDelaySeconds: 2,
    retryDelayMaxSeconds: 600,
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
    heartbeatSeconds: 30,
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
    expireInSeconds: 120,
    notify: true,
    batchSize: 5,
    keepSeconds: DAY_SECONDS,
  },
  'send-digests': {
    does: 'Mails what was found for saved searches whose next mail is due.',
    ...often,
    heartbeatSeconds: 30,
    expireInSeconds: 300,
    schedule: '* * * * *',
  },
  'resume-webhooks': {
    does: 'Finds deliveries to subscribers that a dead process left, and sends them on.',
    ...often,
    expireInSeconds: 60,
    schedule: '* * * * *',
  },
  'delete-pictures': {
    does: 'Deletes those of some pictures that nothing refers to any more, with their files.',
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
  'collect-pictures': {
    does: 'Hands uploads that nothing has shown for a week, and files that a dead process left, on to delete-pictures.',
    ...seldom,
    schedule: '43 * * * *',
  },
  'localize-rental-images': {
    does: "Fetches a rental's remote pictures and stores them as WebP with a thumbnail.",
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
  'lapse-bookings': {
    does: 'Lets requests to book a rental lapse that have waited too long for an answer.',
    ...often,
    expireInSeconds: 120,
    schedule: '*/5 * * * *',
  },
  'close-promotions': {
    does: 'Takes promotions that are over off their listings, and closes checkouts that nobody can pay any more.',
    ...often,
    expireInSeconds: 120,
    schedule: '* * * * *',
  },
  'fold-counts': {
    does: 'Folds the deltas of listing counts into their counters.',
    ...often,
    expireInSeconds: 60,
    schedule: '* * * * *',
  },
  'settle-analytics': {
    does: 'Settles the figures of days that are over for the analytics.',
    ...seldom,
    schedule: '11 * * * *',
  },
  'purge-old-rows': {
    does: 'Deletes what has outlived its use: old rate windows, idempotency keys, tokens, visits, events.',
    ...seldom,
    schedule: '17 * * * *',
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
