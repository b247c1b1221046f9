import type { QueueName } from '../queues/queues.ts';

/** The kinds of long work, and the queue whose jobs work the runs of each. */
export const queueOfRun = {
  backup: 'backup-database',
  dedup: 'dedup-scan',
  erase: 'erase-account',
  export: 'export-account',
  images: 'requeue-images',
  learn: 'learn-site',
  recategorize: 'move-listings',
  reimport: 'reimport-listings',
  reindex: 'reindex-search',
  'rewrite-migration': 'rewrite-migration',
  scraper: 'run-scraper',
} as const satisfies Record<string, QueueName>;

export type RunKind = keyof typeof queueOfRun;
