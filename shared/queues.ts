import { z } from 'zod';

/** One entry per queue: what is sent, who works it, how it is repeated and how long it may take. */
type Queue = {
  /** One sentence on what a job does. */
  does: string;
  payload: z.ZodType;
  /** Which process works it. */
  worker: 'workers' | 'scrapers';
  /** `short` keeps one job waiting per key, more may be active: the handler re-reads the row and converges. */
  policy: 'standard' | 'short';
  retryLimit: number;
  retryDelaySeconds: number;
  retryDelayMaxSeconds: number;
  /** A worker that stops beating is noticed within about 12 s; every queue whose job may last over 10 s has one. */
  heartbeatSeconds?: number;
  expireInSeconds: number;
  /** Wakes a worker at once; off for bulk queues, whose notifications would serialise commits. */
  notify: boolean;
  /** Jobs taken at once by one worker, and worked side by side. */
  batchSize: number;
  /** Workers of one process side by side (1 when absent): a slow job holds up only the batch it came with. */
  concurrency?: number;
  /** How long finished jobs stay to be looked at. */
  keepSeconds: number;
  /** Cron expression in UTC; a run missed while nothing was up is made up for once. */
  schedule?: string;
};

const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;
const listingId = z.object({ listing_id: z.string() });

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
      /** The recipient by user id; an address never travels in a job. */
      user_id: z.string(),
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
    batchSize: 2,
    concurrency: 5,
    keepSeconds: WEEK_SECONDS,
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
    payload: z.object({}),
    worker: 'workers',
    policy: 'short',
    retryLimit: 2,
    retryDelaySeconds: 60,
    retryDelayMaxSeconds: 600,
    expireInSeconds: 300,
    notify: false,
    batchSize: 2,
    keepSeconds: DAY_SECONDS,
    schedule: '43 * * * *',
  },
  'fold-counts': {
    does: 'Folds the deltas of listing counts into their counters.',
    payload: z.object({}),
    worker: 'workers',
    policy: 'short',
    retryLimit: 2,
    retryDelaySeconds: 5,
    retryDelayMaxSeconds: 60,
    expireInSeconds: 60,
    notify: false,
    batchSize: 2,
    keepSeconds: 3_600,
    schedule: '* * * * *',
  },
  'purge-old-rows': {
    does: 'Deletes what has outlived its use: old rate windows, idempotency keys, tokens, visits, events.',
    payload: z.object({}),
    worker: 'workers',
    policy: 'short',
    retryLimit: 2,
    retryDelaySeconds: 60,
    retryDelayMaxSeconds: 600,
    expireInSeconds: 300,
    notify: false,
    batchSize: 2,
    keepSeconds: DAY_SECONDS,
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
