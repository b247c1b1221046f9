import { parsePage, resolveUrl } from './page.ts';
import type { Page } from './page.ts';

const MAX_LINKS = 20_000;

/**
 * The absolute http(s) addresses a page links to, each once, in document order, fragments dropped, `<base href>` respected;
 * only those the pattern matches when one is given. The page's own address is left out.
 */
export function findLinks(html: string, url: string, pattern?: RegExp): string[] {
  return pageLinks(parsePage(html, url), pattern);
}

/** `findLinks` of a page that is already parsed. */
export function pageLinks(page: Page, pattern?: RegExp): string[] {
  const own = resolveUrl(page.url, page.url);
  const links = new Set<string>();
  for (const { name, attribs } of page.elements) {
    if ((name !== 'a' && name !== 'area') || attribs.href === undefined || links.size >= MAX_LINKS) continue;
    const link = linkAddress(attribs.href, page.base);
    if (link !== undefined && link !== own && matches(pattern, link)) links.add(link);
  }
  return [...links];
}

/** The absolute address of an `href`, without its fragment; undefined for a bare fragment or another scheme. */
export function linkAddress(href: string, base: string): string | undefined {
  return href.trim().startsWith('#') ? undefined : resolveUrl(href, base);
}

/** True when there is no pattern or it matches; a global or sticky pattern starts anew each time. */
export function matches(pattern: RegExp | undefined, text: string): boolean {
  if (!pattern) return true;
  pattern.lastIndex = 0;
  return pattern.test(text);
}
