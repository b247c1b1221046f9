import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { isOnSite, type SiteScope } from '../../shared/scrapers/site.ts';
import { pageRecords, type ExtractOptions } from '../extract/extract-page.ts';
import { collectPageLinks } from '../extract/links.ts';
import { listingLinks } from '../extract/listing-links.ts';
import { headingSaysGone } from '../extract/gone-heading.ts';
import { nextPage } from '../extract/next-page.ts';
import { parsePage } from '../extract/page.ts';
import type { PageLinks } from './frontier.ts';
import { readCodedSite } from '../sites/registry.ts';

/** A page, and how the pages of its site are read. */
export type PageToRead = { html: string; url: string; scope: SiteScope; extract: ExtractOptions };

/** What a page holds: its own record, the entries of a list, and where it leads. */
export type PageContent = PageLinks & {
  own: RawRecord | undefined;
  entries: RawRecord[];
  /** The page is none of a thing, and says in its heading that what was here is sold or over. */
  saysOver: boolean;
};

/** Answers as soon as the thread that reads pages has started. */
export const waitUntilReady = (): void => {};

/** Reads a page as the task of that thread. */
export default ({ html, url, scope, extract }: PageToRead): PageContent => readPageContent(html, url, scope, extract);

/**
 * Reads a page of the site. A record is known by its URL, so one that names a page of another site, or calls the home page
 * its own, gets the address it was found at: no site can overwrite the listings of another.
 */
export function readPageContent(html: string, url: string, scope: SiteScope, extract: ExtractOptions): PageContent {
  const page = parsePage(html, url);
  const found = (readCodedSite(page) ?? pageRecords(page, extract)).map((raw) => ({
    ...raw,
    url: safeUrl(raw.url, url, scope),
  }));
  const entries = found.length > 1 ? found : [];
  const links = collectPageLinks(page);
  const next = nextPage(page);
  // What the page lists and the page after it come before the menus: a crawl of few pages sees things, not imprints.
  const first = [...listingLinks(page), ...entries.map((entry) => entry.url), ...links.filter((link) => link === next)];
  const own = found.length === 1 ? found[0] : undefined;
  return { own, entries, links: [...new Set([...first, ...links])], next, saysOver: !own && headingSaysGone(page) };
}

function safeUrl(claimed: string, foundAt: string, scope: SiteScope): string {
  if (!isOnSite(claimed, scope)) return foundAt;
  const isHome = (url: string) => new URL(url).pathname === '/' && new URL(url).search === '';
  return isHome(claimed) && !isHome(foundAt) ? foundAt : claimed;
}
