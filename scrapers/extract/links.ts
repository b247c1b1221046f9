import { parsePage, resolveUrl } from './page.ts';
import type { Page } from './page.ts';

const MAX_LINKS = 20_000;
/** Addresses are resolved by several readers of a page, and those of menus come back on every page of a site. */
const MAX_RESOLVED = 5_000;
/** A path from the root that no rule of reading addresses can turn into another host. */
const ROOTED = /^\/(?!\/)[\w\-.~%/?=&;,+:@]*$/;
type Resolved = { base: string; known: Map<string, string | undefined> };
/** Of the page read last, and from the root of its site. */
const resolved: { page: Resolved; site: Resolved } = {
  page: { base: '', known: new Map() },
  site: { base: '', known: new Map() },
};

/**
 * The absolute http(s) addresses a page links to, each once, in document order, fragments dropped, `<base href>` respected;
 * only those the pattern matches when one is given. The page's own address is left out.
 */
export function findPageLinks(html: string, url: string, pattern?: RegExp): string[] {
  return collectPageLinks(parsePage(html, url), pattern);
}

/** `findLinks` of a page that is already parsed. */
export function collectPageLinks(page: Page, pattern?: RegExp): string[] {
  const own = resolveUrl(page.url, page.url);
  const links = new Set<string>();
  for (const { name, attribs } of page.elements) {
    if ((name !== 'a' && name !== 'area') || attribs.href === undefined || links.size >= MAX_LINKS) continue;
    const link = linkAddress(attribs.href, page.base);
    if (link !== undefined && link !== own && matchesPattern(pattern, link)) links.add(link);
  }
  return [...links];
}

/** The absolute address of an `href`, without its fragment; undefined for a bare fragment or another scheme. */
export function linkAddress(href: string, base: string): string | undefined {
  if (href.trim().startsWith('#')) return undefined;
  const root = ROOTED.test(href) ? rootOf(base) : undefined;
  const known = root === undefined ? knownOf('page', base) : knownOf('site', root);
  if (known.has(href)) return known.get(href);
  const url = resolveUrl(href, base);
  known.set(href, url);
  return url;
}

function knownOf(place: keyof typeof resolved, base: string): Resolved['known'] {
  const { base: last, known } = resolved[place];
  if (last === base && known.size < MAX_RESOLVED) return known;
  resolved[place] = { base, known: new Map() };
  return resolved[place].known;
}

const rootOf = (base: string): string | undefined => /^https?:\/\/[^/?#\\]+(?=\/)/i.exec(base)?.[0];

/** True when there is no pattern or it matches; a global or sticky pattern starts anew each time. */
export function matchesPattern(pattern: RegExp | undefined, text: string): boolean {
  if (!pattern) return true;
  pattern.lastIndex = 0;
  return pattern.test(text);
}
