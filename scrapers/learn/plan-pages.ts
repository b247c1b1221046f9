import { shapeOf } from '../extract/url-shape.ts';
import { rankEntries } from './choose-entries.ts';
import { isPaged } from './pager-pages.ts';
import type { PageFacts } from './read-page-facts.ts';

/** Pages that are looked at beside the start page, at most. */
export const MAX_OTHER_PAGES = 20;

const FIRST_SAMPLES = [4, 2, 2];
const MAX_SAMPLES = 8;
const MAX_HUBS = 6;
const MAX_LIST_PAGES = 3;

/**
 * Plans which pages to look at next: the pages that follow a list, some of what it lists (of several candidates, until it is
 * known which are things), and where the start page lists little or has no further pages, pages that it leads to. Empty when enough is known.
 */
export function planPages(pages: readonly PageFacts[], asked: ReadonlySet<string>): string[] {
  const [start] = pages;
  const left = MAX_OTHER_PAGES + 1 - asked.size;
  if (!start || left <= 0) return [];
  const ranked = rankEntries(pages);
  const isNew = (url: string) => !asked.has(url);
  const plan = new Set<string>();
  const add = (urls: readonly string[]) => urls.filter(isNew).forEach((url) => plan.add(url));
  const [best] = ranked;
  if (!best || best.urls.length < 4 || (best.looked >= 3 && best.records === 0) || !best.lists.some(isPaged))
    add(hubsOf(start, new Set([...asked, ...(best?.urls ?? [])])).slice(0, MAX_HUBS + 1 - asked.size));
  if (!best) return [...plan].slice(0, left);
  if (best.lists.length < MAX_LIST_PAGES) add(best.lists.flatMap(({ pager: { next } }) => next ?? []));
  if (best.looked === 0) {
    for (const [index, { urls }] of ranked.slice(0, FIRST_SAMPLES.length).entries())
      add(spread(urls.filter(isNew), FIRST_SAMPLES[index] ?? 0));
  } else if (best.records > 0) add(spread(best.urls.filter(isNew), MAX_SAMPLES - best.looked));
  return [...plan].slice(0, left);
}

/** Pages of a site that may list things: the first of each kind of address that its start page leads to, as menus come first. */
function hubsOf({ links }: PageFacts, known: ReadonlySet<string>): string[] {
  const byShape = Map.groupBy(
    links.filter((link) => !known.has(link)),
    (link) => shapeOf(link).key,
  );
  const groups = [...byShape.values()].toSorted((a, b) => b.length - a.length).slice(0, MAX_HUBS / 2);
  return groups.flatMap((group) => group.slice(0, 2));
}

/** Some of many, evenly from the first to the last. */
function spread(urls: readonly string[], count: number): string[] {
  if (count <= 0) return [];
  if (urls.length <= count) return [...urls];
  return Array.from(
    { length: count },
    (_, index) => urls[Math.floor((index * (urls.length - 1)) / Math.max(1, count - 1))] ?? '',
  );
}
