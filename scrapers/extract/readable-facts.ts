import { addFact } from './map-properties.ts';
import { isElement } from '../../shared/kit/html/dom.ts';
import type { DomElement, DomNode } from '../../shared/kit/html/dom.ts';
import type { Layout } from './layout.ts';
import { nameWordsOf } from './layout.ts';
import { lineOf, ownText, withoutColon } from '../../shared/kit/html/text.ts';

const LABEL_TAGS = new Set(['b', 'strong', 'label', 'th', 'dt']);
const LABEL_WORDS = new Set(['label', 'key', 'term', 'name', 'attribute', 'property', 'spec', 'caption']);
const PAIR_TAGS = new Set(['li', 'p', 'div', 'span', 'td', 'section']);
const LINE_TAGS = new Set(['li', 'p', 'td', 'dd', 'span', 'div']);
const PRINTED_PAIR = /^([^:：\n]{2,40})[:：]\s*(\S[^\n]{0,200})$/;
const MAX_LABEL = 60;
const MAX_VALUE = 400;

/** The labelled facts printed on a page: definition lists, two-column tables, `Label: value` lines. First label wins. */
export function readFacts(layout: Layout): Record<string, string> {
  const facts: Record<string, string> = {};
  for (const element of layout.page.elements) {
    if (layout.away.has(element)) continue;
    const pairs = element.name === 'tr' ? readRow(element) : [readPair(element)];
    for (const pair of pairs) if (pair && isFact(pair)) addFact(facts, cleanLabel(pair[0]), pair[1]);
  }
  return facts;
}

function readPair(element: DomElement): [string, string] | undefined {
  if (element.name === 'dt') return readDefinition(element);
  const children = element.children.filter(isElement);
  if (PAIR_TAGS.has(element.name) && children.length === 2 && ownText(element) === '') {
    const pair = readTwo(children, false);
    if (pair) return pair;
  }
  if (PAIR_TAGS.has(element.name) && children.length >= 1 && children.length <= 3) {
    const pair = readLabelled(element, children);
    if (pair) return pair;
  }
  if (!LINE_TAGS.has(element.name) || children.length > 0) return undefined;
  const text = ownText(element);
  const match = text.length <= 250 ? PRINTED_PAIR.exec(text) : null;
  return match ? [match[1] ?? '', match[2] ?? ''] : undefined;
}

/** A row of two cells is a label and its value; a longer one holds pairs when its labels are marked as such. */
function readRow(row: DomElement): ([string, string] | undefined)[] {
  const cells = row.children.filter(isElement);
  if (cells.length === 2) return [readTwo(cells, true)];
  if (cells.length % 2 === 1 || cells.length > 8) return [];
  return cells.flatMap((cell, index) => (index % 2 === 0 ? [readTwo([cell, cells[index + 1]], false)] : []));
}

function readDefinition(term: DomElement): [string, string] | undefined {
  let next: DomNode | null = term.next;
  while (next && !isElement(next)) next = next.next;
  return next?.name === 'dd' ? [lineOf(term, 200), lineOf(next, 1_000)] : undefined;
}

/** Two elements and nothing else: a label and its value when the first is marked as a label or ends with a colon. */
function readTwo([first, second]: (DomElement | undefined)[], isRow: boolean): [string, string] | undefined {
  if (!first || !second) return undefined;
  const label = lineOf(first, 200);
  const isLabel = isRow || LABEL_TAGS.has(first.name) || /[:：]$/.test(label) || isLabelled(first);
  return isLabel ? [label, lineOf(second, 1_000)] : undefined;
}

/** A label in bold followed by plain text: `<b>Length:</b> 10 m`. */
function readLabelled(element: DomElement, children: DomElement[]): [string, string] | undefined {
  const [first] = children;
  if (!first || ownText(element) === '') return undefined;
  const label = lineOf(first, 200);
  const whole = lineOf(element, 600);
  if (label === '' || label.length > MAX_LABEL || !whole.startsWith(label)) return undefined;
  const rest = whole.slice(label.length);
  const isLabel = /(?:[:：]|\s[-–—])$/.test(label) || /^\s*(?:[:：]|[-–—]\s)/.test(rest);
  return isLabel ? [label, rest.replace(/^\s*[:：–—-]\s*/, '')] : undefined;
}

function isLabelled(element: DomElement): boolean {
  return nameWordsOf(element).some((word) => LABEL_WORDS.has(word));
}

function isFact([label, value]: [string, string]): boolean {
  const name = cleanLabel(label);
  return /\p{L}/u.test(name) && name.length <= MAX_LABEL && /[\p{L}\p{N}]/u.test(value) && value.length <= MAX_VALUE;
}

function cleanLabel(label: string): string {
  const bare = withoutColon(label.replace(/[\u200e\u200f\u2068\u2069]/g, ''));
  return bare.replace(/\s[-–—]$/, '').trim();
}
