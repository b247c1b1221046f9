import { readFileSync } from 'node:fs';
import type { FeedItem } from '../../../shared/feeds/feed-item.ts';
import { compileMapping, type MappedItem } from '../../../shared/feeds/map-item.ts';
import { feedSettings, type FeedSettings } from '../../../shared/feeds/mapping.ts';
import { resolveMapping } from '../../../shared/feeds/presets.ts';
import { readFeedItems } from '../../../shared/feeds/read-feed.ts';

export const openMarine = readFileSync(new URL('fixtures/openmarine.xml', import.meta.url));

/** A file in pieces of so many bytes. */
export async function* inPieces(file: Buffer | string, bytes = 1_000): AsyncGenerator<Buffer> {
  const all = Buffer.from(file);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

/** Everything that is read of a feed, and what ended it early. */
export async function readAll(
  file: Buffer | string,
  {
    format = 'auto',
    items = [],
    contentType,
  }: { format?: 'auto' | 'xml' | 'csv' | 'json'; items?: string[]; contentType?: string } = {},
): Promise<{ items: FeedItem[]; error: Error | undefined }> {
  const found: FeedItem[] = [];
  try {
    for await (const item of readFeedItems(inPieces(file), { format, items }, { contentType })) found.push(item);
    return { items: found, error: undefined };
  } catch (error) {
    return { items: found, error: error as Error };
  }
}

/** What settings make of a feed. */
export async function mapAll(file: Buffer | string, settings: Partial<FeedSettings>): Promise<MappedItem[]> {
  const mapping = resolveMapping(feedSettings.parse(settings));
  const map = compileMapping(mapping, { site: 'brokers.example.com', scraperId: 'scr_1' });
  const mapped: MappedItem[] = [];
  for await (const item of readFeedItems(inPieces(file), mapping)) mapped.push('node' in item ? map(item.node) : item);
  return mapped;
}
