import { join } from 'node:path';
import type { PgBoss } from 'pg-boss';
import { Registry } from 'prom-client';
import { createDatabase, createPool, type Database } from '../db/client.ts';
import { createAi, type Ai } from '../shared/adapters/ai.ts';
import { addWordCaches, type SearchPool } from '../shared/search/search-pool.ts';
import { createGuardedFetch, type GuardedFetch } from '../shared/adapters/fetch.ts';
import { createMailer, type Mailer } from '../shared/adapters/mail.ts';
import { isWritable } from '../shared/adapters/storage-disk.ts';
import type { Storage } from '../shared/adapters/storage.ts';
import { createStorage } from '../shared/adapters/create-storage.ts';
import { createWriteWatch, watchOutbox, watchStorage } from '../shared/adapters/write-watch.ts';
import { followMarketplace, type LiveMarketplace } from '../shared/catalog/marketplace.ts';
import type { Catalog } from '../shared/catalog/tree.ts';
import { systemClock, type Clock } from '../shared/kit/clock.ts';
import { createRecordCheck, type CheckRecord } from '../shared/ingest/check-record.ts';
import type { ReadyConfig } from '../shared/boot/prepare.ts';
import { sendWith, type Jobs } from '../shared/queues/jobs.ts';
import type { Logger } from '../shared/kit/log.ts';
import { withBrand } from '../shared/profiles/brand.ts';
import type { Profile } from '../shared/profiles/profile.ts';
import { openWritableIndex, type WritableIndex } from '../shared/search/open-index.ts';
import { createWebhookSender, type WebhookSender } from '../shared/webhooks/send.ts';
import { createBackground, type Background } from './background.ts';

/** What every handler of this process may use: one plain object, built once. */
export type WorkerServices = {
  config: ReadyConfig;
  marketplace: LiveMarketplace;
  /** The marketplace in force. */
  profile: Profile;
  catalog: Catalog;
  /** The check of records of scraped pages, compiled at its first use. */
  recordCheck: () => Promise<CheckRecord>;
  clock: Clock;
  log: Logger;
  pool: SearchPool;
  db: Database;
  /** Sends jobs through the pg-boss that works them. */
  jobs: Pick<Jobs, 'enqueue' | 'enqueueAll' | 'boss'>;
  storage: Storage;
  fetch: GuardedFetch;
  mailer: Mailer;
  /** Absent in stub mode. */
  ai: Ai | undefined;
  webhookSender: WebhookSender;
  /** Absent where PostgreSQL alone searches. */
  searchIndex: WritableIndex | undefined;
  background: Background;
};

/** Connects everything that jobs need; `stop` undoes it. The pg-boss instance stays its owner's. */
export async function createWorkerServices(
  given: ReadyConfig,
  log: Logger,
  boss: PgBoss,
  clock: Clock = systemClock,
  registry: Registry = new Registry(),
): Promise<{ services: WorkerServices; stop(): Promise<void> }> {
  const pool = addWordCaches(
    createPool({
      databaseUrl: given.databaseUrl,
      transactionPooling: given.transactionPooling,
      max: given.databasePoolSize,
      applicationName: 'quayside-workers',
      deadlines: given.deadlines,
      onError: (error) => log.warn({ err: error }, 'a database connection was lost'),
    }),
  );
  const db = createDatabase(pool);
  const marketplace = await followMarketplace(given, { db, log });
  const config = withBrand(given, marketplace.current().profile);
  const storage = await createStorage(config);
  const writes = createWriteWatch(registry, {
    images: config.s3 ? async () => true : () => storage.healthy(),
    ...(config.mail.smtpUrl === undefined && { outbox: () => isWritable(join(config.dataDir, 'outbox')) }),
  });
  const mailer = await createMailer(config, clock, config.deadlines);
  const outgoing = {
    allow: config.fetchAllow,
    userAgent: `QuaysideBot/1.0 (+${config.baseUrl})`,
    deadlines: config.deadlines,
  };
  const services: WorkerServices = {
    config,
    marketplace,
    get profile() {
      return marketplace.current().profile;
    },
    get catalog() {
      return marketplace.current().catalog;
    },
    recordCheck: createRecordCheck(),
    clock,
    log,
    pool,
    db,
    jobs: { ...sendWith(boss), boss },
    storage: watchStorage(storage, writes),
    fetch: createGuardedFetch(outgoing),
    mailer: config.mail.smtpUrl === undefined ? watchOutbox(mailer, writes) : mailer,
    ai: config.openai && createAi(config.openai, config.deadlines),
    webhookSender: createWebhookSender(outgoing),
    searchIndex:
      config.typesense &&
      openWritableIndex(config.typesense, { pool, marketplace, clock, deadlines: config.deadlines }),
    background: createBackground(log),
  };
  return {
    services,
    async stop() {
      await services.background.stop();
      await marketplace.stop();
      await services.webhookSender.close();
      await services.searchIndex?.client.close();
      await services.fetch.close();
      services.mailer.close();
      await pool.end();
    },
  };
}
