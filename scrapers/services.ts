import type { PgBoss } from 'pg-boss';
import type { Pool } from 'pg';
import { createDatabase, createPool, type Database } from '../db/client.ts';
import { systemClock, type Clock } from '../shared/kit/clock.ts';
import type { Config } from '../shared/kit/config.ts';
import { createRecordCheck, type CheckRecord } from '../shared/ingest/check-record.ts';
import { sendWith, type Jobs } from '../shared/queues/jobs.ts';
import type { Logger } from '../shared/kit/log.ts';
import type { Profile } from '../shared/profiles/profile.ts';
import { followMarketplace, type LiveMarketplace } from '../shared/catalog/marketplace.ts';
import type { Catalog } from '../shared/catalog/tree.ts';
import { crawlInProcess, type RunCrawl } from './crawl/process.ts';
import { createPageAnalyst } from './learn/page-analyst.ts';

/** Where foreign pages are read: each crawl in a child process, each learning in a thread. */
export type Isolation = { crawl: RunCrawl; createPageAnalyst: typeof createPageAnalyst };
const isolated: Isolation = { crawl: crawlInProcess, createPageAnalyst };

/** What the handlers of this process may use. */
export type ScraperServices = Isolation & {
  config: Config;
  marketplace: LiveMarketplace;
  /** The marketplace in force. */
  profile: Profile;
  catalog: Catalog;
  /** The check of records of scraped pages, compiled at its first use. */
  recordCheck: () => Promise<CheckRecord>;
  clock: Clock;
  log: Logger;
  pool: Pool;
  db: Database;
  jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>;
};

/** Connects what crawling needs; jobs are sent through the same pg-boss that works them. */
export async function createScraperServices(
  config: Config & { databaseUrl: string },
  log: Logger,
  boss: PgBoss,
  clock: Clock = systemClock,
  isolation: Isolation = isolated,
): Promise<{ services: ScraperServices; stop(): Promise<void> }> {
  const pool = createPool({
    databaseUrl: config.databaseUrl,
    transactionPooling: config.transactionPooling,
    max: config.databasePoolSize,
    applicationName: 'quayside-scrapers',
    deadlines: config.deadlines,
  });
  const db = createDatabase(pool);
  const marketplace = await followMarketplace(config, { db, log });
  const services = {
    ...isolation,
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
    jobs: sendWith(boss),
  };
  return {
    services,
    async stop() {
      await marketplace.stop();
      await pool.end();
    },
  };
}
