import type { Features } from './choice-model.ts';
import { distanceToHeading, nameWordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { memoizeText } from '../../shared/kit/memoize-text.ts';
import type { MetaTags } from './opengraph.ts';
import { isElement } from '../../shared/kit/html/dom.ts';
import type { DomElement } from '../../shared/kit/html/dom.ts';
import { lineOf } from '../../shared/kit/html/text.ts';

const BRAND_LABEL =
  /^(?:brand(?: name)?|marke|marque|marca|merk|značka|marka|märke|hersteller|manufacturer|fabricant|fabbricante|produttore|fabrikant|výrobce|výrobca|producent|producător|make|builder|werft|ブランド(?:名)?|メーカー|브랜드|제조사|العلامة التجارية|מותג|יצרן|бренд|производитель)$/iu;
const LABEL_BEFORE = new RegExp(`^(?:${BRAND_LABEL.source.slice(4, -2)})(?:\\s*[:：]\\s*|\\s+(?=\\p{Lu}))`, 'iu');
const NAMED = /brand|byline|manufacturer|designer|maker|^marca$|^marke$|^marque$|hersteller/i;
const BRAND_LINK =
  /[/=?&](?:brands?|marken?|marques?|marcas?|merk|mark[ai]|fabricantes?|manufacturers?|designers?|producent|vyrobce|vyrobci|znacka|brend)[/=_-]/i;
const NO_BRAND = /^(?:n\/?a|none|keine|sin marca|no(?:ne)? brand|unknown|other|null|undefined|true|false|-+)$/i;
/** What scripts and attributes call a brand. */
const ASSIGNED = /(?<!\w)(\w{0,20}(?:brand|manufacturer)\w{0,8})["']?\s{0,3}[:=]\s{0,3}["']([^"'<>\\{}]{2,40})["']/gi;
const OPENERS = new Set(['a', 'h2', 'h3', 'h4']);
const SEPARATOR = / [|–—·:-] |[|:] /;
const MAX_SCRIPT_CHARS = 400_000;
const MAX_NAME = 40;
const MAX_OPENING_WORDS = 3;
const NEAR = 12;
const SITE_TAGS = ['og:site_name', 'application-name', 'author', 'twitter:site'];

/** A name that may be the brand of the page's thing. */
export type BrandCandidate = { name: string; features: Features };

/** What names a page's thing, and where it stands. */
export type NamedThing = {
  title: string | undefined;
  breadcrumbs: readonly string[];
  properties: Record<string, string>;
  url: string;
};

/** The names found so far, those that are spelt alike as one, with the spelling of the most telling place. */
class Names {
  readonly #found = new Map<string, { name: string; rank: number; features: Features }>();

  add(place: string, printed: string, rank: number, value = 1): void {
    const name = printed
      .replaceAll(/[\s®™©]+/gu, ' ')
      .trim()
      .replace(/[,;:]$/, '');
    const key = fold(name);
    if (key.length < 2 || name.length > MAX_NAME || !isBrand(name)) return;
    const known = this.#found.get(key) ?? { name, rank, features: new Map<string, number>() };
    this.#found.set(key, known);
    known.features.set(place, Math.max(value, known.features.get(place) ?? 0));
    if (rank > known.rank) Object.assign(known, { name, rank });
  }

  get(name: string): Features | undefined {
    return this.#found.get(fold(name))?.features;
  }

  get all(): { key: string; name: string; features: Features }[] {
    return [...this.#found].map(([key, { name, features }]) => ({ key, name, features }));
  }
}

/**
 * Every name of a page that may be the brand of its thing, with what speaks for it: labels, names and links of places,
 * keys of scripts, breadcrumbs, the beginning of the title, the name of the site. In time linear in the page.
 */
export function findBrandCandidates(layout: Layout, tags: MetaTags, thing: NamedThing): BrandCandidate[] {
  const names = new Names();
  const { title = '', breadcrumbs, properties, url } = thing;
  for (const [label, value] of Object.entries(properties)) if (BRAND_LABEL.test(label)) names.add('label', value, 9);
  for (const tag of ['brand', 'product:brand', 'og:brand']) names.add('meta', tags.get(tag)?.[0] ?? '', 8);
  for (const tag of SITE_TAGS) names.add('site-tag', tags.get(tag)?.[0]?.replace(/^@/, '') ?? '', 1);
  for (const crumb of breadcrumbs) names.add('crumb', crumb, 4);
  const documentTitle = layout.page.elements.find(({ name }) => name === 'title');
  const page = documentTitle ? lineOf(documentTitle, 300) : '';
  addOpenings(names, 'opens', title);
  addOpenings(names, 'opens-page', page);
  const segments = page.split(SEPARATOR);
  if (segments.length > 1) names.add('ends-page', segments.at(-1) ?? '', 1);
  let left = MAX_SCRIPT_CHARS;
  for (const element of layout.page.elements) {
    if (element.name === 'script') {
      const [child] = element.children;
      if (child?.type !== 'text' || left <= 0 || /ld\+json/i.test(element.attribs.type ?? '')) continue;
      addAssigned(names, child.data.slice(0, left));
      left -= child.data.length;
    } else if (!layout.away.has(element)) addElement(names, layout, element, [title, page]);
  }
  return withContext(names, { title, page, url });
}

function addOpenings(names: Names, place: string, title: string): void {
  const words = title.split(/\s+/).filter((word) => word !== '');
  for (let length = 1; length <= MAX_OPENING_WORDS && length < words.length; length += 1)
    names.add(`${place}:${length}`, words.slice(0, length).join(' '), 2);
}

function addAssigned(names: Names, source: string): void {
  const found = [...source.matchAll(ASSIGNED)].slice(0, 200);
  const distinct = new Set(found.map(([, , value = '']) => fold(value))).size;
  for (const [, , value = ''] of found) names.add('key', value, 5, distinct ** -0.5);
}

function addElement(names: Names, layout: Layout, element: DomElement, titles: string[]): void {
  for (const attribute in element.attribs)
    if (/brand|manufacturer/.test(attribute)) names.add('attribute', element.attribs[attribute] ?? '', 6);
  const distance = distanceToHeading(layout, element);
  if (distance === undefined || distance < -60 || distance > 120) return;
  if (element.name === 'img') {
    const parent = element.parent && isElement(element.parent) ? nameWordsOf(element.parent) : [];
    const isLogo = [...nameWordsOf(element), ...parent].some((word) => /logo/.test(word) || NAMED.test(word));
    if (isLogo) names.add('logo', element.attribs.alt ?? '', 3);
    return;
  }
  if (element.children.length > 6) return;
  const text = lineOf(element, 120);
  if (text.length < 2 || text.length > 60) return;
  const bare = text.replace(LABEL_BEFORE, '').replace(/^by\s+(?=\p{Lu})/u, '');
  if (bare !== text) names.add('line', bare, 8);
  if (nameWordsOf(element).some((word) => NAMED.test(word)))
    names.add('named', sharedWords(bare, titles[0] ?? '') ?? bare, 7);
  if (element.name === 'a' && BRAND_LINK.test(element.attribs.href ?? ''))
    names.add('link', sharedWords(bare, titles[0] ?? '') ?? bare, 7);
  const isOpening = OPENERS.has(element.name) && Math.abs(distance) <= NEAR && text.split(' ').length <= 4;
  if (isOpening && titles.some((title) => opens(text, title))) names.add('opener', text, 4);
  if (Math.abs(distance) <= NEAR && names.get(text)) names.add('near', text, 3);
}

/** Adds what the whole page says of a name: that its address and titles hold it, that it is the site's own. */
function withContext(
  names: Names,
  { title, page, url }: { title: string; page: string; url: string },
): BrandCandidate[] {
  const { hostname = '', pathname = '' } = URL.canParse(url) ? new URL(url) : {};
  const host = hostname.toLowerCase().replaceAll('-', '');
  const slug = fold(decodeURI(pathname));
  return names.all.map(({ key, name, features }) => {
    const set = (place: string, holds: boolean) => holds && features.set(place, 1);
    set('site', key.length >= 3 && host.split('.').includes(key));
    set('in-title', key.length >= 3 && fold(title).includes(key));
    set('in-page-title', key.length >= 3 && fold(page).includes(key));
    set('in-url', key.length >= 3 && slug.includes(key));
    set('capital', /^[\p{Lu}\p{N}]/u.test(name));
    set('all-capitals', /\p{Lu}/u.test(name) && !/\p{Ll}/u.test(name));
    set('digits', /\d/.test(name));
    set('words', name.split(' ').length > 3);
    set('short', key.length <= 2);
    return { name, features };
  });
}

function opens(text: string, title: string): boolean {
  const rest = title.slice(text.length);
  return title.toLowerCase().startsWith(text.toLowerCase()) && /^\s+\S/u.test(rest);
}

/** The longest run of words of a text that the title starts with. */
function sharedWords(text: string, title: string): string | undefined {
  const opening = title.toLowerCase();
  const words = text.split(' ');
  for (let length = words.length; length > 0; length -= 1) {
    for (let from = 0; from + length <= words.length; from += 1) {
      const run = words.slice(from, from + length).join(' ');
      if (run.length < 2 || !opening.startsWith(run.toLowerCase())) continue;
      if (!/[\p{L}\p{N}]/u.test(opening[run.length] ?? ' ')) return run;
    }
  }
  return undefined;
}

/** A name has letters, and is no address. */
export function isBrand(text: string): boolean {
  return /\p{L}/u.test(text) && !/^https?:|[|<>$]/i.test(text) && !NO_BRAND.test(text.trim());
}

const fold = memoizeText((text) =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ''),
);
