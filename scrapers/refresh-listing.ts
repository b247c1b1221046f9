import { inTransaction } from '../db/client.ts';
import { MINUTE_MS } from '../shared/kit/clock.ts';
import { prepareRecords } from '../shared/ingest/ingest.ts';
import type { IngestRecord } from '../shared/normalize/record-type.ts';
import { storeRecords } from '../shared/ingest/store.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { Tx } from '../shared/queues/jobs.ts';
import { claimForRefresh, releaseLeases, type ClaimedPage } from '../shared/refresh/queue.ts';
import {
  noteFailedPages,
  noteGonePages,
  noteVerifiedPages,
  recordRefreshes,
  type RefreshResult,
} from '../shared/refresh/settle.ts';
import { defaultSettings } from '../shared/scrapers/settings.ts';
import { pageKeyOf } from './crawl/frontier.ts';
import { CrawlLost } from './crawl/process.ts';
import type { ParentRpc } from './crawl/protocol.ts';
import { crawlSettingsOf, type CrawlEnd, type CrawlNews, type CrawlSpec } from './crawl/spec.ts';
import { rulesOf } from './crawl/known-pages.ts';
import { createSharedPace, createSharedRobots } from './politeness/pace-shared.ts';
import { createRefreshedPages, rememberRefreshes } from './crawl/refreshed-pages.ts';
import type { ScraperServices } from './services.ts';

const TIME_LIMIT_MS = 50 * MINUTE_MS;
/** A pattern that no address has. */
const NO_URL = '^$';

/** The pages of one job that are still to be settled, by the key of their URL. */
type Looking = {
  owner: string;
  pages: Map<string, ClaimedPage>;
  errors: Map<string, string>;
  since: Date;
  scraperId: string | null;
  rules: string;
};

/**
 * Looks again at pages that one owner knows of a site and settles each: its listing is updated, verified, missed or withdrawn, or the look
 * has failed and says why. A page that its site says has not changed is verified unread. It follows no links. Pages that are no
 * longer due when the job begins are left out, and those it does not come to are due as before.
 */
export const refreshListing: JobHandler<ScraperServices, 'refresh-listing'> = async (
  services,
  { listing_ids: listingIds },
  { signal, log },
) => {
  const { db, pool, clock } = services;
  const since = clock.now();
  const claimed = await inTransaction(db, (tx) => claimForRefresh(tx, listingIds, since));
  const [first] = claimed;
  if (!first) return { skipped: 'none of the pages is due any more' };
  const spec = await specOf(services, first, claimed);
  const rules = rulesOf(spec);
  const looking: Looking = {
    owner: first.owner,
    pages: new Map(claimed.map((page) => [page.normalized_url, page])),
    errors: new Map(),
    since,
    scraperId: first.scraper_id,
    rules,
  };
  const robots = createSharedRobots(pool, clock);
  const rpc: ParentRpc = {
    ...createSharedPace(pool, clock),
    readRobots: robots.read,
    writeRobots: robots.write,
    readPages: createRefreshedPages(pool, clock, claimed, rules),
    report: (news) => settleNews(services, looking, news),
    log: async (level, message, data) => log[level](data, message),
  };
  const settings = crawlSettingsOf(services.config, { timeLimitMs: TIME_LIMIT_MS });
  const end = await services.crawl(spec, settings, rpc, { signal }).catch((error: unknown): CrawlEnd => {
    if (!(error instanceof CrawlLost)) throw error;
    return { outcome: 'failed', reason: error.message };
  });
  const rest = await settleRest(services, looking, end);
  log.info({ pages: claimed.length, unsettled: rest, ...end }, 'pages were looked at again');
  return { pages: claimed.length, unsettled: rest, ...end };
};

/** The crawl of the scraper that found the pages, of these pages alone. */
async function specOf(
  { db }: ScraperServices,
  { scraper_id: scraperId, site }: ClaimedPage,
  pages: readonly ClaimedPage[],
): Promise<CrawlSpec> {
  const scraper =
    scraperId === null
      ? undefined
      : await db.selectFrom('scrapers').selectAll().where('id', '=', scraperId).executeTakeFirst();
  const known = (scraper ?? { ...defaultSettings, site }) as unknown as CrawlSpec;
  const targets = pages.map(({ normalized_url: key, url }) => ({ key, url, kind: 'record' as const }));
  return {
    ...known,
    start_urls: pages.map(({ url }) => url),
    link_pattern: NO_URL,
    pagination_pattern: NO_URL,
    max_pages: pages.length,
    knownPagesOnly: true,
    resume: { pending: targets, visited: [], skipped: [] },
  };
}

async function settleNews(services: ScraperServices, looking: Looking, news: CrawlNews): Promise<void> {
  for (const { url, message } of news.errors) {
    const key = url === undefined ? undefined : pageKeyOf(url);
    if (key !== undefined) looking.errors.set(key, message);
  }
  const records = news.records.filter(({ url }) => looking.pages.has(pageKeyOf(url) ?? ''));
  const gone = news.gone.flatMap((url) => looking.pages.get(pageKeyOf(url) ?? '') ?? []);
  const verified = news.verified.flatMap((key) => looking.pages.get(key) ?? []);
  if (records.length + gone.length + verified.length === 0) return;
  const settled = await inTransaction(services.db, async (tx) => {
    const now = services.clock.now();
    const ids = gone.map(({ listing_id: id }) => id);
    await noteGonePages(tx, services, ids, now, looking.since);
    const verifiedIds = verified.map(({ listing_id: id }) => id);
    await noteVerifiedPages(tx, verifiedIds, now);
    const looks = [
      ...ids.map((id): RefreshResult => ({ listing_id: id, outcome: 'gone' })),
      ...verifiedIds.map((id): RefreshResult => ({ listing_id: id, outcome: 'unchanged' })),
    ];
    for (const record of records) {
      const page = looking.pages.get(pageKeyOf(record.url) ?? '');
      if (page) looks.push(await storeRefreshed(tx, services, page, record));
    }
    const stored = new Set(looks.flatMap(({ listing_id: id, outcome }) => (outcome === 'failed' ? [] : id)));
    const read = news.pages.filter(({ page }) => stored.has(looking.pages.get(page)?.listing_id ?? ''));
    await rememberRefreshes(tx, looking, read);
    await recordRefreshes(tx, looks, now);
    return new Set(looks.map(({ listing_id: id }) => id));
  });
  for (const [key, page] of looking.pages) if (settled.has(page.listing_id)) looking.pages.delete(key);
}

/** What an agent read stays; of its page, only the price and whether it is still there are read here. */
async function storeRefreshed(
  tx: Tx,
  services: ScraperServices,
  page: ClaimedPage,
  record: IngestRecord,
): Promise<RefreshResult> {
  const { catalog, clock, jobs, config } = services;
  const prepared = await prepareRecords({ check: await services.recordCheck(), catalog, clock }, [record], '');
  const deps = { jobs, clock, staticUrl: config.staticUrl };
  const takes = page.scraper_id === null ? ('price' as const) : ('all' as const);
  const ingester = { userId: page.seller_id, owner: page.owner, scraperId: page.scraper_id, takes };
  const [stored] = await storeRecords(tx, deps, ingester, prepared.ready);
  const outcome = stored?.outcome === 'updated' ? 'changed' : stored?.outcome === 'unchanged' ? 'unchanged' : 'failed';
  if (outcome === 'failed') {
    const reason = stored?.outcome === 'skipped' ? stored.reason : (prepared.failed[0]?.reason ?? 'It was not stored.');
    await noteFailedPages(tx, [{ listing_id: page.listing_id, message: reason }], clock.now());
  }
  return { listing_id: page.listing_id, outcome };
}

/** Of a crawl that was stopped the other pages are due as before; else what it could not read has failed. Answers how many. */
async function settleRest({ db, clock }: ScraperServices, looking: Looking, end: CrawlEnd): Promise<number> {
  const rest = [...looking.pages].map(([key, { listing_id }]) => ({
    listing_id,
    message:
      looking.errors.get(key) ?? (end.outcome === 'failed' ? end.reason : 'There is no listing on the page any more.'),
  }));
  await inTransaction(db, async (tx) => {
    if (end.outcome === 'stopped')
      return releaseLeases(
        tx,
        rest.map(({ listing_id: id }) => id),
      );
    await noteFailedPages(tx, rest, clock.now());
    await recordRefreshes(
      tx,
      rest.map(({ listing_id }) => ({ listing_id, outcome: 'failed' })),
      clock.now(),
    );
  });
  return rest.length;
}
