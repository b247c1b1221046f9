import type { IngestRecord, RawRecord } from '../../shared/normalize/record-type.ts';
import type { Normalize } from '../../shared/scrapers/site-normalizer.ts';
import { pageKeyOf } from './frontier.ts';
import type { PageContent } from './page-content.ts';
import type { PageNews } from './report.ts';
import type { ReadPage, Target } from './spec.ts';
import type { LoadedPage, Validators } from '../load/http-page.ts';

/** Lets each record of a crawl through once: a page's own record wins over the entry of a list, if it comes first. */
export function createRecordFilter() {
  const own = new Set<string>();
  const listed = new Set<string>();
  return (raw: Pick<RawRecord, 'url'>, isOwn: boolean): boolean => {
    const key = pageKeyOf(raw.url) ?? raw.url;
    if (own.has(key) || (!isOwn && listed.has(key))) return false;
    (isOwn ? own : listed).add(key);
    return true;
  };
}

/** What a page tells: the chosen records of it, why others are no listings, and what the next crawl should know of it. */
export function tellPage(
  target: Target,
  { own, validators, links }: { own: RawRecord | undefined; validators: Validators | undefined; links: string[] },
  chosen: readonly RawRecord[],
  normalize: Normalize,
): Pick<PageNews, 'records' | 'errors' | 'pages' | 'counts'> {
  const found = chosen.map((raw) => ({ raw, normalized: normalize(raw) }));
  const records = found.flatMap(({ normalized }) => ('record' in normalized ? normalized.record : []));
  const errors = found.flatMap(({ raw, normalized }) =>
    'reason' in normalized ? { url: raw.url, message: `No listing: ${normalized.reason}.` } : [],
  );
  const unusable = errors.length > 0 ? { records_unusable: errors.length } : {};
  const [record] = records;
  const pages =
    own && record && target.kind === 'record' ? rememberedPage(target.key, own, record, validators, links) : [];
  return { counts: { pages_fetched: 1, ...unusable }, records, errors, pages };
}

/** What a known page tells now: its record, the words that the thing is gone, or nothing of the kind. */
export function tellKnownPage(
  { key, url }: Target,
  { url: foundAt, validators }: Pick<LoadedPage, 'url' | 'validators'>,
  content: PageContent,
  normalize: Normalize,
): Partial<PageNews> {
  const counts = { pages_fetched: 1 };
  const isMoved = !isSamePage(foundAt, url) && (content.own === undefined || pageKeyOf(content.own.url) !== key);
  if (isMoved) return { counts, errors: [{ url, message: 'The page leads elsewhere now.' }] };
  const found = content.own && normalize({ ...content.own, url });
  if (found && 'record' in found) {
    const { scraped_at: scrapedAt } = found.record;
    const pages = scrapedAt === undefined ? [] : [{ page: key, record: key, ...validators, links: [], scrapedAt }];
    return { counts, records: [found.record], pages };
  }
  if (content.saysOver) return { counts, gone: [url] };
  return { counts, errors: [{ url, message: 'There is no listing on the page any more.' }] };
}

function rememberedPage(
  page: string,
  own: RawRecord,
  { scraped_at: scrapedAt }: IngestRecord,
  validators: Validators | undefined,
  links: string[],
): ReadPage[] {
  const record = pageKeyOf(own.url);
  return record === undefined || scrapedAt === undefined ? [] : [{ page, record, ...validators, links, scrapedAt }];
}

/** True when one address only spells the other differently: another scheme, `www.` or a slash at its end. */
function isSamePage(a: string, b: string): boolean {
  const bare = (url: string) => (pageKeyOf(url) ?? url).replace(/^https?:\/\/(?:www\.)?/, '');
  return bare(a) === bare(b);
}
