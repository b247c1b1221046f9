import { assertPublicUrl } from '../../shared/adapters/fetch-guard.ts';
import { buildCatalog } from '../../shared/catalog/tree.ts';
import type { Config } from '../../shared/kit/config.ts';
import { isId } from '../../shared/kit/ids.ts';
import type { IngestRecord } from '../../shared/normalize/record-type.ts';
import { parseMarketplace, readMarketplace } from '../../shared/profiles/read-profile.ts';
import { defaultSettings, defaultSite } from '../../shared/scrapers/settings.ts';
import { CliError, readArguments, type Arguments } from './arguments.ts';
import { crawlByHand } from './crawl.ts';
import { openIngestStore, type FeedOrigin, type IngestStore } from './database.ts';
import { describeFeed, readFeedByHand } from './feed.ts';
import { renderTable } from './print.ts';
import { readerOf } from '../crawl/page-reader.ts';
import type { CrawlSpec } from '../crawl/spec.ts';

/** Records of a feed in a table; --json has no limit. */
const MAX_SHOWN = 50;

/** `npm run scrape`: answers the exit code; what the caller can mend is one message on stderr. */
export async function scrape(args: string[], readConfig: () => Config, openReader = readerOf): Promise<number> {
  try {
    return await run(readArguments(args), readConfig(), openReader);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    console.error(error.message);
    return 1;
  }
}

/** Crawls, shows and ingests as the arguments say; answers the exit code: 1 when no page could be read. */
async function run(given: Arguments, config: Config, openReader: typeof readerOf): Promise<number> {
  const { target, dry, json, browser, maxPages } = given;
  const scraperId = isId('scraper', target) ? target : undefined;
  if (given.feed !== undefined && scraperId === undefined)
    return showFeed({ scraper: await describeFeed(target, given.feed, given.site), url: target }, given, config);
  const store = dry && scraperId === undefined ? undefined : await openIngestStore(config);
  try {
    const origin = await store?.originOf(scraperId);
    if (origin?.feed) return await showFeed(origin.feed, given, config);
    const known = origin?.spec ?? specOf(target, config);
    const spec: CrawlSpec = {
      ...known,
      max_pages: maxPages ?? known.max_pages,
      ...(browser && { kind: 'browser' as const }),
    };
    const shown: IngestRecord[] = [];
    const outcome = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };
    const { end, records } = await crawlByHand(spec, config, { ...store, openReader }, async (found) => {
      if (json) for (const record of found) console.log(JSON.stringify(record));
      else if (dry) shown.push(...found);
      if (!dry && store && origin) addUp(outcome, await store.ingest(origin, found));
    });
    if (shown.length > 0) console.log(renderTable(shown, await categoriesOf(config)));
    if (!dry && !json)
      console.log(
        Object.entries(outcome)
          .map(([name, n]) => `${n} ${name}`)
          .join(', '),
      );
    if (end.outcome === 'failed') console.error(end.reason);
    else if (records === 0 && spec.max_pages === 1)
      console.error('There is no record on this page; --max-pages 20 follows its links.');
    return end.outcome === 'failed' ? 1 : 0;
  } finally {
    await store?.close();
  }
}

/** Reads a feed and shows what it holds; only a run of its scraper ingests it, since it withdraws what the feed lacks. */
async function showFeed({ scraper, url }: FeedOrigin, { dry, json, from }: Arguments, config: Config): Promise<number> {
  if (!dry)
    throw new CliError(
      'A feed is ingested by a run: start one, or upload it, by the API or the console. --dry shows it.',
    );
  const source = from ?? url;
  if (source === undefined) throw new CliError('This scraper has no address: --from names the feed to read.');
  const startedAt = performance.now();
  const shown: IngestRecord[] = [];
  const { items, records, deleted, problems } = await readFeedByHand(scraper, source, config, (record) => {
    if (json) console.log(JSON.stringify(record));
    else if (shown.length < MAX_SHOWN) shown.push(record);
  });
  if (shown.length > 0) console.log(renderTable(shown, await categoriesOf(config)));
  if (!json && records > shown.length) console.error(`The first ${shown.length} of them; --json shows all.`);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.error(`${items} items, ${records} records, ${deleted} deleted, ${problems} problems in ${seconds} s`);
  return records === 0 ? 1 : 0;
}

/** A crawl of one page, or of what it leads to; it is as polite as every scraper. */
function specOf(url: string, config: Config): CrawlSpec {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new CliError(`'${url}' is neither an http(s) URL nor the id of a scraper.`);
  try {
    assertPublicUrl(url, config.fetchAllow);
  } catch (error) {
    throw new CliError(
      `${error instanceof Error ? error.message : String(error)} FETCH_ALLOW names hosts that may be read all the same.`,
      { cause: error },
    );
  }
  return { ...defaultSettings, site: defaultSite([url]), start_urls: [url], max_pages: 1 };
}

async function categoriesOf(config: Config): Promise<(record: IngestRecord) => string> {
  const catalog = buildCatalog(parseMarketplace(await readMarketplace(config)));
  return ({ category_id, category_hint, title = '' }) => catalog.mapCategory({ category_id, category_hint, title }).id;
}

function addUp(
  outcome: Record<string, number>,
  { created, updated, unchanged, skipped, failed }: Awaited<ReturnType<IngestStore['ingest']>>,
): void {
  const part = { created, updated, unchanged, skipped: skipped.length, failed: failed.length };
  for (const [name, n] of Object.entries(part)) outcome[name] = (outcome[name] ?? 0) + n;
  for (const { url, reason } of [...skipped, ...failed]) console.error(`${url}: ${reason}`);
}
