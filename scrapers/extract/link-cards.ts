import { NUMBER_PATTERN } from '../../shared/normalize/amount.ts';
import { CURRENCY_PATTERN } from '../../shared/normalize/currencies.ts';
import { ancestorsOf, isHidden, namesOf, parentOf, nameWordsOf } from './layout.ts';
import { linkAddress } from './links.ts';
import { isElement } from '../../shared/kit/html/dom.ts';
import type { DomElement } from '../../shared/kit/html/dom.ts';
import type { Page } from './page.ts';
import { lineOf, textOf } from '../../shared/kit/html/text.ts';
import { shapeOf } from './url-shape.ts';

const MAX_LEVELS = 14;
const MAX_ANCHORS = 5_000;
/** Raw characters, of which indentation is the most. */
const MAX_CARD_TEXT = 8_000;
const AWAY = new Set(['nav', 'footer', 'select', 'header']);
const CHROME_WORD =
  /^(?:nav|navbar|navigation|menu|submenu|megamenu|footer|breadcrumbs?|crumbs?|pagination|pager|paging|filters?|facets?|language|languages|sitemap|cookie|cookies|social)$/;
const CHROME_HINT = /nav|menu|footer|crumb|pag|filter|facet|lang|sitemap|cookie|social/i;
const HEADING = /^h[1-6]$/;
const PRICE = new RegExp(
  `(?:(?:${CURRENCY_PATTERN}|(?<!\\p{L})[A-Z]{3})\\s?${NUMBER_PATTERN}|(?<![\\d.,])${NUMBER_PATTERN}\\s?(?:${CURRENCY_PATTERN}|(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN)(?!\\p{L})))`,
  'u',
);

const PRICES = new RegExp(PRICE.source, 'gu');
const THREE_NUMBERS = /\d\D+\d+\D+\d/;

/** All links of a page to one address, and the part of the page that belongs to this address alone. */
export type LinkCard = { url: string; anchors: DomElement[]; card: DomElement; isAway: boolean };

/** The links of a page whose addresses are built alike. */
export type LinkCluster = {
  key: string;
  hasId: boolean;
  /** How many of them stand elsewhere than in menus and the like. */
  inSight: number;
  /** Finds the cards of all of them. */
  cards: () => LinkCard[];
};

/** What the card of a link shows. */
export type CardFeatures = {
  hasPrice: boolean;
  hasImage: boolean;
  hasHeading: boolean;
  label: string;
  length: number;
};

/** The links to other pages of the same site by the shape of their addresses, each address with its card. */
export function findClusters(page: Page): LinkCluster[] {
  const away = chromeOf(page);
  const own = URL.canParse(page.url) ? siteOf(page.url) : '';
  const base = URL.canParse(page.base) ? siteOf(page.base) : own;
  const root = URL.canParse(page.url) ? `${new URL(page.url).origin}/` : undefined;
  const isNear = (url: string) =>
    (root !== undefined && url.startsWith(root)) || siteOf(url) === own || siteOf(url) === base;
  const byUrl = new Map<string, DomElement[]>();
  let count = 0;
  for (const element of page.elements) {
    if (element.name !== 'a' || element.attribs.href === undefined || count >= MAX_ANCHORS) continue;
    const url = linkAddress(element.attribs.href, page.base);
    if (url === undefined || url === page.url || !isNear(url)) continue;
    count += 1;
    const known = byUrl.get(url);
    if (known) known.push(element);
    else byUrl.set(url, [element]);
  }
  const clusters = new Map<string, { hasId: number; links: [string, DomElement[]][] }>();
  for (const [url, anchors] of byUrl) {
    const { key, hasId } = shapeOf(url);
    const cluster = clusters.get(key) ?? { hasId: 0, links: [] };
    cluster.hasId += hasId ? 1 : 0;
    cluster.links.push([url, anchors]);
    clusters.set(key, cluster);
  }
  return [...clusters].map(([key, { hasId, links }]) => ({
    key,
    hasId: hasId >= links.length * 0.6,
    inSight: links.filter(([, anchors]) => anchors.some((anchor) => !away.has(anchor))).length,
    cards: () => cardsOf(links, away),
  }));
}

/** Reads what a card shows its reader. */
export function readCard({ card, anchors }: LinkCard): CardFeatures {
  const text = textOf(card, MAX_CARD_TEXT);
  const labels = anchors.map((anchor) => lineOf(anchor, 300));
  const label = labels.reduce((longest, next) => (next.length > longest.length ? next : longest), '');
  return {
    hasPrice: PRICE.test(text),
    hasImage: holds(card, (element) => element.name === 'img' || element.name === 'picture' || hasBackground(element)),
    hasHeading: anchors.some((anchor) => isHeading(anchor)),
    label: label === '' ? titleOf(card, anchors) || text.slice(0, 80) : label,
    length: text.length,
  };
}

/** The card of an address is the largest part around its links that holds no link to another address of the cluster. */
function cardsOf(links: [string, DomElement[]][], away: Set<DomElement>): LinkCard[] {
  const holders = new Map<DomElement, string | null>();
  for (const [url, anchors] of links) {
    for (const anchor of anchors) {
      let around: DomElement | undefined = anchor;
      for (let level = 0; around && level <= MAX_LEVELS; level += 1) {
        const known = holders.get(around);
        if (known === undefined) holders.set(around, url);
        else if (known !== null && known !== url) holders.set(around, null);
        around = parentOf(around);
      }
    }
  }
  return links.map(([url, anchors]) => {
    const cards = anchors.map((anchor) => {
      let card = anchor;
      if (links.length === 1) return card;
      let around: DomElement | undefined = anchor;
      for (let level = 0; around && level <= MAX_LEVELS; level += 1) {
        if (holders.get(around) === url) card = around;
        around = parentOf(around);
      }
      return card;
    });
    const card = cards.reduce((best, next) => (best.children.length >= next.children.length ? best : next));
    return { url, anchors, card, isAway: anchors.every((anchor) => away.has(anchor)) };
  });
}

/** Elements of menus, footers, pagers and filters: what they link to is no thing. */
function chromeOf(page: Page): Set<DomElement> {
  const away = new Set<DomElement>();
  for (const element of page.elements) {
    const parent = element.parent as DomElement | null;
    if ((parent && away.has(parent)) || isHidden(element) || isChrome(element)) away.add(element);
  }
  return away;
}

function isChrome(element: DomElement): boolean {
  const { name, attribs } = element;
  if (name === 'body' || name === 'html' || name === 'main') return false;
  if (AWAY.has(name) && !(name === 'header' && ancestorsOf(element, 30).some(isArticle))) return true;
  if (attribs.role === 'navigation') return true;
  return (
    CHROME_HINT.test(namesOf(element)) &&
    nameWordsOf(element).some((word) => CHROME_WORD.test(word)) &&
    !isFull(element)
  );
}

/** Menus and filters hold words; whatever its class says, a part full of prices or images is content. */
function isFull(element: DomElement): boolean {
  let images = 0;
  const hasManyImages = holds(element, ({ name }) => {
    if (name === 'img') images += 1;
    return images >= 6;
  });
  if (hasManyImages) return true;
  const text = textOf(element, 6_000);
  return THREE_NUMBERS.test(text) && (text.match(PRICES) ?? []).length >= 3;
}

function isArticle({ name }: DomElement): boolean {
  return name === 'article' || name === 'li' || name === 'main';
}

function isHeading(anchor: DomElement): boolean {
  if (ancestorsOf(anchor, 3).some(({ name }) => HEADING.test(name))) return true;
  return holds(anchor, ({ name }) => HEADING.test(name));
}

function hasBackground({ attribs }: DomElement): boolean {
  return /(?:^|;)\s*background(?:-image)?\s*:[^;]*url\(/i.test(attribs.style ?? '');
}

function titleOf(card: DomElement, anchors: DomElement[]): string {
  let heading = '';
  let alt = '';
  holds(card, (element) => {
    if (HEADING.test(element.name)) heading ||= lineOf(element, 200);
    if (element.name === 'img') alt ||= element.attribs.alt ?? '';
    return heading !== '';
  });
  const named = anchors.map(({ attribs }) => attribs.title ?? attribs['aria-label'] ?? '').find((name) => name !== '');
  return heading || named || alt;
}

function holds(root: DomElement, wanted: (element: DomElement) => boolean): boolean {
  const stack = [root];
  for (let visited = 0; visited < 400; visited += 1) {
    const next = stack.pop();
    if (!next) return false;
    if (wanted(next)) return true;
    for (const child of next.children) if (isElement(child)) stack.push(child);
  }
  return false;
}

function siteOf(url: string): string {
  return new URL(url).hostname.replace(/^(?:www|m|mobile)\./, '');
}
