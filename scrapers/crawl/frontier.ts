import { normalizeUrl } from '../../shared/ingest/normalized-url.ts';
import { compilePattern, type UrlPattern } from '../../shared/scrapers/pattern.ts';
import { isOnSite, type SiteScope } from '../../shared/scrapers/site.ts';
import type { CrawlSpec, CrawlState, Target } from './spec.ts';
import type { Sitemap } from '../extract/sitemap.ts';

export type TargetKind = Target['kind'];

/** What a page leads to: all its links, and the page after it. */
export type PageLinks = { links: readonly string[]; next: string | undefined };

const notPages =
  /\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|heic|css|m?js|json|xml|rss|atom|txt|csv|pdf|docx?|xlsx?|pptx?|zip|gz|rar|7z|tar|dmg|exe|apk|mp[34]|m4[av]|mov|avi|webm|wav|ogg|woff2?|ttf|eot)$/i;

/** Start URLs that are no pages: sitemaps of any kind, and robots.txt, which names some. */
const sitemaps =
  /\.(?:xml|rss|atom|txt)(?:\.gz)?$(?<=\.(?:xml|rss|atom)(?:\.gz)?|\/robots\.txt(?:\.gz)?|sitemap[^/]*\.txt(?:\.gz)?)/i;
const MAX_SITEMAPS = 500;
const MAX_LINKS_KEPT = 50;
const MAX_JUDGED = 20_000;
const MAX_AHEAD = 50;

type Judged = { key: string | undefined; isOnSite: boolean; isFile: boolean };

export type Frontier = ReturnType<typeof createFrontier>;

/**
 * The pages of one crawl: which are to be visited, each once however it is spelled, on the site alone, and `max_pages` of
 * them at most. It takes up where `spec.resume` left off.
 */
export function createFrontier(spec: CrawlSpec) {
  const scope: SiteScope = { site: spec.site, startUrls: spec.start_urls };
  const isRecord = spec.link_pattern === null ? undefined : compilePattern(spec.link_pattern);
  const isList = spec.pagination_pattern === null ? undefined : compilePattern(spec.pagination_pattern);
  const pending = new Map<string, Target>();
  const done = new Set<string>(spec.resume?.done);
  const begun = new Set<string>(done);
  const claimed = new Set<string>();
  const sitemapsBegun = new Set<string>();
  // A site without an end may not fill the memory; far more than are visited are never needed.
  const mostKnown = 5 * spec.max_pages + 1_000;
  const judge = createJudge(scope);

  function accept(url: string, kind: TargetKind, lastmod?: number): Target | undefined {
    const { key } = judge(url);
    if (key === undefined || pending.has(key) || done.has(key) || pending.size + done.size >= mostKnown)
      return undefined;
    const target = { key, url, kind, ...(lastmod !== undefined && { lastmod }) };
    pending.set(key, target);
    return target;
  }

  const acceptAll = (urls: readonly string[], kindOf: (index: number) => TargetKind | undefined): Target[] =>
    urls.flatMap((url, index) => {
      const kind = kindOf(index);
      return (kind && accept(url, kind)) ?? [];
    });

  /** Why each of some URLs of the site is to be visited; undefined for those that are not. */
  function kindsOf(urls: readonly string[]): (TargetKind | undefined)[] {
    const matches = matchAll(urls, isRecord, isList);
    return urls.map((url, index) => {
      if (matches.list[index]) return 'list';
      if (matches.record[index]) return 'record';
      return isRecord || judge(url).isFile ? undefined : 'any';
    });
  }

  return {
    scope,

    /** Where the crawl begins. */
    start(): Target[] {
      for (const target of spec.resume?.pending ?? []) pending.set(target.key, target);
      const matches = matchAll(spec.start_urls, isRecord, isList);
      acceptAll(spec.start_urls, (index) => {
        if (matches.record[index]) return 'record';
        if (sitemaps.test(URL.parse(spec.start_urls[index] ?? '')?.pathname ?? '')) return 'sitemap';
        return isRecord || matches.list[index] ? 'list' : 'any';
      });
      return [...pending.values()];
    },

    /** The pages to visit that a page leads to and that were not known. A pattern that takes too long throws. */
    discover(from: Target, { links, next }: PageLinks): Target[] {
      const onSite = links.filter((link) => judge(link).isOnSite);
      const kinds = kindsOf(onSite);
      const found = acceptAll(onSite, (index) => kinds[index]);
      const followsNext = !isList && from.kind !== 'record' && next !== undefined && judge(next).isOnSite;
      return followsNext ? [...found, ...acceptAll([next], () => (isRecord ? 'list' : 'any'))] : found;
    },

    /** The pages to visit that a sitemap lists and that were not known, what changed last first, and further sitemaps. */
    discoverListed({ pages, sitemaps: others }: Sitemap): Target[] {
      const onSite = pages.filter(({ url }) => isOnSite(url, scope));
      const newestFirst = onSite.toSorted((a, b) => (b.lastmod ?? 0) - (a.lastmod ?? 0));
      const kinds = kindsOf(newestFirst.map(({ url }) => url));
      const found = newestFirst.flatMap(({ url, lastmod }, index) => {
        const kind = kinds[index];
        return (kind && accept(url, kind, lastmod)) ?? [];
      });
      const further = others.filter((url) => isOnSite(url, scope));
      return [...acceptAll(further, () => 'sitemap'), ...found];
    },

    /** Those of a page's links that are worth remembering: it need not be read again to know where it leads. */
    worthKeeping(links: readonly string[]): string[] {
      if (!isRecord) return [];
      const onSite = links.filter((link) => judge(link).isOnSite);
      const kinds = kindsOf(onSite);
      return onSite.filter((_, index) => kinds[index] !== undefined).slice(0, MAX_LINKS_KEPT);
    },

    /** The keys of record pages that will be visited after this one, at most `most` and fifty. */
    following({ key }: Target, most: number): string[] {
      const keys: string[] = [];
      let isAfter = false;
      for (const target of pending.values()) {
        if (keys.length >= Math.min(most, MAX_AHEAD)) break;
        if (isAfter && target.kind === 'record' && !begun.has(target.key)) keys.push(target.key);
        isAfter ||= target.key === key;
      }
      return keys;
    },

    /** Offers the page of one record; true when it is going to be visited, or was. */
    willVisit(url: string): boolean {
      const { key, isOnSite } = judge(url);
      if (key === undefined || !isOnSite) return false;
      return begun.has(key) || (pending.has(key) && begun.size + pending.size <= spec.max_pages);
    },

    /** True when the page was dealt with, maybe under another address that leads to it. */
    isDone: ({ key }: Target): boolean => done.has(key) || claimed.has(key),

    /** Takes one page of the budget; false when it is used up. A page tried again takes none, and sitemaps have their own. */
    begin({ key, kind }: Target): boolean {
      if (kind === 'sitemap') return sitemapsBegun.add(key).size <= MAX_SITEMAPS;
      if (begun.has(key)) return true;
      if (begun.size >= spec.max_pages) return false;
      begun.add(key);
      return true;
    },

    /** Gives a page back that was not asked for after all, such as one that robots.txt forbids. */
    giveBack({ key }: Target): void {
      begun.delete(key);
      pending.delete(key);
      done.add(key);
    },

    /** Claims the address a page was found at after redirects; false when that page is another's, done or under way. */
    claim({ key }: Target, foundAt: string): boolean {
      const other = pageKeyOf(foundAt);
      if (other === undefined || other === key) return true;
      if (begun.has(other)) return false;
      begun.add(other);
      claimed.add(other);
      return true;
    },

    /** Notes that a page is dealt with and what it held is on its way: no later crawl takes it up. */
    finish({ key }: Target, foundAt?: string): void {
      for (const dealtWith of [key, foundAt === undefined ? undefined : pageKeyOf(foundAt)]) {
        if (dealtWith === undefined) continue;
        pending.delete(dealtWith);
        done.add(dealtWith);
      }
    },

    /** How many pages are known; the size of `state`. */
    size: (): number => done.size + pending.size,

    state: (): CrawlState => ({ done: [...done], pending: [...pending.values()] }),
  };
}

/** What the links of a page are to the crawl, whatever its patterns say; menus bring the same ones on every page. */
function createJudge(scope: SiteScope) {
  let known = new Map<string, Judged>();
  return (url: string): Judged => {
    const before = known.get(url);
    if (before) return before;
    const isFile = notPages.test(URL.parse(url)?.pathname ?? '');
    const judged = { key: pageKeyOf(url), isOnSite: isOnSite(url, scope), isFile };
    if (known.size >= MAX_JUDGED) known = new Map();
    known.set(url, judged);
    return judged;
  };
}

function matchAll(urls: readonly string[], isRecord: UrlPattern | undefined, isList: UrlPattern | undefined) {
  return { record: isRecord?.(urls) ?? [], list: isList?.(urls) ?? [] };
}

/** The key of a page: its canonical URL; undefined for what cannot be a page. */
export function pageKeyOf(url: string): string | undefined {
  try {
    return normalizeUrl(url);
  } catch {
    return undefined;
  }
}
