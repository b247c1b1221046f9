import '../../shared/boot/require-node.js';
import { assertPublicUrl } from '../../shared/adapters/fetch-guard.ts';
import { buildCatalog } from '../../shared/catalog/tree.ts';
import { readConfigOrExit, type Config } from '../../shared/kit/config.ts';
import { isId } from '../../shared/kit/ids.ts';
import type { IngestRecord } from '../../shared/normalize/record-type.ts';
import { profileOf } from '../../shared/profiles/index.ts';
import { defaultSettings, defaultSite } from '../../shared/scrapers/settings.ts';
import { CliError, readArguments, type Arguments } from './arguments.ts';
import { crawlByHand } from './crawl.ts';
import { openIngestStore, type IngestStore } from './database.ts';
import { renderTable } from './print.ts';
import type { CrawlSpec } from '../crawl/spec.ts';

try {
  process.exitCode = await main(readArguments(process.argv.slice(2)), readConfigOrExit());
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** Crawls, shows and ingests as the arguments say; answers the exit code: 1 when no page could be read. */
async function main({ target, dry, json, browser, maxPages }: Arguments, config: Config): Promise<number> {
  const scraperId = isId('scraper', target) ? target : undefined;
  const store = dry && scraperId === undefined ? undefined : await openIngestStore(config);
  try {
    const origin = await store?.originOf(scraperId);
    const known = origin?.spec ?? specOf(target, config);
    const spec: CrawlSpec = {
      ...known,
      max_pages: maxPages ?? known.max_pages,
      ...(browser && { kind: 'browser' as const }),
    };
    const shown: IngestRecord[] = [];
    const outcome = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };
    const { end, records } = await crawlByHand(spec, config, store, async (found) => {
      if (json) for (const record of found) console.log(JSON.stringify(record));
      else if (dry) shown.push(...found);
      if (!dry && store && origin) addUp(outcome, await store.ingest(origin, found));
    });
    if (shown.length > 0) console.log(renderTable(shown, categoriesOf(config)));
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

function categoriesOf(config: Config): (record: IngestRecord) => string {
  const catalog = buildCatalog(profileOf(config.profile));
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
