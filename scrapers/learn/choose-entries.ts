import { induceLinkPattern, type InducedPattern } from './link-pattern.ts';
import { isRecordPage, type PageFacts } from './read-page-facts.ts';

/** What a site lists: the pages that list, the addresses of what they list, and how those are built. */
export type Entries = {
  lists: PageFacts[];
  urls: string[];
  induced: InducedPattern;
  /** Pages of things that were looked at, and how many of them hold one record. */
  looked: number;
  records: number;
};

const MAX_CLUSTERS = 5;
/** How much looking at the linked pages weighs against how the links look. */
const RECORD_WEIGHT = 60;

/**
 * Chooses what a site lists among the clusters of links of its pages, by how the links look and by what the linked pages
 * turned out to be; the best first. Of several pages the one that lists most leads, and the start page before all others.
 */
export function rankEntries(pages: readonly PageFacts[]): Entries[] {
  const [start, ...rest] = pages;
  if (!start) return [];
  const hubs = [start, ...rest.filter((page) => !isRecordPage(page))].filter(({ clusters }) => clusters.length > 0);
  const ranked = hubs.flatMap((hub) =>
    hub.clusters.slice(0, MAX_CLUSTERS).flatMap((cluster) => {
      const others = hub.links.filter((link) => !cluster.urls.includes(link));
      const induced = induceLinkPattern(cluster.urls, others, hub.url);
      if (!induced) return [];
      const entries = gatherEntries(pages, hub, cluster.urls, induced);
      const share = entries.looked === 0 ? 0.5 : entries.records / entries.looked;
      const certainty = Math.min(entries.looked, 3) / 3;
      const isStart = hub === start ? 8 : 0;
      const score =
        cluster.score + isStart + RECORD_WEIGHT * (share - 0.5) * certainty + Math.min(entries.urls.length, 40) / 10;
      return [{ entries, score }];
    }),
  );
  return ranked.toSorted((a, b) => b.score - a.score).map(({ entries }) => entries);
}

/** Adds what other pages list of the same kind, and induces the pattern once more from all of it. */
function gatherEntries(
  pages: readonly PageFacts[],
  hub: PageFacts,
  urls: readonly string[],
  first: InducedPattern,
): Entries {
  const matches = new RegExp(first.pattern); // built at run time: from classes and escaped parts of addresses of 2,048 characters at most
  const lists = [hub];
  const all = new Set(urls);
  for (const page of pages) {
    if (page === hub || isRecordPage(page)) continue;
    const alike = page.clusters.find(
      (cluster) => cluster.urls.filter((url) => matches.test(url)).length > cluster.urls.length / 2,
    );
    if (!alike) continue;
    lists.push(page);
    for (const url of alike.urls) all.add(url);
  }
  const strangers = lists.flatMap(({ links }) => links.filter((link) => !all.has(link)));
  const induced = (lists.length > 1 && induceLinkPattern([...all], strangers, hub.url)) || first;
  const own = new RegExp(induced.pattern); // built at run time: from classes and escaped parts of addresses of 2,048 characters at most
  const looked = pages.filter(
    (page) => page !== hub && !lists.includes(page) && (all.has(page.url) || own.test(page.url)),
  );
  return { lists, urls: [...all], induced, looked: looked.length, records: looked.filter(isRecordPage).length };
}
