import { createHash } from 'node:crypto';
import { compileMapping } from '../feeds/map-item.ts';
import type { FeedItem } from '../feeds/feed-item.ts';
import type { FeedSettings } from '../feeds/mapping.ts';
import { resolveMapping } from '../feeds/presets.ts';
import { normalizeUrl } from '../ingest/normalized-url.ts';
import { ServiceError } from '../kit/errors.ts';
import { VERSION } from '../kit/version.ts';
import type { RawRecord } from '../normalize/record-type.ts';
import { isWithinSite } from './site.ts';

/** What of a scraper decides how its feed is read. */
export type FeedScraper = { id: string; site: string; category_id: string | null; feed: FeedSettings };

/** An item as its scraper reads it: known by its page, the normal form of its address; or why it cannot be told which it is. */
export type ReadItem =
  | { page: string; url: string; id: string | undefined; raw: RawRecord; hash: Buffer; isDeleted: boolean }
  | { problem: string };

/** What makes the same feed other records: a feed is known only to runs that would read it the same way. */
export const feedRulesOf = ({ feed, category_id: category, site }: FeedScraper, source: string): string =>
  createHash('sha256')
    .update(JSON.stringify([VERSION, feed, category, site, source]))
    .digest('base64url');

/** Reads the items of a scraper's feed. None may take the address of another site: there it could overwrite listings of others. */
export function createItemReader(scraper: FeedScraper): (item: FeedItem) => ReadItem {
  const map = compileMapping(resolveMapping(scraper.feed), { site: scraper.site, scraperId: scraper.id });
  const rules = feedRulesOf(scraper, '');
  return (item) => {
    if ('problem' in item) return item;
    const mapped = map(item.node);
    if ('problem' in mapped) return mapped;
    const { raw, id, isDeleted } = mapped;
    if (!isWithinSite(URL.parse(raw.url)?.hostname ?? '', scraper.site))
      return { problem: `The address ${raw.url.slice(0, 200)} is not on the site ${scraper.site}.` };
    try {
      const page = normalizeUrl(raw.url);
      const hash = createHash('sha256').update(rules).update(JSON.stringify(raw)).digest();
      return { page, url: raw.url, id, raw, hash, isDeleted };
    } catch (error) {
      if (error instanceof ServiceError) return { problem: error.message };
      throw error;
    }
  };
}
