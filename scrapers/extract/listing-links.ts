import { findClusters, readCard } from './link-cards.ts';
import type { CardFeatures, LinkCard, LinkCluster } from './link-cards.ts';
import { parsePage, documentOrderOf } from './page.ts';
import type { DomElement } from '../../shared/kit/html/dom.ts';
import type { Page } from './page.ts';

const MIN_CARDS = 3;
const MAX_READ = 1_000;
const ENOUGH = 3;
const ACTION =
  /(?:^|[/_.-])(?:add(?!ress)[a-z]*|cart|basket|wishlist|wish|watch|favou?rites?|favoriten|merkliste|compare|login|signin|register|share|print|report|contact|kontakt|mail|rss|sort|order|page|filter|facet|tags?|authors?|users?|sellers?|dealers?|haendler|profile|category|categories|brands?|ratings?|reviews?|comments?|help|faq|news|blog|lang|currency)(?=$|[/_.-])/i;
const QUERY_ACTION =
  /[?&=](?:add(?!ress)[a-z]*|cart|basket|wishlist|favou?rites?|compare|login|share|print|report|remove)(?=$|[&=_-])/i;

/** One thing a page lists; `isPriced` when the things of its kind mostly show a price. */
export type ListedCard = { url: string; card: DomElement; isPriced: boolean };

type Judged = { cards: LinkCard[]; score: number; prices: number };

/**
 * The addresses of the things a page lists, in document order: links whose addresses are built alike, each in a card of its
 * own with a price, an image, a title. Empty where nothing of the kind repeats.
 */
export function findListingLinks(html: string, url: string): string[] {
  return listingLinks(parsePage(html, url));
}

/** `findListingLinks` of a page that is already parsed. */
export function listingLinks(page: Page): string[] {
  return [...new Set(listedCards(page).map(({ url }) => url))];
}

const known = new WeakMap<Page, ListedCard[]>();

/** What a page lists: each link with the part of the page that is about it, in document order; read once per page. */
export function listedCards(page: Page): ListedCard[] {
  const before = known.get(page);
  if (before) return before;
  const judged = findClusters(page)
    .map(judge)
    .filter(({ score }) => score >= ENOUGH)
    .toSorted((a, b) => b.score - a.score);
  const [best] = judged;
  const built = new Set(best?.cards.map(({ card }) => signatureOf(card)));
  const kin = judged.filter((other) => best && (other === best || isKin(other, best, built)));
  const cards = kin.flatMap(({ cards: own, prices }) =>
    own.map(({ url, anchors: [first], card }) => ({
      url,
      card,
      isPriced: prices >= 0.5,
      at: first ? documentOrderOf(first) : 0,
    })),
  );
  const listed = cards.toSorted((a, b) => a.at - b.at).map(({ url, card, isPriced }) => ({ url, card, isPriced }));
  known.set(page, listed);
  return listed;
}

function judge(cluster: LinkCluster): Judged {
  if (cluster.inSight < MIN_CARDS) return { cards: [], score: 0, prices: 0 };
  const cards = cluster
    .cards()
    .filter(({ isAway }) => !isAway)
    .slice(0, MAX_READ);
  const read = cards.map(readCard);
  const share = (has: (features: CardFeatures) => boolean) => read.filter(has).length / read.length;
  const prices = share(({ hasPrice }) => hasPrice);
  const images = share(({ hasImage }) => hasImage);
  const titles = share(({ label }) => label.length >= 12 && !/^[\d\s.,]+$/.test(label));
  const texts = share(({ length }) => length >= 40);
  const labels = new Set(read.map(({ label }) => label.toLowerCase())).size / read.length;
  const isRich =
    prices >= 0.3 ||
    (cluster.hasId && images >= 0.8) ||
    (images >= 0.5 && texts >= 0.5) ||
    (cluster.hasId && titles >= 0.6 && texts >= 0.6);
  const score =
    prices * 3 +
    images * 1.5 +
    titles * 1.5 +
    texts +
    share(({ hasHeading }) => hasHeading) +
    (cluster.hasId ? 1 : 0) +
    Math.min(Math.log2(cards.length) / 4, 1.5) +
    (labels - 1) * 1.5 -
    (isAction(cards) ? 3 : 0);
  return { cards: prices >= 0.5 ? withPrice(cards, read) : cards, score: isRich ? score : 0, prices };
}

/** Where the things have prices, a card without one counts when it is built like those with one. */
function withPrice(cards: LinkCard[], read: CardFeatures[]): LinkCard[] {
  const priced = cards.filter((_, index) => read[index]?.hasPrice);
  const built = new Set(priced.map(({ card }) => signatureOf(card)));
  return cards.filter(({ card }, index) => read[index]?.hasPrice || built.has(signatureOf(card)));
}

/** Other addresses in cards that look the same, not further links inside the best cards. */
function isKin(other: Judged, best: Judged, cards: Set<string>): boolean {
  const alike = other.cards.filter(({ card }) => cards.has(signatureOf(card))).length / other.cards.length;
  const inside = new Set(best.cards.map(({ card }) => card));
  const isInside = other.cards.some(
    ({ card, anchors }) => inside.has(card) || anchors.some((anchor) => isWithin(anchor, inside)),
  );
  return !isInside && alike >= 0.6 && other.score >= best.score * 0.6 && other.prices >= best.prices - 0.5;
}

function isWithin(element: DomElement, cards: Set<DomElement>): boolean {
  for (let up = element.parent; up; up = up.parent) if (cards.has(up as DomElement)) return true;
  return false;
}

function isAction(cards: LinkCard[]): boolean {
  const actions = cards.filter(({ url }) => {
    const { pathname, search } = new URL(url);
    return ACTION.test(pathname) || QUERY_ACTION.test(search);
  });
  return actions.length > cards.length / 2;
}

function signatureOf({ name, attribs }: DomElement): string {
  return `${name}.${(attribs.class ?? '').split(/\s+/).slice(0, 2).join('.')}`;
}
