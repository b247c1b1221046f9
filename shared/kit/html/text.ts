import { isElement, annotationsOf } from './dom.ts';
import type { DomElement, DomNode } from './dom.ts';

const SILENT = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object']);
/** The gaps that the beginnings and ends of elements make. */
const GAPS = new Map<string, string>([
  ...gaps('\n\n', 'p h1 h2 h3 h4 h5 h6 ul ol table blockquote pre dl'),
  ...gaps('\n', 'div li tr dt dd section article header footer option hr'),
  ...gaps(' ', 'td th button label select'),
]);
const RAISED_CENTS = /(?<!\d)\d{2}(?!\d)/;
/** White space other than single spaces: what is to become one space. Most texts hold none, and stay as they are. */
const WIDE_SPACE = /[^\S ]\s*| \s+/g;
const HAS_WIDE_SPACE = /[^\S ]| {2}/;
const WIDE_BLANKS =
  /[\t\f\v\u00a0\u2000-\u200a\u202f\u3000][\t\f\v\u00a0\u2000-\u200a\u202f\u3000 ]*| [\t\f\v\u00a0\u2000-\u200a\u202f\u3000 ]+/g;

/** A text being put together: what was written, and the white space that waits for what follows it. */
type Written = {
  text: string;
  /** Line breaks since the last word, and whether a space stands there. */
  breaks: number;
  isSpaced: boolean;
  /** What was added last: a text as it stood, or a gap. */
  last: string | undefined;
};

type Reading = { text: string; leastLimit: number };

/**
 * The visible text below a node: scripts and styles left out, line breaks where blocks end, blank lines between
 * paragraphs, raised cents joined with a point. Reads at most `limit` characters, without looking at what follows them.
 */
export function textOf(root: DomNode, limit = 20_000): string {
  return read(root, limit).text;
}

/** Reads as textOf, and tells from which limit on the text is this one. */
function read(root: DomNode, limit: number): Reading {
  const only = onlyText(root);
  if (only !== undefined)
    return {
      text: collapseWhitespace(only.slice(0, limit)).trim(),
      leastLimit: only.length <= limit ? only.length : Infinity,
    };
  const written: Written = { text: '', breaks: 0, isSpaced: false, last: undefined };
  let length = 0;
  let visited = 0;
  let node: DomNode | undefined = root;
  // Elements without any text count too: a million empty ones must not be walked for every ancestor.
  for (; node && length < limit && visited < limit + 500; visited += 1) {
    const inner = open(node, written);
    if (node.type === 'text') {
      const data = node.data.slice(0, limit - length);
      addText(written, collapseWhitespace(data));
      length += data.length;
    }
    node = inner ?? following(node, root, written);
  }
  const isWhole = !node && length < limit;
  return { text: written.text, leastLimit: isWhole ? Math.max(length + 1, visited - 500) : Infinity };
}

/** The same text with every run of white space as one space. */
export function collapseWhitespace(text: string): string {
  return HAS_WIDE_SPACE.test(text) ? text.replace(WIDE_SPACE, ' ') : text;
}

/** A label without the colon at its end. */
export function withoutColon(label: string): string {
  return label
    .trimEnd()
    .replace(/[:：]$/, '')
    .trimEnd();
}

/** The text of an element that holds nothing else, as most cells, links and lines do. */
function onlyText(root: DomNode): string | undefined {
  if (!isElement(root) || root.children.length !== 1 || SILENT.has(root.name)) return undefined;
  const child = root.children[0];
  return child?.type === 'text' ? child.data : undefined;
}

/** The first child to visit below a node, after the gap its beginning makes. */
function open(node: DomNode, written: Written): DomNode | undefined {
  if (!isElement(node) || SILENT.has(node.name)) return undefined;
  if (node.name === 'br') addBreaks(written, '\n');
  addGap(written, GAPS.get(node.name));
  if (node.name === 'sup' && isRaisedCents(node, written.last)) addText(written, '.');
  return node.children[0];
}

/** The node after this one and everything below it, inside the root, after the gaps that the ends between them make. */
function following(node: DomNode, root: DomNode, written: Written): DomNode | undefined {
  for (let left: DomNode | null = node; left && left !== root; left = left.parent as DomNode | null) {
    if (isElement(left)) addGap(written, GAPS.get(left.name));
    if (left.next) return left.next;
  }
  return undefined;
}

/** The text below an element on one line. */
export function lineOf(element: DomElement, limit = 2_000): string {
  const notes = annotationsOf(element);
  if (notes?.line && limit >= notes.line.leastLimit) return notes.line.text;
  const { text, leastLimit } = read(element, limit);
  const line = text.includes('\n') ? text.replace(WIDE_SPACE, ' ') : text;
  if (notes && leastLimit !== Infinity) notes.line = { text: line, leastLimit };
  return line;
}

/** Trims every line, keeps single line breaks and at most one blank line in a row. */
export function collapseText(text: string): string {
  return text
    .replace(WIDE_BLANKS, ' ')
    .replace(/ ?\r?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The text directly inside an element, without that of its children; at most 2,000 characters of it are read. */
export function ownText(element: DomElement): string {
  const notes = annotationsOf(element);
  if (!notes) return readOwnText(element);
  notes.ownText ??= readOwnText(element);
  return notes.ownText;
}

function readOwnText(element: DomElement): string {
  let text = '';
  for (const child of element.children) {
    if (child.type === 'text') text += child.data.slice(0, 2_000);
    if (text.length > 2_000) break;
  }
  return text === '' ? text : collapseWhitespace(text).trim();
}

/** Adds a text whose white space is collapseWhitespace; a space beside a gap is none. */
function addText(written: Written, text: string): void {
  if (text === ' ') {
    if (isGap(written.last)) return;
    written.isSpaced = true;
  } else if (text !== '') {
    if (text.startsWith(' ')) written.isSpaced = true;
    if (written.text !== '') written.text += whiteSpaceOf(written);
    written.text += text.trim();
    written.breaks = 0;
    written.isSpaced = text.endsWith(' ');
  }
  written.last = text;
}

function whiteSpaceOf({ breaks, isSpaced }: Written): string {
  if (breaks > 0) return breaks === 1 ? '\n' : '\n\n';
  return isSpaced ? ' ' : '';
}

/** Gaps that meet are one, the wider; only `<br>` adds up. */
function addGap(written: Written, gap: string | undefined): void {
  if (gap === undefined) return;
  const { last } = written;
  if (gap === ' ') addText(written, gap);
  else if (!isGap(last)) addBreaks(written, gap);
  else if (gap.length > last.length) {
    written.breaks += gap.length - last.length;
    written.last = gap;
  }
}

function addBreaks(written: Written, gap: string): void {
  written.breaks += gap.length;
  written.last = gap;
}

function isGap(part: string | undefined): part is string {
  return part === '\n' || part === '\n\n';
}

function isRaisedCents(sup: DomElement, before: string | undefined): boolean {
  return before !== undefined && /\d\s*$/.test(before) && RAISED_CENTS.test(ownText(sup)) && ownText(sup).length === 2;
}

function gaps(gap: string, names: string): [string, string][] {
  return names.split(' ').map((name) => [name, gap]);
}
