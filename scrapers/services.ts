import type { PgBoss } from 'pg-boss';
import type { Pool } from 'pg';
import { createDatabase, createPool, type Database } from '../db/client.ts';
import { systemClock, type Clock } from '../shared/kit/clock.ts';
import type { Config } from '../shared/kit/config.ts';
import { createRecordCheck, type CheckRecord } from '../shared/ingest/check-record.ts';
import { sendWith, type Jobs } from '../shared/queues/jobs.ts';
import type { Logger } from '../shared/kit/log.ts';
import { profileOf } from '../shared/profiles/index.ts';
import type { Profile } from '../shared/profiles/profile.ts';
import { buildCatalog, type Catalog } from '../shared/catalog/tree.ts';

/** What the handlers of this process may use. */
export type ScraperServices = {
  config: Config;
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
export function createScraperServices(
  config: Config & { databaseUrl: string },
  log: Logger,
  boss: PgBoss,
  clock: Clock = systemClock,
): { services: ScraperServices; stop(): Promise<void> } {
  const profile = profileOf(config.profile);
  const pool = createPool({
    databaseUrl: config.databaseUrl,
    max: config.databasePoolSize,
    applicationName: 'quayside-scrapers',
  });
  const db = createDatabase(pool);
  const catalog = buildCatalog(profile);
  const services = {
    config,
    profile,
    catalog,
    recordCheck: createRecordCheck(),
    clock,
    log,
    pool,
    db,
    jobs: sendWith(boss),
  };
  return { services, stop: () => pool.end() };
}
