import { shapeOf } from '../extract/url-shape.ts';
import { rankEntries } from './choose-entries.ts';
import type { PageFacts } from './read-page-facts.ts';

/** Pages that are looked at beside the start page, at most. */
export const MAX_OTHER_PAGES = 20;

const FIRST_SAMPLES = [4, 2, 2];
const MAX_SAMPLES = 8;
const MAX_HUBS = 6;
const MAX_LIST_PAGES = 3;

/**
 * Plans which pages to look at next: the pages that follow a list, some of what it lists (of several candidates, until it is
 * known which are things), and where the start page lists nothing, pages that it leads to. Empty when enough is known.
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
  if (!best || best.urls.length < 4 || (best.looked >= 3 && best.records === 0)) add(hubsOf(start, asked));
  if (!best) return [...plan].slice(0, left);
  if (best.lists.length < MAX_LIST_PAGES) add(best.lists.flatMap(({ pager: { next } }) => next ?? []));
  if (best.looked === 0) {
    for (const [index, { urls }] of ranked.slice(0, FIRST_SAMPLES.length).entries())
      add(spread(urls.filter(isNew), FIRST_SAMPLES[index] ?? 0));
  } else if (best.records > 0) add(spread(best.urls.filter(isNew), MAX_SAMPLES - best.looked));
  return [...plan].slice(0, left);
}

/** Pages of a site that may list things: some of each kind of address that its start page leads to. */
function hubsOf({ links }: PageFacts, asked: ReadonlySet<string>): string[] {
  if (asked.size > MAX_HUBS) return [];
  const byShape = new Map<string, string[]>();
  for (const link of links) {
    const { key } = shapeOf(link);
    byShape.set(key, [...(byShape.get(key) ?? []), link]);
  }
  const groups = [...byShape.values()].toSorted((a, b) => b.length - a.length).slice(0, MAX_HUBS / 2);
  return groups.flatMap((group) => spread(group, 2));
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
