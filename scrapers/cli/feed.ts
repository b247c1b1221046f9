import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { assertPublicUrl, FetchError } from '../../shared/adapters/fetch-guard.ts';
import { createGuardedFetch } from '../../shared/adapters/fetch.ts';
import { FeedBroken } from '../../shared/feeds/feed-item.ts';
import { feedPresets, feedSettings, type FeedSettings } from '../../shared/feeds/mapping.ts';
import { resolveMapping } from '../../shared/feeds/presets.ts';
import { MAX_FEED_BYTES, readFeedItems } from '../../shared/feeds/read-feed.ts';
import type { Config } from '../../shared/kit/config.ts';
import type { IngestRecord } from '../../shared/normalize/record-type.ts';
import { createItemReader, type FeedScraper, type ReadItem } from '../../shared/scrapers/feed-reader.ts';
import { defaultSite, mappingProblems } from '../../shared/scrapers/settings.ts';
import { createNormalize } from '../../shared/scrapers/site-normalizer.ts';
import { userAgentOf } from '../crawl/spec.ts';
import { CliError } from './arguments.ts';

const MAX_PROBLEMS_SHOWN = 20;

const isUrl = (source: string) => /^https?:\/\//i.test(source) && URL.canParse(source);

/** A feed that no scraper reads yet: by a preset, or by a mapping in a file. A CliError says what is wrong with it. */
export async function describeFeed(source: string, mapping: string, site: string | undefined): Promise<FeedScraper> {
  const host = site?.toLowerCase() ?? (isUrl(source) ? defaultSite([source]) : '');
  if (host === '') throw new CliError('--site names the host that the items of a file are on.');
  return { id: 'preview', site: host, category_id: null, feed: await readMapping(mapping) };
}

async function readMapping(mapping: string): Promise<FeedSettings> {
  const isPreset = (feedPresets as readonly string[]).includes(mapping);
  if (!isPreset && !existsSync(mapping))
    throw new CliError(`'${mapping}' is neither a preset (${feedPresets.join(', ')}) nor a file with a mapping.`);
  let sent: unknown;
  try {
    sent = isPreset ? { preset: mapping } : JSON.parse(await readFile(mapping, 'utf8'));
  } catch (error) {
    throw new CliError(`The mapping in ${mapping} is no JSON.`, { cause: error });
  }
  const parsed = feedSettings.safeParse(sent);
  const problems = parsed.success
    ? mappingProblems(parsed.data).map(({ path, message }) => `${path.replace('/body/feed', '')} ${message}`)
    : parsed.error.issues.map(({ path, message }) => `${path.join('/')} ${message}`);
  if (!parsed.success || problems.length > 0)
    throw new CliError(`The feed cannot be read as described. ${problems.join(' ')}`);
  return parsed.data;
}

type Counts = { items: number; records: number; deleted: number; problems: number };

/**
 * Streams a feed from a file or an URL as its scraper would read it, and hands on the records; problems go to stderr. Answers
 * the counts; a CliError for a feed that cannot be had or is broken.
 */
export async function readFeedByHand(
  scraper: FeedScraper,
  source: string,
  config: Config,
  onRecord: (record: IngestRecord) => void,
): Promise<Counts> {
  const read = createItemReader(scraper);
  const normalize = createNormalize(scraper, () => new Date());
  const counts: Counts = { items: 0, records: 0, deleted: 0, problems: 0 };
  const tell = (message: string) => {
    counts.problems += 1;
    if (counts.problems <= MAX_PROBLEMS_SHOWN) console.error(`item ${counts.items}: ${message}`);
  };
  const take = (item: ReadItem) => {
    if ('problem' in item) return tell(item.problem);
    if (item.isDeleted) counts.deleted += 1;
    const normalized = normalize(item.raw);
    if ('record' in normalized) {
      counts.records += 1;
      onRecord(normalized.record);
    } else if (!item.isDeleted) tell(`${item.url}: ${normalized.reason}`);
  };
  const { path, contentType, discard } = await obtainFeed(source, config);
  try {
    for await (const item of readFeedItems(createReadStream(path), resolveMapping(scraper.feed), { contentType })) {
      counts.items += 1;
      take(read(item));
    }
  } catch (error) {
    if (error instanceof FeedBroken) throw new CliError(`After ${counts.items} items: ${error.message}`);
    throw error;
  } finally {
    await discard();
  }
  if (counts.items === 0) throw new CliError('There is no item at the path of items.');
  return counts;
}

type LocalFeed = { path: string; contentType?: string | undefined; discard: () => Promise<void> };

/** A feed as a file of this machine: one that is there, or one that is fetched until it is discarded. */
async function obtainFeed(source: string, config: Config): Promise<LocalFeed> {
  const { fetchAllow: allow, baseUrl, crawlerContact, deadlines } = config;
  if (!isUrl(source)) {
    if (!existsSync(source)) throw new CliError(`There is no file ${source}.`);
    return { path: source, discard: async () => {} };
  }
  const folder = await mkdtemp(join(tmpdir(), 'quayside-feed-'));
  const path = join(folder, 'feed');
  const discard = () => rm(folder, { recursive: true, force: true });
  const fetch = createGuardedFetch({ allow, userAgent: userAgentOf(baseUrl, crawlerContact), deadlines });
  try {
    assertPublicUrl(source, allow);
    const into = createWriteStream(path);
    const { status, headers } = await fetch.fetch(source, { into, maxBytes: MAX_FEED_BYTES, deadline: 'feed' });
    await finished(into.end());
    if (status < 200 || status > 299) throw new CliError(`The feed answered ${status}.`);
    return { path, contentType: headers['content-type'], discard };
  } catch (error) {
    await discard();
    if (!(error instanceof FetchError)) throw error;
    throw new CliError(
      `The feed cannot be fetched. ${error.message} FETCH_ALLOW names hosts that may be read all the same.`,
      {
        cause: error,
      },
    );
  } finally {
    await fetch.close();
  }
}
