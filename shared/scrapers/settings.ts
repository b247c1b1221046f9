import { assertPublicUrl, FetchError } from '../adapters/fetch-guard.ts';
import type { Catalog } from '../catalog/tree.ts';
import { feedSettings, type SentFeedSettings } from '../feeds/mapping.ts';
import { resolveMapping } from '../feeds/presets.ts';
import { invalid, type FieldError } from '../kit/errors.ts';
import { isProxyUrl, withoutCredentials } from '../kit/proxy-url.ts';
import { patternProblem } from './pattern.ts';
import { isWithinSite, siteOf } from './site.ts';

/** CSS selectors by field of a record, for sites without structured data. */
export type Selectors = Partial<
  Record<
    | 'title'
    | 'description'
    | 'price'
    | 'currency'
    | 'sku'
    | 'brand'
    | 'model'
    | 'availability'
    | 'condition'
    | 'breadcrumbs'
    | 'category'
    | 'images'
    | 'location'
    | 'properties',
    string
  >
>;

export type Extract = { mode: 'structured' | 'selectors'; selectors?: Selectors };

/** Everything an admin decides about a scraper, named as in the API and in the table `scrapers`. */
export type ScraperSettings = {
  name: string;
  /** Host name in lower case. */
  site: string;
  kind: 'http' | 'browser' | 'feed';
  /** Of a feed its one address; none when it is uploaded. */
  start_urls: string[];
  link_pattern: string | null;
  pagination_pattern: string | null;
  extract: Extract;
  /** How a feed is read; null for the other kinds. */
  feed: SentFeedSettings | null;
  category_id: string | null;
  /** Five-field cron expression in UTC; null runs by hand only. */
  schedule: string | null;
  max_pages: number;
  requests_per_minute: number;
  respect_robots: boolean;
  /** HTTP proxies to go through, in turns, with their credentials; those of the service when null, none when empty. */
  proxy_urls: string[] | null;
  auto_publish: boolean;
  require_images: boolean;
  enabled: boolean;
};

export const defaultSettings = {
  kind: 'http',
  feed: null,
  link_pattern: null,
  pagination_pattern: null,
  extract: { mode: 'structured' },
  category_id: null,
  schedule: null,
  max_pages: 1_000,
  requests_per_minute: 60,
  respect_robots: true,
  proxy_urls: null,
  auto_publish: false,
  require_images: false,
  enabled: true,
} as const satisfies Partial<ScraperSettings>;

/** The host a scraper stays on when nobody names one: that of its first start URL; empty when that is no URL. */
export const defaultSite = (startUrls: readonly string[]): string => siteOf(startUrls[0] ?? '') ?? '';

type Rules = {
  catalog: Catalog;
  /** Hosts and networks that the guard against private addresses lets through. */
  fetchAllow: string[];
  /** The proxies of the service. */
  crawlProxyUrls: string[];
  listValidCategories: boolean;
  /** How long trying a pattern may take. */
  patternProbeMs: number;
  /** Throws for an expression that the scheduler cannot follow. */
  previewSchedule: (cron: string) => unknown;
};

/** Throws a validation_error that names every field the crawler could not work with. */
export async function checkSettings(settings: ScraperSettings, rules: Rules): Promise<void> {
  const unknownCategory = settings.category_id !== null && !rules.catalog.find(settings.category_id);
  const errors: FieldError[] = [
    ...(settings.kind === 'feed' ? feedProblems(settings, rules.fetchAllow) : siteProblems(settings, rules.fetchAllow)),
    ...problemAt(
      '/body/link_pattern',
      settings.link_pattern === null ? undefined : patternProblem(settings.link_pattern, rules.patternProbeMs),
    ),
    ...problemAt(
      '/body/pagination_pattern',
      settings.pagination_pattern === null
        ? undefined
        : patternProblem(settings.pagination_pattern, rules.patternProbeMs),
    ),
    ...problemAt('/body/category_id', unknownCategory ? `There is no category '${settings.category_id}'.` : undefined),
    ...problemAt(
      '/body/schedule',
      settings.schedule === null ? undefined : scheduleProblem(settings.schedule, rules.previewSchedule),
    ),
    ...(settings.proxy_urls ?? []).flatMap((url, index) =>
      problemAt(`/body/proxy_urls/${index}`, proxyProblem(url, rules)),
    ),
    ...(await selectorProblems(settings.extract)),
  ];
  if (errors.length === 0) return;
  const details = unknownCategory && rules.listValidCategories ? { valid_categories: rules.catalog.validIds() } : {};
  throw invalid('This scraper cannot work as described.', errors, details);
}

const problemAt = (path: string, message: string | undefined): FieldError[] =>
  message === undefined ? [] : [{ path, message }];

function siteProblems({ start_urls: urls, site, feed }: ScraperSettings, allow: string[]): FieldError[] {
  return [
    ...problemAt('/body/start_urls', urls.length === 0 ? 'A crawl needs a URL to start at.' : undefined),
    ...problemAt('/body/feed', feed === null ? undefined : "Only scrapers of the kind 'feed' have one."),
    ...urls.flatMap((url, index) => problemAt(`/body/start_urls/${index}`, urlProblem(url, site, allow))),
  ];
}

/** A feed may lie on another host than the pages of its items. */
function feedProblems({ start_urls: urls, site, feed, schedule }: ScraperSettings, allow: string[]): FieldError[] {
  const isUpload = urls.length === 0;
  return [
    ...problemAt(
      '/body/start_urls',
      urls.length > 1 ? 'A feed has one address, or none when it is uploaded.' : undefined,
    ),
    ...urls.flatMap((url, index) => problemAt(`/body/start_urls/${index}`, urlProblem(url, undefined, allow))),
    ...problemAt('/body/site', site === '' ? 'A feed that is uploaded needs the site of its items.' : undefined),
    ...problemAt(
      '/body/schedule',
      isUpload && schedule !== null ? 'A feed that is uploaded cannot follow a schedule.' : undefined,
    ),
    ...mappingProblems(feed),
  ];
}

/** What is wrong with how a feed is to be read. */
export function mappingProblems(feed: SentFeedSettings | null): FieldError[] {
  if (feed === null) return problemAt('/body/feed', 'A scraper of this kind needs to know how its feed is read.');
  const parsed = feedSettings.safeParse(feed);
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => ({ path: ['/body/feed', ...path].join('/'), message }));
  const { format, items, fields } = resolveMapping(parsed.data);
  return [
    ...problemAt(
      '/body/feed/fields',
      fields['url'] || fields['id'] ? undefined : 'Without a preset, name where the url or the id of an item is.',
    ),
    ...problemAt(
      '/body/feed/fields',
      fields['title'] ? undefined : 'Without a preset, name where the title of an item is.',
    ),
    ...problemAt(
      '/body/feed/items',
      format === 'xml' && items.length === 0 ? 'Name the path of the items, such as catalog/item.' : undefined,
    ),
  ];
}

function urlProblem(url: string, site: string | undefined, allow: string[]): string | undefined {
  try {
    const { hostname } = assertPublicUrl(url, allow);
    return site === undefined || isWithinSite(hostname, site) ? undefined : `This URL is not on the site ${site}.`;
  } catch (error) {
    if (error instanceof FetchError) return error.message;
    throw error;
  }
}

/** An admin's proxy is as public as what it leads to, unless the service uses it anyway. */
function proxyProblem(url: string, { fetchAllow, crawlProxyUrls }: Rules): string | undefined {
  if (!isProxyUrl(url)) return 'This is no proxy: http(s)://[user:password@]host[:port].';
  const shown = withoutCredentials(url);
  if (crawlProxyUrls.some((ours) => withoutCredentials(ours) === shown)) return undefined;
  try {
    assertPublicUrl(shown, fetchAllow);
    return undefined;
  } catch (error) {
    if (error instanceof FetchError) return error.message;
    throw error;
  }
}

function scheduleProblem(cron: string, preview: Rules['previewSchedule']): string | undefined {
  try {
    preview(cron);
    return undefined;
  } catch (error) {
    return `This is not a cron expression that ever comes due: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function selectorProblems({ mode, selectors = {} }: Extract): Promise<FieldError[]> {
  const named = Object.entries(selectors);
  if (mode === 'selectors' && named.length === 0)
    return problemAt('/body/extract/selectors', 'The mode selectors needs at least one selector.');
  if (named.length === 0) return [];
  const { load } = await import('cheerio');
  const page = load('<p>');
  return named.flatMap(([field, selector]) => {
    try {
      page(selector.replace(/@[A-Za-z][\w:-]*\s*$/, ''));
      return [];
    } catch {
      return problemAt(`/body/extract/selectors/${field}`, 'This is not a CSS selector.');
    }
  });
}
