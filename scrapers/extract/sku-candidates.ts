import { ancestorsOf, distanceToHeading, nameWordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { memoizeText } from '../../shared/kit/memoize-text.ts';
import type { Features } from './choice-model.ts';
import type { MetaTags } from './opengraph.ts';
import { SKU_LABEL, SKU_LINE } from './sku-labels.ts';
import type { DomElement } from '../../shared/kit/html/dom.ts';
import { ownText } from '../../shared/kit/html/text.ts';

const MAX_CODE = 40;
const MAX_CANDIDATES = 600;
const MAX_SCRIPT_CHARS = 400_000;
const MAX_ATTRIBUTE = 20_000;
const NEAR = 300;
const CODE = /^[\p{L}\d](?:[\p{L}\d._/ -]{0,38}[\p{L}\d])?$/u;
/** What stands alone as a text: no sums, no counts of things. */
const BARE_CODE = /^(?!\d+[.,]\d{1,2}$)[A-Z\d][\w./-]+$/;
/** A key and what is assigned to it, in scripts and in JSON that attributes hold. */
const ASSIGNED = /(?<!\w)(\w{2,40})["']?\s{0,3}[:=]\s{0,3}["']?([a-z\d][\w.-]{2,39})(?=["',;}\s&])/gi;
const LABELLED = ['label-sku', 'line-sku'];
const CONFIRMING = [...LABELLED, 'key-sku', 'key-id', 'text'];

/** What a key, a name or a label calls a code; of several the first. */
const KINDS: [kind: string, words: RegExp][] = [
  ['other', /relat|recomm|parent|group|cart|basket|review|similar|track|pixel|widget|image|img/],
  ['gtin', /gtin|ean|upc|isbn|barcode/],
  [
    'sku',
    /sku|asin|article|artikel|artnr|itemn|itemcode|item#|ordern|product(?:n|code|ref)|prodn|stockn|stylen|partn|catalog(?:n|code)|codigo|referen|^ref/,
  ],
  ['model', /mpn|model/],
  ['id', /(?:product|prod|item|listing|offer|ad|goods|object|property|deal)id|^p?id$|tcin|pid$/],
  [
    'other',
    /categ|catid|store|shop|user|seller|session|order|page|vendor|account|qty|price|phone|zip|lang|country|currency|version|date|time|type/,
  ],
];

/** What a text calls a code: `sku`, `id`, `model`, `gtin`, `other`, or undefined. */
const kindOf = memoizeText((name): string | undefined => {
  const plain = name.toLowerCase().replace(/[\s._-]+/g, '');
  return KINDS.find(([, words]) => words.test(plain))?.[0];
});

/** A code that may be the article number of the page's thing; `isLabelled` when it is printed with a label that says so. */
export type SkuCandidate = { code: string; features: Features; isLabelled: boolean };

/** The places in which codes stand: by kind and source the codes, those that are labelled by the label. */
class Places {
  readonly #bySource = new Map<string, Set<string>>();
  readonly #codes = new Set<string>();

  add(kind: string, source: string, text: string): void {
    const code = text.trim().replace(/^[#:№\s]+/, '');
    if (!isCode(code) || (this.#codes.size >= MAX_CANDIDATES && !this.#codes.has(code))) return;
    this.#codes.add(code);
    const place = `${kind} ${source}`;
    const known = this.#bySource.get(place);
    if (known) known.add(code);
    else this.#bySource.set(place, new Set([code]));
  }

  /** A place of which a source has many says less of each. */
  toCandidates(url: string): SkuCandidate[] {
    const found = new Map([...this.#codes].map((code) => [code, { features: shapeOf(code, url), places: 0 }]));
    for (const [place, codes] of this.#bySource) {
      const [kind = ''] = place.split(' ', 1);
      for (const code of codes) {
        const candidate = found.get(code);
        if (!candidate) continue;
        candidate.features.set(kind, Math.max(codes.size ** -0.5, candidate.features.get(kind) ?? 0));
        candidate.places += 1;
      }
    }
    return [...found].map(([code, { features, places }]) => {
      const isConfirmed = features.has('in-url') && CONFIRMING.some((kind) => features.has(kind));
      if (isConfirmed) features.set('confirmed', 1);
      features.set('places', Math.min(Math.log2(1 + places) / 3, 1));
      return { code, features, isLabelled: LABELLED.some((kind) => features.has(kind)) };
    });
  }
}

/**
 * Every code of a page that may be the article number of its thing, with what speaks for it: labels, names of fields,
 * attributes and keys of scripts, the parts of the address, texts near the title. At most 600, in time linear in the page.
 */
export function findSkuCandidates(
  layout: Layout,
  facts: Record<string, string>,
  tags: MetaTags,
  url: string,
): SkuCandidate[] {
  const places = new Places();
  for (const [label, value] of Object.entries(facts)) {
    const kind = SKU_LABEL.test(label) ? 'sku' : kindOf(label);
    places.add(`label-${kind ?? 'none'}`, 'facts', value);
  }
  for (const [name, [content = '']] of tags) addKeyed(places, 'meta', name, content);
  addAddress(places, url);
  let left = MAX_SCRIPT_CHARS;
  for (const element of layout.page.elements) {
    if (element.name === 'script') {
      const [child] = element.children;
      if (child?.type !== 'text' || left <= 0 || /ld\+json/i.test(element.attribs.type ?? '')) continue;
      addAssigned(places, 'script', child.data.slice(0, left));
      left -= child.data.length;
    } else if (!layout.away.has(element)) {
      addAttributes(places, element);
      addText(places, layout, element);
    }
  }
  return places.toCandidates(url);
}

function addAddress(places: Places, url: string): void {
  if (!URL.canParse(url)) return;
  const { pathname, searchParams } = new URL(url);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  for (const [index, segment] of segments.entries()) {
    const place = index === segments.length - 1 ? 'last' : 'path';
    const bare = segment.replace(/\.\w{3,5}$/, '');
    if (bare.length <= 24) places.add(`url-${place}`, 'address', bare);
    const parts = bare.split(/[-_.,;]/).filter((part) => part.length >= 4 && /\d.*\d/.test(part));
    for (const part of parts) {
      places.add(`url-${place}-part`, 'address', part);
      for (const [number] of part.matchAll(/\d{5,}/g)) if (number !== part) places.add('url-number', 'address', number);
    }
  }
  for (const [name, value] of searchParams) {
    addKeyed(places, 'query', name, value);
    places.add('url-query', 'address', value);
  }
}

function addAssigned(places: Places, source: string, text: string): void {
  for (const [, key = '', code = ''] of text.matchAll(ASSIGNED)) {
    if (/\d/.test(code)) addKeyed(places, source, key, code);
  }
}

function addKeyed(places: Places, source: string, key: string, code: string): void {
  const kind = kindOf(key);
  if (kind !== undefined) places.add(`key-${kind}`, source, code);
}

function addAttributes(places: Places, element: DomElement): void {
  const { name, attribs } = element;
  if (name === 'input' && attribs.value !== undefined)
    addKeyed(places, 'input', `${attribs.name ?? ''}${attribs.id ?? ''}`, attribs.value);
  for (const attribute in attribs) {
    if (!attribute.startsWith('data-')) continue;
    const value = attribs[attribute] ?? '';
    if (value.length <= MAX_CODE) addKeyed(places, 'data', attribute.slice(5), value);
    else if (value.startsWith('{') && value.length <= MAX_ATTRIBUTE) addAssigned(places, 'data', value);
  }
}

function addText(places: Places, layout: Layout, element: DomElement): void {
  if (element.children.length > 2) return;
  const text = ownText(element);
  if (text.length > 80 || !/\d/.test(text)) return;
  const distance = Math.abs(distanceToHeading(layout, element) ?? NEAR);
  const code = codeOfLine(text);
  if (code !== undefined && distance < 5 * NEAR) places.add('line-sku', 'lines', code);
  if (text.length > MAX_CODE || !BARE_CODE.test(text)) return;
  for (const named of [element, ...ancestorsOf(element, 1)])
    addKeyed(places, 'names', nameWordsOf(named).join(' '), text);
  if (distance < NEAR) places.add('text', 'texts', text);
}

const codeOfLine = memoizeText((text) => SKU_LINE.exec(text)?.groups?.code);

/** A code has a digit, or capital letters with a dash, and a blank at most; numbers below 100 count things. */
function isCode(code: string): boolean {
  if (code.length > MAX_CODE || !CODE.test(code) || /\s.*\s/.test(code)) return false;
  return /\d/.test(code) ? !/^\d{1,2}$/.test(code) : /^[A-Z]+(?:-[A-Z]+)+$/.test(code);
}

function shapeOf(code: string, url: string): Features {
  const features: Features = new Map();
  const set = (name: string, holds: boolean) => holds && features.set(name, 1);
  set('long-number', /^\d{5,11}$/.test(code));
  set('gtin', isGtin(code));
  set('year', /^(?:19|20)\d\d$/.test(code));
  set('short', code.length <= 3);
  set('long', code.length > 15);
  const at = url.toLowerCase().indexOf(code.toLowerCase());
  set('in-url', at !== -1 && !/[\p{L}\d]/u.test(url[at + code.length] ?? ''));
  return features;
}

/** Twelve to fourteen digits of which the last is the check digit of the others. */
function isGtin(code: string): boolean {
  if (!/^\d{12,14}$/.test(code)) return false;
  const digits = [...code].toReversed().map(Number);
  return digits.reduce((sum, digit, place) => sum + digit * (place % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}
