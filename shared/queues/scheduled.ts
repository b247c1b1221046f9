import { z } from 'zod';
import type { Queue } from './queue.ts';
import { DAY_SECONDS } from '../kit/clock.ts';

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

/** The queues whose jobs a clock sends. */
export const scheduledQueues = {
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
  'sample-metrics': {
    does: 'Keeps what the fleet has counted so far, for the plots of the console.',
    ...often,
    expireInSeconds: 60,
    schedule: '* * * * *',
  },
  'end-lost-runs': {
    does: 'Ends the runs whose job was cancelled, or has failed for good.',
    ...often,
    expireInSeconds: 60,
    schedule: '* * * * *',
  },
  'end-suspensions': {
    does: 'Ends the suspensions of accounts whose time is over.',
    ...often,
    expireInSeconds: 120,
    schedule: '* * * * *',
  },
  'sweep-leavings': {
    does: 'Goes on with erasures that have stopped, sweeps once more behind those that are done, and deletes old archives.',
    ...often,
    expireInSeconds: 300,
    schedule: '* * * * *',
  },
  'collect-pictures': {
    does: 'Hands uploads that nothing has shown for a week, and files that a dead process left, on to delete-pictures.',
    ...seldom,
    schedule: '43 * * * *',
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
  'expire-listings': {
    does: 'Lets listings expire whose time is over.',
    ...seldom,
    heartbeatSeconds: 30,
    expireInSeconds: 900,
    schedule: '*/15 * * * *',
  },
  'reconcile-search-index': {
    does: 'Holds the search index against the database, repairs what has drifted, and builds a missing index.',
    ...seldom,
    retryDelaySeconds: 10,
    heartbeatSeconds: 30,
    expireInSeconds: 3_600,
    schedule: '20 3 * * *',
  },
  'notify-expiring': {
    does: 'Mails owners whose listings expire in seven days or in one.',
    ...seldom,
    heartbeatSeconds: 30,
    expireInSeconds: 900,
    schedule: '0 7 * * *',
  },
  'fold-counts': {
    does: 'Folds the deltas of listing counts into their counters.',
    ...often,
    expireInSeconds: 60,
    schedule: '* * * * *',
  },
  'queue-refreshes': {
    does: 'Queues a look at the scraped pages that are due.',
    ...seldom,
    schedule: '*/10 * * * *',
  },
  'refresh-suggestions': {
    does: 'Keeps the most popular titles and searches ready for beginnings that very many have.',
    ...seldom,
    heartbeatSeconds: 30,
    expireInSeconds: 900,
    schedule: '*/10 * * * *',
  },
  'settle-analytics': {
    does: 'Settles the figures of days that are over for the analytics.',
    ...seldom,
    schedule: '11 * * * *',
  },
  'refresh-rates': {
    does: 'Fetches the exchange rates of RATES_URL, where one is set.',
    ...seldom,
    retryLimit: 5,
    schedule: '30 16 * * *',
  },
  'keep-figures': {
    does: 'Counts the figures of the administration that take long, so that nobody waits for them.',
    ...seldom,
    heartbeatSeconds: 30,
    schedule: '*/5 * * * *',
  },
  'purge-old-rows': {
    does: 'Deletes what has outlived its use: old rate windows, idempotency keys, tokens, visits, events.',
    ...seldom,
    schedule: '17 * * * *',
  },
  'hash-images': {
    does: 'Hashes the middle of images that were stored without, so that copies of them are found.',
    ...seldom,
    heartbeatSeconds: 30,
    expireInSeconds: 1_800,
    schedule: '23 * * * *',
  },
} as const satisfies Record<string, Queue>;
