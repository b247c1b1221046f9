import { normalizeUrl } from '../../shared/ingest/normalized-url.ts';
import { compilePattern, type UrlPattern } from '../../shared/scrapers/pattern.ts';
import { isOnSite, type SiteScope } from '../../shared/scrapers/site.ts';
import type { CrawlSpec, Target } from './spec.ts';
import type { Sitemap } from '../load/sitemap.ts';

/** What a page leads to: all its links, and the page after it. */
export type PageLinks = { links: readonly string[]; next: string | undefined };

const notPages =
  /\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|heic|css|m?js|json|xml|rss|atom|txt|csv|pdf|docx?|xlsx?|pptx?|zip|gz|rar|7z|tar|dmg|exe|apk|mp[34]|m4[av]|mov|avi|webm|wav|ogg|woff2?|ttf|eot)$/i;

/** Start URLs that are no pages: sitemaps of any kind, and robots.txt, which names some. */
const sitemaps =
  /\.(?:xml|rss|atom|txt)(?:\.gz)?$(?<=\.(?:xml|rss|atom)(?:\.gz)?|\/robots\.txt(?:\.gz)?|sitemap[^/]*\.txt(?:\.gz)?)/i;
const MAX_LINKS_KEPT = 50;
const MAX_JUDGED = 20_000;

type Kind = Target['kind'];
type Judged = { key: string | undefined; isOnSite: boolean; isFile: boolean };

export type Frontier = ReturnType<typeof createFrontier>;

/**
 * The frontier of a focused crawl: which addresses lead on, and why each is visited, by the patterns of a scraper; nothing but
 * the site counts. A pattern that takes too long throws. What was seen already is the request queue's to tell.
 */
export function createFrontier(spec: CrawlSpec, patternMs?: number) {
  const scope: SiteScope = { site: spec.site, startUrls: spec.start_urls };
  const isRecord = spec.link_pattern === null ? undefined : compilePattern(spec.link_pattern, patternMs);
  const isList = spec.pagination_pattern === null ? undefined : compilePattern(spec.pagination_pattern, patternMs);
  const judge = createJudge(scope);

  function targetOf(url: string, kind: Kind | undefined, lastmod?: number): Target[] {
    const { key } = judge(url);
    if (key === undefined || kind === undefined) return [];
    return [{ key, url, kind, ...(lastmod !== undefined && { lastmod }) }];
  }

  /** Why each of some URLs of the site is to be visited; undefined for those that are not. */
  function kindsOf(urls: readonly string[]): (Kind | undefined)[] {
    const matches = matchAll(urls, isRecord, isList);
    return urls.map((url, index) => {
      if (matches.list[index]) return 'list';
      if (matches.record[index]) return 'record';
      return isRecord || judge(url).isFile ? undefined : 'any';
    });
  }

  return {
    scope,

    /** The key of a page of the site; undefined for every other address. */
    keyOnSite(url: string): string | undefined {
      const { key, isOnSite: isOurs } = judge(url);
      return isOurs ? key : undefined;
    },

    /** Where the crawl begins. */
    start(): Target[] {
      const matches = matchAll(spec.start_urls, isRecord, isList);
      return spec.start_urls.flatMap((url, index) => {
        if (matches.record[index]) return targetOf(url, 'record');
        if (sitemaps.test(URL.parse(url)?.pathname ?? '')) return targetOf(url, 'sitemap');
        return targetOf(url, isRecord || matches.list[index] ? 'list' : 'any');
      });
    },

    /** The pages that a page leads to. */
    follow(from: Target, { links, next }: PageLinks): Target[] {
      const onSite = links.filter((link) => judge(link).isOnSite);
      const kinds = kindsOf(onSite);
      const found = onSite.flatMap((link, index) => targetOf(link, kinds[index]));
      const followsNext = !isList && from.kind !== 'record' && next !== undefined && judge(next).isOnSite;
      return followsNext ? [...found, ...targetOf(next, isRecord ? 'list' : 'any')] : found;
    },

    /** The pages that a sitemap lists, what changed last first, after further sitemaps. */
    followListed({ pages, sitemaps: others }: Sitemap): Target[] {
      const onSite = pages.filter(({ url }) => isOnSite(url, scope));
      const newestFirst = onSite.toSorted((a, b) => (b.lastmod ?? 0) - (a.lastmod ?? 0));
      const kinds = kindsOf(newestFirst.map(({ url }) => url));
      const found = newestFirst.flatMap(({ url, lastmod }, index) => targetOf(url, kinds[index], lastmod));
      const further = others.filter((url) => isOnSite(url, scope));
      return [...further.flatMap((url) => targetOf(url, 'sitemap')), ...found];
    },

    /** Those of a page's links that are worth remembering: it need not be read again to know where it leads. */
    worthKeeping(links: readonly string[]): string[] {
      if (!isRecord) return [];
      const onSite = links.filter((link) => judge(link).isOnSite);
      const kinds = kindsOf(onSite);
      return onSite.filter((_, index) => kinds[index] !== undefined).slice(0, MAX_LINKS_KEPT);
    },
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
