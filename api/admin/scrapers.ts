import { inTransaction } from '../../db/client.ts';
import { readNewest } from '../../db/newest.ts';
import { feedSettings } from '../../shared/feeds/mapping.ts';
import { notFound } from '../../shared/kit/errors.ts';
import { newId } from '../../shared/kit/ids.ts';
import { isProxyUrl, keepCredentials } from '../../shared/kit/proxy-url.ts';
import { bossOf } from '../../shared/queues/jobs.ts';
import { syncSchedules } from '../../shared/scrapers/schedules.ts';
import { checkSettings, defaultSettings, defaultSite, type ScraperSettings } from '../../shared/scrapers/settings.ts';
import { isWithinSite } from '../../shared/scrapers/site.ts';
import type { Body } from '../http/types.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import type { Services } from '../services.ts';
import { paginationOf } from '../http/pagination.ts';
import { presentScraper, selectRuns, type RunRow, type ScraperRow } from './scrapers-present.ts';

/** All scrapers, newest first, each with its last run. */
export const listScrapers: Handler<'listScrapers'> = async ({ db }, { query }) => {
  const { page = 1, limit = 20 } = query;
  const { rows, total } = await readNewest(db.selectFrom('scrapers').selectAll(), { page, limit });
  const lastRuns = await readLastRuns(
    db,
    rows.map((row) => row.id),
  );
  return {
    status: 200,
    body: {
      results: rows.map((row) => presentScraper(row, lastRuns.get(row.id))),
      pagination: paginationOf(page, limit, total),
    },
  };
};

/** One scraper, with its last run. */
export const getScraper: Handler<'getScraper'> = async ({ db }, { params }) => {
  const row = await db.selectFrom('scrapers').selectAll().where('id', '=', params.id).executeTakeFirst();
  if (!row) throw notFound('scraper', params.id);
  return { status: 200, body: presentScraper(row, (await readLastRuns(db, [row.id])).get(row.id)) };
};

/** Makes a scraper; 400 names every field that the crawler could not work with. */
export const createScraper: AuthenticatedHandler<'createScraper'> = async (services, { body, caller, links }) => {
  const settings = newSettings(body);
  await checkSettings(settings, rulesOf(services));
  const now = services.clock.now();
  const row = await inTransaction(services.db, async (tx) => {
    const made = await tx
      .insertInto('scrapers')
      .values({
        ...columnsOf(settings),
        id: newId('scraper'),
        owner_id: caller.userId,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await syncSchedules(bossOf(tx), tx, made.id);
    return made;
  });
  return {
    status: 201,
    body: presentScraper(row, undefined),
    headers: { Location: `${links.base}/api/admin/scrapers/${row.id}` },
  };
};

/** Changes the fields that are sent; the scraper as a whole must still be one that works. */
export const updateScraper: Handler<'updateScraper'> = async (services, { params, body }) => {
  const row = await inTransaction(services.db, async (tx) => {
    const known = await tx
      .selectFrom('scrapers')
      .selectAll()
      .where('id', '=', params.id)
      .forUpdate()
      .executeTakeFirst();
    if (!known) throw notFound('scraper', params.id);
    const settings = changedSettings(known, body);
    await checkSettings(settings, rulesOf(services));
    const changed = await tx
      .updateTable('scrapers')
      .set({ ...columnsOf(settings), updated_at: services.clock.now() })
      .where('id', '=', params.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await syncSchedules(bossOf(tx), tx, changed.id);
    return changed;
  });
  return { status: 200, body: presentScraper(row, (await readLastRuns(services.db, [row.id])).get(row.id)) };
};

function newSettings(body: Body<'createScraper'>): ScraperSettings {
  const { start_urls = [], site } = body;
  return { ...defaultSettings, ...body, start_urls, site: site?.toLowerCase() ?? defaultSite(start_urls) };
}

const columnsOf = ({ extract, feed, ...settings }: ScraperSettings) => ({
  ...settings,
  extract: JSON.stringify(extract),
  // With its defaults, which the contract cannot hold: they would overwrite what is stored.
  feed: feed && JSON.stringify(feedSettings.parse(feed)),
});

/** A scraper that moves to URLs of another site moves its `site` too, unless the change names one. */
function changedSettings(known: ScraperRow, body: Body<'updateScraper'>): ScraperSettings {
  const { name, kind, link_pattern, pagination_pattern, category_id, schedule, max_pages, requests_per_minute } = known;
  const { start_urls, respect_robots, auto_publish, require_images, enabled } = known;
  const before = {
    name,
    start_urls,
    link_pattern,
    pagination_pattern,
    category_id,
    schedule,
    max_pages,
    requests_per_minute,
  };
  const settings = {
    ...before,
    kind,
    respect_robots,
    auto_publish,
    require_images,
    enabled,
    extract: known.extract,
    feed: known.feed,
    ...body,
  };
  // The pages of a feed's items may be on another host than the feed.
  const stays =
    settings.kind === 'feed' ||
    settings.start_urls.every((url) => isWithinSite(URL.parse(url)?.hostname ?? '', known.site));
  const site = body.site?.toLowerCase() ?? (stays ? known.site : defaultSite(settings.start_urls));
  const proxy_urls = body.proxy_urls === undefined ? known.proxy_urls : changedProxies(known, body.proxy_urls);
  return { ...settings, site, proxy_urls } as ScraperSettings;
}

/** Proxies are shown without their credentials: those that are sent back as shown keep them. */
function changedProxies(known: ScraperRow, sent: string[] | null): string[] | null {
  return sent?.every(isProxyUrl) ? keepCredentials(sent, known.proxy_urls ?? []) : sent;
}

function rulesOf({ catalog, config, profile, jobs }: Services) {
  return {
    catalog,
    fetchAllow: config.fetchAllow,
    crawlProxyUrls: config.crawlProxyUrls,
    listValidCategories: profile.unknownCategoryListsIds,
    patternProbeMs: config.deadlines.patternProbe,
    previewSchedule: (cron: string) => jobs.boss.previewSchedule(cron, { tz: 'UTC', count: 1 }),
  };
}

async function readLastRuns(db: Services['db'], scraperIds: string[]): Promise<Map<string, RunRow>> {
  if (scraperIds.length === 0) return new Map();
  const rows = await selectRuns(db)
    .distinctOn('subject')
    .where('subject', 'in', scraperIds)
    .orderBy('subject')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return new Map(rows.map((row) => [row.subject, row]));
}
