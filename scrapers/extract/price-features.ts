import type { Features } from './choice-model.ts';
import { ancestorsOf, isHidden, nameWordsOf, signatureOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { documentOrderOf } from './page.ts';
import { PRICE_WORD } from './price-candidates.ts';
import type { PriceCandidate } from './price-candidates.ts';
import { labelKindsOf, nameKindsOf } from './price-labels.ts';
import { parseAmount } from '../../shared/normalize/amount.ts';
import { isElement } from '../../shared/kit/html/dom.ts';
import type { DomElement, DomNode } from '../../shared/kit/html/dom.ts';
import { lineOf } from '../../shared/kit/html/text.ts';

const LEVELS = 5;
const MAX_SCRIPT_CHARS = 400_000;
const STRUCK_TAGS = new Set(['s', 'del', 'strike']);
const STRUCK_STYLE = /line-through/i;
const LOUD_TAGS = new Set(['b', 'strong', 'big', 'h1', 'h2', 'h3', 'h4', 'em', 'ins']);
const ROWS = new Set(['tr', 'li', 'dl', 'label', 'p', 'dd']);
const SCRIPT_PRICE = /price\w{0,20}["']?\s{0,3}[:=]\s{0,3}["']?\D{0,3}(\d{1,9}(?:[.,]\d{1,3})*)/gi;
const PRICE_ATTRIBUTE = /price|amount|value|content/;
const META_TEXT = /^(?:description|keywords|title)$/i;
const LETTERS = /\p{L}{2}/u;
const PLAIN_WORD = /^\p{L}{2,20}$/u;
const TITLES = new Set(['h2', 'h3', 'h4', 'h5', 'h6', 'legend', 'caption', 'dt']);
/** Distances to the title in elements, both ways. */
const STEPS = [-400, -100, -30, 0, 15, 40, 80, 160, 320, 640, 1_500];

type Context = {
  layout: Layout;
  heading: number | undefined;
  headingDepths: Map<DomNode, number>;
  buttons: { at: number; element: DomElement }[];
  inScripts: Map<number, number>;
  inTitles: Set<number>;
  /** What the title of the part says in which a candidate stands. */
  sections: Map<DomElement, string>;
};

/** The features of all the candidates of a page, in their order; `buttons` are those that buy. In time linear in the page. */
export function priceFeatures(
  layout: Layout,
  candidates: PriceCandidate[],
  buttons: readonly DomElement[],
): Features[] {
  const context = readContext(layout, candidates, buttons);
  const all = candidates.map((candidate) => ownFeatures(candidate, context));
  addRepeats(candidates, all);
  addRivals(candidates, all, context);
  return all;
}

function readContext(layout: Layout, candidates: PriceCandidate[], buttons: readonly DomElement[]): Context {
  const wanted = new Set(candidates.map(({ element }) => element));
  const sections = new Map<DomElement, string>();
  let title: DomElement | undefined;
  const inScripts = new Map<number, number>();
  const inTitles = new Set<number>();
  let left = MAX_SCRIPT_CHARS;
  for (const element of layout.page.elements) {
    const { name, attribs, children } = element;
    if (wanted.has(element) && title) sections.set(element, lineOf(title, 60));
    if (TITLES.has(name)) title = element;
    if (name === 'script') {
      const [text] = children;
      if (text?.type !== 'text' || left <= 0) continue;
      const source = text.data.slice(0, left);
      left -= source.length;
      for (const [, number = ''] of source.matchAll(SCRIPT_PRICE)) count(inScripts, parseAmount(number));
    } else if (name === 'input' && /price|amount/i.test(attribs.name ?? ''))
      count(inScripts, parseAmount(attribs.value ?? ''));
    else if (name === 'meta' && META_TEXT.test(attribs.name ?? '')) addAmounts(inTitles, attribs.content ?? '');
    else if (name === 'title') addAmounts(inTitles, lineOf(element, 300));
  }
  const { heading } = layout;
  return {
    layout,
    heading: heading && documentOrderOf(heading),
    headingDepths: new Map(heading && [heading, ...ancestorsOf(heading, 400)].map((each, depth) => [each, depth])),
    buttons: buttons.map((element) => ({ at: documentOrderOf(element), element })),
    inScripts,
    inTitles,
    sections,
  };
}

function ownFeatures(candidate: PriceCandidate, context: Context): Features {
  const { element, text, amount, hasSign } = candidate;
  const features: Features = new Map();
  const set = (name: string, value: number | boolean = 1) => {
    if (value) features.set(name, Number(value));
  };
  const chain = [element, ...ancestorsOf(element, LEVELS - 1)];
  set('sign', hasSign);
  set('decimals', /\d[.,]\d{2}(?!\d)/.test(text));
  set('range', candidate.isRange);
  set('long', Math.min(candidate.before.length + candidate.after.length, 30) / 30);
  set('magnitude', Math.log10(amount) / 5);
  set('small', amount < 2);
  for (const [level, around] of chain.entries()) {
    const words = nameWordsOf(around);
    const near = level < 2 ? 'own' : 'around';
    if (level < 2) for (const word of words) if (PLAIN_WORD.test(word)) set(`named:${word}`, 0.3);
    if (words.some((word) => PRICE_WORD.test(word))) set(`${near}-price`);
    if (level < 4) for (const kind of nameKindsOf(words)) set(`named-${kind}`);
    if (level < 4 && STRUCK_TAGS.has(around.name)) set('struck');
    if (STRUCK_STYLE.test(around.attribs.style ?? '')) set('struck');
    if (isHidden(around)) set('hidden');
    if (around.name === 'a') set('link');
    if (around.name === 'form') set('form');
    if (level < 3 && LOUD_TAGS.has(around.name)) set('loud');
    if (level < 3 && ROWS.has(around.name)) set('row');
    if (level < 3)
      for (const name in around.attribs)
        if (PRICE_ATTRIBUTE.test(name) && parseAmount(around.attribs[name] ?? '') === amount) set('attribute');
  }
  set('away', context.layout.away.has(element));
  const before = LETTERS.test(candidate.before) ? candidate.before : textBefore(element);
  const after = LETTERS.test(candidate.after) ? candidate.after : textAfter(element);
  for (const kind of labelKindsOf(before)) set(`label-${kind}`);
  for (const kind of labelKindsOf(after)) if (kind !== 'price') set(`after-${kind}`);
  const row = chain.slice(0, 4).find(({ name }) => ROWS.has(name));
  if (row) for (const kind of labelKindsOf(lineOf(row, 120))) if (kind !== 'price') set(`row-${kind}`);
  const section = context.sections.get(element);
  if (section !== undefined) for (const kind of labelKindsOf(section)) if (kind !== 'price') set(`section-${kind}`);
  addPosition(set, candidate, chain, context);
  const named = context.inScripts.get(amount) ?? 0;
  set('script', named > 0);
  set('script-often', Math.min(Math.log2(named + 1) / 4, 1));
  set('titled', context.inTitles.has(amount));
  return features;
}

function addPosition(
  set: (name: string, value?: number | boolean) => void,
  { element }: PriceCandidate,
  chain: DomElement[],
  { heading, headingDepths, buttons }: Context,
): void {
  const at = documentOrderOf(element);
  if (heading === undefined) set('no-title');
  else {
    const distance = at - heading;
    set(`step:${STEPS.find((step) => distance < step) ?? 'far'}`);
    const up = [...ancestorsOf(element, 40)].find((around) => headingDepths.has(around));
    const depth = (up && headingDepths.get(up)) ?? 20;
    set('title-depth', Math.min(depth, 12) / 12);
    const own = up ? ancestorsOf(element, 40).indexOf(up) : 40;
    set('own-depth', Math.min(own, 12) / 12);
  }
  const ahead = buttons.find((button) => button.at > at);
  const gap = ahead ? ahead.at - at : undefined;
  if (buttons.length > 0) {
    set('buttons');
    set('button-near', gap !== undefined && gap < 60);
    set('button-ahead', gap !== undefined && gap < 250);
    set('button-first', ahead !== undefined && ahead === buttons[0]);
    set(
      'button-inside',
      chain.some((around) => ahead && contains(around, ahead.element, 8)),
    );
  }
}

function contains(around: DomElement, element: DomElement, levels: number): boolean {
  return ancestorsOf(element, levels).includes(around);
}

/** Places built alike are cells of a list; an amount that stands in several places is more likely the page's own. */
function addRepeats(candidates: PriceCandidate[], all: Features[]): void {
  const signatures = candidates.map(({ element }) => signatureOf(element));
  const built = groups(
    signatures.map((parts) => parts.join('<')),
    candidates,
  );
  const around = groups(
    signatures.map((parts) => parts.slice(1).join('<')),
    candidates,
  );
  const alike = Map.groupBy(candidates, ({ amount }) => amount);
  for (const [index, { amount, element }] of candidates.entries()) {
    const features = all[index];
    const signature = signatures[index] ?? [];
    const own = built.get(signature.join('<'));
    const kin = around.get(signature.slice(1).join('<'));
    if (!features || !own || !kin) continue;
    features.set('repeats', Math.min(Math.log2(repeatsIn(own)), 6) / 4);
    features.set('repeats-around', Math.min(Math.log2(repeatsIn(kin)), 6) / 4);
    if (repeatsIn(own) > 3) features.set('cell', 1);
    if (repeatsIn(kin) > 4) features.set('cell-around', 1);
    if (own[0]?.element === element) features.set('first-alike', 1);
    if (kin[0]?.element === element) features.set('first-around', 1);
    const same = alike.get(amount)?.length ?? 1;
    features.set('same', Math.min(Math.log2(same), 3) / 3);
    if (candidates.length === same) features.set('only', 1);
  }
}

function groups(keys: string[], candidates: PriceCandidate[]): Map<string, PriceCandidate[]> {
  const found = new Map<string, PriceCandidate[]>();
  for (const [index, key] of keys.entries()) {
    const candidate = candidates[index];
    const group = found.get(key);
    if (!candidate) continue;
    if (group) group.push(candidate);
    else found.set(key, [candidate]);
  }
  return found;
}

/** How many cells of a list some places built alike make: different amounts, or the same one many times. */
function repeatsIn(alike: PriceCandidate[]): number {
  return Math.max(new Set(alike.map(({ amount }) => amount)).size, Math.floor(alike.length / 2));
}

/** Beside a higher price stands a reduced one; first and dearest near the title are the thing's own. */
function addRivals(candidates: PriceCandidate[], all: Features[], { heading }: Context): void {
  let isFirst = true;
  const near = candidates.filter(({ element }) => isNear(element, heading));
  const dearest = Math.max(0, ...near.map(({ amount }) => amount));
  for (const [index, candidate] of candidates.entries()) {
    const features = all[index];
    if (!features) continue;
    const at = documentOrderOf(candidate.element);
    const isOpen =
      !features.has('struck') && !features.has('label-former') && !features.has('cell') && !features.has('away');
    if (isFirst && heading !== undefined && at >= heading && isOpen) {
      features.set('first', 1);
      isFirst = false;
    }
    if (dearest > 0 && isNear(candidate.element, heading)) {
      features.set('share', Math.max(-1, Math.log10(candidate.amount / dearest) / 2));
      if (candidate.amount === dearest) features.set('dearest', 1);
    }
    for (const step of [-1, 1]) {
      const other = candidates[index + step];
      if (!other || other.amount === candidate.amount) continue;
      const gap = Math.abs(documentOrderOf(other.element) - at);
      if (gap > 12) continue;
      const ratio = candidate.amount / other.amount;
      const side = step < 0 ? 'previous' : 'next';
      if (ratio > 1 && ratio < 4) features.set(`over-${side}`, 1);
      if (ratio < 1 && ratio > 0.25) features.set(`under-${side}`, 1);
      if (ratio >= 4) features.set('far-over', 1);
      if (ratio <= 0.25) features.set('far-under', 1);
      if (ratio > 1.5 && ratio < 10_000 && Math.abs(ratio - Math.round(ratio)) < 1e-6) features.set('times', 1);
      if (all[index + step]?.has('struck') || all[index + step]?.has('label-former')) features.set('beside-former', 1);
    }
  }
}

function isNear(element: DomElement, heading: number | undefined): boolean {
  const distance = documentOrderOf(element) - (heading ?? 0);
  return distance > -60 && distance < 300;
}

function textBefore(element: DomElement): string {
  let node: DomNode | null = element.prev;
  for (let steps = 0; node && steps < 4; steps += 1) {
    const text = textOfNode(node);
    if (text !== '') return text.slice(-40);
    node = node.prev;
  }
  const uncle = (element.parent as DomNode | null)?.prev;
  return uncle && isElement(uncle) ? lineOf(uncle, 200).slice(-40) : '';
}

function textAfter(element: DomElement): string {
  let node: DomNode | null = element.next;
  for (let steps = 0; node && steps < 2; steps += 1) {
    const text = textOfNode(node);
    if (text !== '') return text.slice(0, 40);
    node = node.next;
  }
  return '';
}

const textOfNode = (node: DomNode): string =>
  isElement(node) ? lineOf(node, 200) : node.type === 'text' ? node.data.trim() : '';

function count(counts: Map<number, number>, amount: number | undefined): void {
  if (amount !== undefined && amount > 0) counts.set(amount, (counts.get(amount) ?? 0) + 1);
}

function addAmounts(amounts: Set<number>, text: string): void {
  for (const [number] of text.slice(0, 1_000).matchAll(/\d{1,9}(?:[.,]\d{1,3})*/g)) {
    const amount = parseAmount(number);
    if (amount !== undefined) amounts.add(amount);
  }
}
