import type { Database } from '../../db/client.ts';
import { createDatabase, createPool } from '../../db/client.ts';
import { findRunning } from '../../db/embedded.ts';
import { normalizeEmail } from '../../shared/kit/email.ts';
import { buildCatalog } from '../../shared/catalog/tree.ts';
import { systemClock } from '../../shared/kit/clock.ts';
import type { Config } from '../../shared/kit/config.ts';
import { createRecordCheck } from '../../shared/ingest/check-record.ts';
import { ingestBatch, type IngestOutcome } from '../../shared/ingest/ingest.ts';
import { MARKETPLACE } from '../../shared/ingest/page-owner.ts';
import type { IngestRecord } from '../../shared/normalize/record-type.ts';
import { feedSettings } from '../../shared/feeds/mapping.ts';
import type { FeedScraper } from '../../shared/scrapers/feed-reader.ts';
import { createJobs } from '../../shared/queues/jobs.ts';
import { createLogger } from '../../shared/kit/log.ts';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { parseMarketplace, readMarketplace } from '../../shared/profiles/read-profile.ts';
import { CliError } from './arguments.ts';
import type { CrawlSpec } from '../crawl/spec.ts';
import { createSharedPace, createSharedRobots } from '../politeness/pace-shared.ts';

/** A scraper as the database knows it, or the account that scrapes by hand. */
export type IngestOrigin = { userId: string; scraperId: string | null; spec: CrawlSpec | undefined; feed?: FeedOrigin };

/** A scraper that reads a feed, and the address it has. */
export type FeedOrigin = { scraper: FeedScraper; url: string | undefined };

export type IngestStore = Awaited<ReturnType<typeof openIngestStore>>;

/** The running service's database: DATABASE_URL, else the embedded server below DATA_DIR; a CliError when there is none. */
export async function openIngestStore(config: Config) {
  const databaseUrl = config.databaseUrl ?? (await findRunning(config.dataDir));
  if (databaseUrl === undefined) {
    throw new CliError(
      'There is no database: run `npm start` first, or set DATABASE_URL; --dry with a URL needs none.',
    );
  }
  await prepareDatabase(config.directDatabaseUrl ?? databaseUrl, config);
  const log = createLogger('scrape', 'warn');
  const pool = createPool({
    databaseUrl,
    transactionPooling: config.transactionPooling,
    max: 4,
    applicationName: 'quayside-scrape',
    deadlines: config.deadlines,
  });
  const db = createDatabase(pool);
  const profile = parseMarketplace(await readMarketplace(config));
  const jobs = await createJobs(pool, log);
  const services = {
    db,
    jobs,
    clock: systemClock,
    catalog: buildCatalog(profile),
    profile,
    staticUrl: config.staticUrl,
    quotaMultiplier: 0,
    check: await createRecordCheck()(),
  };

  return {
    pace: createSharedPace(pool, systemClock),
    robots: createSharedRobots(pool, systemClock),
    originOf: (scraperId: string | undefined) =>
      scraperId === undefined ? findAdmin(db, config) : findScraper(db, scraperId),
    /** Ingests for the marketplace, in the name of the origin's user. */
    ingest: ({ userId, scraperId }: IngestOrigin, records: readonly IngestRecord[]): Promise<IngestOutcome> =>
      ingestBatch(services, { userId, owner: MARKETPLACE, scraperId }, records, { quota: false }),
    async close(): Promise<void> {
      await jobs.stop();
      await pool.end();
    },
  };
}

async function findAdmin(db: Database, config: Config): Promise<IngestOrigin> {
  const admins = db.selectFrom('users').select('id').where('role', '=', 'admin').orderBy('created_at').limit(1);
  const configured = config.admin && admins.where('email', '=', normalizeEmail(config.admin.email));
  const admin = (await configured?.executeTakeFirst()) ?? (await admins.executeTakeFirst());
  if (!admin)
    throw new CliError(
      'There is no administrator to own what is found: set ADMIN_EMAIL and ADMIN_PASSWORD and start the service once.',
    );
  return { userId: admin.id, scraperId: null, spec: undefined };
}

async function findScraper(db: Database, id: string): Promise<IngestOrigin> {
  const scraper = await db.selectFrom('scrapers').selectAll().where('id', '=', id).executeTakeFirst();
  if (!scraper) throw new CliError(`There is no scraper ${id}.`);
  if (scraper.kind === 'feed') {
    const { site, category_id } = scraper;
    const feed = {
      scraper: { id, site, category_id, feed: feedSettings.parse(scraper.feed) },
      url: scraper.start_urls[0],
    };
    return { userId: scraper.owner_id, scraperId: id, spec: undefined, feed };
  }
  return { userId: scraper.owner_id, scraperId: scraper.id, spec: scraper as unknown as CrawlSpec };
}
