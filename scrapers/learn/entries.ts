import { isElement } from '../../shared/kit/html/dom.ts';
import { lineOf } from '../../shared/kit/html/text.ts';
import { ancestorsOf, nameWordsOf } from '../extract/layout.ts';
import { findClusters, readCard, type LinkCard } from '../extract/link-cards.ts';
import { listedCards } from '../extract/listing-links.ts';
import type { Page } from '../extract/page.ts';

/** Links of a page that may lead to the things it lists; `score` compares the clusters of one page. */
export type EntryCluster = { urls: string[]; score: number };

const MIN_ENTRIES = 4;
const MAX_READ = 60;
const MAX_CLUSTERS = 12;
/** A label that may be the name of a thing. */
const MIN_NAME = 12;
const MIN_SECTIONS = 0.3;
const SECTION_WEIGHT = 3;
const FILE = /\.(?:jpe?g|png|gif|webp|avif|svg|bmp|pdf|zip|mp[34]|css|js|xml|rss)$/i;
const AWAY =
  /(?:^|[/_.?&=-])(?:page|paged|tags?|category|categories|author|authors|user|users|members?|membre|profile|login|signin|register|search|share|comment|comments|reply|replytocom|feed|rss|archive|archives|calendar|privacy|terms|contact|about|imprint|impressum|help|support|faq|cart|basket|wishlist|whoposted)(?=$|[/_.?&=\d-])/i;

/**
 * The clusters of a page's links that may be what it lists, best first: links whose addresses are built alike (by their
 * folders, or by how their last part ends) and that stand at like places in the page. What general extraction takes for
 * listings leads where it shows prices; text lists (threads, articles) compete with the rest.
 */
export function findEntryClusters(page: Page): EntryCluster[] {
  const listed = listedCards(page).filter(({ url }) => !isFile(url));
  const known = new Set(listed.map(({ url }) => url));
  const priced = new Set(listed.flatMap(({ url, isPriced }) => (isPriced ? url : [])));
  const shapes = findClusters(page).map(({ cards }) => cards().filter(({ isAway, url }) => !isAway && !isFile(url)));
  const all = shapes.flat();
  const toSections = sectionPenalty(all);
  const found = new Map<string, EntryCluster>();
  for (const cards of [
    ...shapes,
    ...regroup(all, endingOf),
    ...regroup(all, (card) => placeOf(card) + endingOf(card)),
    ...regroup(all, placeOf),
  ]) {
    const urls = cards.map(({ url }) => url);
    const key = urls.toSorted().join(' ');
    if (cards.length < MIN_ENTRIES || found.has(key)) continue;
    const trust = urls.filter((url) => known.has(url)).length / urls.length;
    const price = urls.filter((url) => priced.has(url)).length / urls.length;
    found.set(key, { urls, score: scoreOf(cards) + trust * 2 + price * 2 - toSections(urls) });
  }
  if (listed.length >= 3) {
    const cards = all.filter(({ url }) => known.has(url));
    const base = (cards.length >= 3 ? scoreOf(cards) : 0) - toSections([...known]);
    found.set([...known].toSorted().join(' '), {
      urls: [...known],
      score: base + 2 + (priced.size > known.size / 2 ? 2 : 0),
    });
  }
  return [...found.values()]
    .filter(({ score }) => score > 0.5)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_CLUSTERS);
}

const isFile = (url: string): boolean => FILE.test(new URL(url).pathname);

const isUnlikely = (urls: readonly string[]): boolean =>
  urls.filter((url) => AWAY.test(url.replace(/^https?:\/\/[^/?#]+/, ''))).length > urls.length / 2;

function regroup(cards: readonly LinkCard[], keyOf: (card: LinkCard) => string): LinkCard[][] {
  const groups = new Map<string, LinkCard[]>();
  for (const card of cards) groups.set(keyOf(card), [...(groups.get(keyOf(card)) ?? []), card]);
  return [...groups.values()].filter(({ length }) => length >= MIN_ENTRIES);
}

/** Depth, how the last part begins and ends around its numbers, and the names of the query: `3 #- -t#.html`. */
function endingOf({ url }: LinkCard): string {
  const { pathname, searchParams } = new URL(url);
  const parts = pathname.split('/').filter((part) => part !== '');
  const last = (parts.at(-1) ?? '').replaceAll(/%[0-9a-f]{2}/gi, 'x');
  const tail =
    /(?:[-_.,;]?[a-z]{0,6}-?\d{1,20}(?:[-_]\d{1,20})?)?(?:\.[a-z]{2,5})?$/i.exec(last)?.[0].replaceAll(/\d+/g, '#') ??
    '';
  const lead = /^\d+[-_.,;]?/.exec(last)?.[0].replaceAll(/\d+/g, '#') ?? '';
  return [parts.length, lead, tail, ...new Set(searchParams.keys())].join(' ');
}

/** Long and different labels, numbers in the address, headings, like places in the page; menus have short labels. */
function scoreOf(cards: readonly LinkCard[]): number {
  const read = cards.slice(0, MAX_READ);
  const share = (has: (card: LinkCard) => boolean) => read.filter(has).length / read.length;
  const looks = read.map((card) => readCard(card));
  const labels = looks.map(({ label }) => label);
  const long = labels.filter((label) => label.length >= 15).length / labels.length;
  const different = new Set(labels.map((label) => label.toLowerCase())).size / labels.length;
  const places = regroupCount(read.map(placeOf));
  const numbered = share(({ url }) => /\d/.test(new URL(url).pathname.split('/').findLast(Boolean) ?? url));
  const away = isUnlikely(cards.map(({ url }) => url)) ? 4 : 0;
  const many = Math.min(Math.log2(cards.length) / 2.5, 4);
  const priced = looks.filter(({ hasPrice }) => hasPrice).length / looks.length;
  const named = share(({ anchors }) => anchors.some((anchor) => lineOf(anchor, 60).length >= 8));
  const headed = share(({ anchors }) => anchors.some(isHeaded));
  // Built alike to the last letter, and with something told of each.
  const alike = regroupCount(cards.map(endingOf)) / cards.length;
  const told = looks.reduce((sum, { length }) => sum + Math.min(length, 400), 0) / looks.length / 400;
  const shown = looks.filter(({ hasImage }) => hasImage).length / looks.length;
  const looksGood = long * 2.5 + named + different + (places / read.length) * 2 + headed * 1.5 + many;
  const isToldOf = told + shown * 0.5 + priced * 3;
  return looksGood + isToldOf + numbered * 0.8 + alike * 1.5 - away - 6;
}

/** What a cluster loses whose addresses have things with a name below them on the same page: they are sections, not things. */
function sectionPenalty(cards: readonly LinkCard[]): (urls: readonly string[]) => number {
  const named = cards.filter((card) => readCard(card).label.length >= MIN_NAME);
  const sections = new Set(named.flatMap(({ url }) => foldersAbove(url)));
  return (urls) => {
    const share = urls.filter((url) => sections.has(folderOf(url))).length / urls.length;
    return share >= MIN_SECTIONS ? share * SECTION_WEIGHT : 0;
  };
}

/** The folder of what stands below an address: `/boats` for `/boats/`, `/boats.html` and `/boats?page=2`. */
function folderOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + (pathname.replace(/(?:\/|\.[a-z]{2,5})$/i, '') || '/');
}

function foldersAbove(url: string): string[] {
  const { host, pathname } = new URL(url);
  const parts = pathname.split('/').filter(Boolean).slice(0, -1);
  return parts.map((_, index) => `${host}/${parts.slice(0, index + 1).join('/')}`);
}

function regroupCount(keys: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return Math.max(...counts.values());
}

const isHeaded = (anchor: LinkCard['anchors'][number]): boolean =>
  [...ancestorsOf(anchor, 3), ...anchor.children.filter(isElement)].some(({ name }) => /^h[1-4]$/.test(name));

function placeOf({ anchors: [anchor] }: LinkCard): string {
  if (!anchor) return '';
  return [anchor, ...ancestorsOf(anchor, 3)]
    .map((element) => `${element.name}.${nameWordsOf(element)[1] ?? ''}`)
    .join('<');
}
