import { Writable } from 'node:stream';
import { FetchError } from '../adapters/fetch-guard.ts';
import { createGuardedFetch } from '../adapters/fetch.ts';
import { FeedBroken } from '../feeds/feed-item.ts';
import { readFeedItems } from '../feeds/read-feed.ts';
import { resolveMapping } from '../feeds/presets.ts';
import type { CheckRecord } from '../ingest/check-record.ts';
import type { Config } from '../kit/config.ts';
import { createItemReader, type FeedScraper, type ReadItem } from './feed-reader.ts';
import { createNormalize, type Normalize } from './site-normalizer.ts';

const MAX_ITEMS = 10;
const MAX_HEAD_BYTES = 2_097_152;

type FeedHead = { bytes: Buffer; contentType?: string | undefined };
type PreviewedItem = {
  deleted: boolean;
  problem: string | null;
  raw: Record<string, unknown> | null;
  record: Record<string, unknown> | null;
};

class Enough extends Error {}

/** The beginning of a feed on the web, or why it cannot be had. */
export async function fetchFeedHead(
  url: string,
  { fetchAllow: allow, baseUrl, deadlines }: Pick<Config, 'fetchAllow' | 'baseUrl' | 'deadlines'>,
): Promise<FeedHead | { problem: string }> {
  const fetch = createGuardedFetch({ allow, deadlines, userAgent: `QuaysideBot/1.0 (+${baseUrl})` });
  const enough = new AbortController();
  const chunks: Buffer[] = [];
  let size = 0;
  const into = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_HEAD_BYTES) enough.abort(new Enough());
      done();
    },
  });
  try {
    const { status, headers } = await fetch.fetch(url, {
      into,
      maxBytes: Number.MAX_SAFE_INTEGER,
      deadline: 'feedPreview',
      signal: enough.signal,
    });
    if (status < 200 || status > 299) return { problem: `The feed answered ${status}.` };
    return { bytes: Buffer.concat(chunks), contentType: headers['content-type'] };
  } catch (error) {
    if (error instanceof Enough) return { bytes: Buffer.concat(chunks) };
    if (error instanceof FetchError) return { problem: `The feed cannot be fetched. ${error.message}` };
    throw error;
  } finally {
    await fetch.close();
  }
}

/** Reads the first items of a feed as its scraper would, and what is wrong with each. */
export async function previewItems(
  scraper: FeedScraper,
  { bytes, contentType }: FeedHead,
  check: CheckRecord,
  now: Date,
): Promise<{ items: PreviewedItem[]; problems: string[] }> {
  const read = createItemReader(scraper);
  const normalize = createNormalize(scraper, () => now);
  const items: PreviewedItem[] = [];
  async function* all() {
    yield bytes;
  }
  try {
    for await (const found of readFeedItems(all(), resolveMapping(scraper.feed), { contentType })) {
      const item = read(found);
      items.push('problem' in item ? failed(item.problem) : toPreview(item, normalize(item.raw), check));
      if (items.length === MAX_ITEMS) break;
    }
  } catch (error) {
    if (!(error instanceof FeedBroken)) throw error;
    return { items, problems: [error.message] };
  }
  return { items, problems: items.length === 0 ? ['There is no item at the path of items.'] : [] };
}

const failed = (problem: string): PreviewedItem => ({ deleted: false, problem, raw: null, record: null });

function toPreview(
  { raw: read, isDeleted: deleted }: Extract<ReadItem, { page: string }>,
  normalized: ReturnType<Normalize>,
  check: CheckRecord,
): PreviewedItem {
  const raw = { ...read };
  if ('reason' in normalized) {
    const problem = deleted ? null : `No listing can be made of it: ${normalized.reason}.`;
    return { deleted, problem, raw, record: null };
  }
  const { raw_record: _, ...record } = normalized.record;
  const checked = check(record, '');
  if (checked.ok) return { deleted, problem: null, raw, record };
  const { reason, details } = checked.failure;
  const errors = (details?.errors ?? []).map(({ path, message }) => `${path} ${message}`);
  return { deleted, problem: [reason, ...errors].join(' '), raw, record };
}
