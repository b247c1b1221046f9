import { findHeading } from './heading.ts';
import { isElement, annotationsOf } from '../../shared/kit/html/dom.ts';
import type { DomElement, DomNode } from '../../shared/kit/html/dom.ts';
import { ownText } from '../../shared/kit/html/text.ts';
import { memoizeText } from '../../shared/kit/memoize-text.ts';
import { documentOrderOf } from './page.ts';
import type { Page } from './page.ts';

const AWAY_TAGS = new Set(['nav', 'footer', 'aside', 'select']);
const AWAY_WORDS = new Set(
  (
    'related recommend recommended recommendation recommendations recommender similar carousel also sponsored sponsor ads ' +
    'advert advertisement footer nav navigation navbar menu breadcrumb breadcrumbs minicart filter filters facet facets ' +
    'review reviews history crosssell upsell bundle accessories accessory comparison compare recently viewed ' +
    'cookie consent modal popup newsletter popover tooltip'
  ).split(' '),
);
const AWAY_HINT = new RegExp([...AWAY_WORDS].join('|'), 'i');
const NAMING = new Set([
  'class',
  'id',
  'itemprop',
  'data-testid',
  'data-test',
  'data-qa',
  'data-qa-id',
  'data-cy',
  'data-role',
]);
const NONE: string[] = [];
const HIDDEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;

/** The places of a page: where its heading stands, which parts are about other things. */
export type Layout = {
  page: Page;
  /** The element that names the page's thing. */
  heading?: DomElement;
  /** Elements inside navigation, footers, recommendations, reviews, filters. */
  away: Set<DomNode>;
};

/**
 * Reads the layout of a parsed page once, for all the readers of visible evidence. `others` are parts known to be about
 * other things, such as the cards of a list.
 */
export function readLayout(page: Page, others: DomElement[] = []): Layout {
  const none = new Set<DomNode>();
  let away = awayElements(page, none);
  const heading = findHeading(page, { away, isHidden });
  // A part that holds the heading is about the page's thing, whatever its class says.
  const around = new Set<DomNode>(heading && [heading, ...ancestorsOf(heading, 400)]);
  const foreign = new Set<DomNode>(heading ? others.filter((other) => !around.has(other)) : []);
  if (foreign.size > 0 || (heading && away.has(heading))) away = awayElements(page, around, foreign);
  return { page, heading, away };
}

function awayElements(page: Page, around: Set<DomNode>, foreign = new Set<DomNode>()): Set<DomNode> {
  const away = new Set<DomNode>();
  for (const element of page.elements) {
    const isInside = element.parent !== null && away.has(element.parent);
    if (isInside || foreign.has(element) || (!around.has(element) && isAway(element))) away.add(element);
  }
  return away;
}

/** The words of the names an element carries for styles, scripts and tests: `productPrice_main` -> product, price, main. */
export function nameWordsOf(element: DomElement): readonly string[] {
  const notes = annotationsOf(element);
  if (!notes) return wordsIn(namesOf(element));
  notes.words ??= wordsIn(namesOf(element));
  return notes.words;
}

const wordsIn = (names: string): readonly string[] => (names === '' ? NONE : splitNames(names));

const splitNames = memoizeText((names): readonly string[] =>
  names
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u),
);

/** The names an element carries for styles, scripts and tests, as they stand: quick to ask before splitting them. */
export function namesOf(element: DomElement): string {
  const notes = annotationsOf(element);
  if (!notes) return readNames(element);
  notes.names ??= readNames(element);
  return notes.names;
}

function readNames({ attribs }: DomElement): string {
  let names = '';
  for (const attribute in attribs) {
    if (NAMING.has(attribute)) names += ` ${(attribs[attribute] ?? '').slice(0, 300)}`;
  }
  return names;
}

/** How many elements lie between an element and the heading, negative before it; undefined without a heading. */
export function distanceToHeading(layout: Layout, element: DomElement): number | undefined {
  const { heading } = layout;
  return heading && documentOrderOf(element) - documentOrderOf(heading);
}

/** The element around an element. */
export function parentOf(element: DomElement): DomElement | undefined {
  const parent = element.parent as DomNode | null;
  return parent && isElement(parent) ? parent : undefined;
}

/** The chain of elements around an element, nearest first, at most `limit`. */
export function ancestorsOf(element: DomNode, limit: number): DomElement[] {
  const chain: DomElement[] = [];
  for (let up = element.parent as DomNode | null; up && isElement(up) && chain.length < limit;) {
    chain.push(up);
    up = up.parent as DomNode | null;
  }
  return chain;
}

/** Tag and class of an element and the two around it: places built alike are cells of a list. */
export function signatureOf(element: DomElement): string[] {
  return [element, ...ancestorsOf(element, 2)].map(({ name, attribs }) => `${name}.${attribs.class ?? ''}`);
}

/** True when the element's own style or attributes hide it. */
export function isHidden(element: DomElement): boolean {
  const { style, hidden } = element.attribs;
  return hidden !== undefined || (style !== undefined && HIDDEN_STYLE.test(style));
}

/** True when a reader finds this text on the page outside of what is about other things. */
export function isPrinted(layout: Layout, text: string): boolean {
  const wanted = text.toLowerCase();
  return layout.page.elements.some(
    (element) =>
      !layout.away.has(element) && element.name !== 'script' && ownText(element).toLowerCase().includes(wanted),
  );
}

function isAway(element: DomElement): boolean {
  if (AWAY_TAGS.has(element.name)) return true;
  if (element.name === 'body' || element.name === 'html' || element.name === 'main') return false;
  if (element.name === 'header') return !element.parent || ancestorsOf(element, 3).some(({ name }) => name === 'body');
  return AWAY_HINT.test(namesOf(element)) && nameWordsOf(element).some((word) => AWAY_WORDS.has(word));
}
