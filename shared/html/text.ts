import { isElement } from './dom.ts';
import type { DomElement, DomNode } from './dom.ts';

const SILENT = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object']);
const PARAGRAPH = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'table', 'blockquote', 'pre', 'dl']);
const LINE = new Set(['div', 'li', 'tr', 'dt', 'dd', 'section', 'article', 'header', 'footer', 'option', 'hr']);
const CELL = new Set(['td', 'th', 'button', 'label', 'select']);
const RAISED_CENTS = /(?<!\d)\d{2}(?!\d)/;
/** White space other than single spaces: what is to become one space. Most texts hold none, and stay as they are. */
const WIDE_SPACE = /[^\S ]\s*| \s+/g;
const WIDE_BLANKS =
  /[\t\f\v\u00a0\u2000-\u200a\u202f\u3000][\t\f\v\u00a0\u2000-\u200a\u202f\u3000 ]*| [\t\f\v\u00a0\u2000-\u200a\u202f\u3000 ]+/g;

/**
 * The visible text below a node: scripts and styles left out, line breaks where blocks end, blank lines between
 * paragraphs, raised cents joined with a point. Reads at most `limit` characters, without looking at what follows them.
 */
export function textOf(root: DomNode, limit = 20_000): string {
  const only = onlyText(root);
  if (only !== undefined) return only.slice(0, limit).replace(WIDE_SPACE, ' ').trim();
  const parts: string[] = [];
  let length = 0;
  let node: DomNode | undefined = root;
  // Elements without any text count too: a million empty ones must not be walked for every ancestor.
  for (let visited = 0; node && length < limit && visited < limit + 500; visited += 1) {
    const inner = open(node, parts);
    if (node.type === 'text') {
      const data = node.data.slice(0, limit - length);
      const text = data.replace(WIDE_SPACE, ' ');
      if (text !== ' ' || !isGap(parts.at(-1))) parts.push(text);
      length += data.length;
    }
    node = inner ?? following(node, root, parts);
  }
  return collapseText(parts.join(''));
}

/** The text of an element that holds nothing else, as most cells, links and lines do. */
function onlyText(root: DomNode): string | undefined {
  if (!isElement(root) || root.children.length !== 1 || SILENT.has(root.name)) return undefined;
  const child = root.children[0];
  return child?.type === 'text' ? child.data : undefined;
}

/** The first child to visit below a node, after the gap its beginning makes. */
function open(node: DomNode, parts: string[]): DomNode | undefined {
  if (!isElement(node) || SILENT.has(node.name)) return undefined;
  if (node.name === 'br') parts.push('\n');
  addGap(parts, gapOf(node.name));
  if (node.name === 'sup' && isRaisedCents(node, parts.at(-1))) parts.push('.');
  return node.children[0];
}

/** The node after this one and everything below it, inside the root, after the gaps that the ends between them make. */
function following(node: DomNode, root: DomNode, parts: string[]): DomNode | undefined {
  for (let left: DomNode | null = node; left && left !== root; left = left.parent as DomNode | null) {
    if (isElement(left)) addGap(parts, gapOf(left.name));
    if (left.next) return left.next;
  }
  return undefined;
}

/** The text below an element on one line. */
export function lineOf(element: DomElement, limit = 2_000): string {
  return textOf(element, limit).replace(WIDE_SPACE, ' ');
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
  let text = '';
  for (const child of element.children) {
    if (child.type === 'text') text += child.data.slice(0, 2_000);
    if (text.length > 2_000) break;
  }
  return text === '' ? text : text.replace(WIDE_SPACE, ' ').trim();
}

/** Gaps that meet are one, the wider; only `<br>` adds up. */
function addGap(parts: string[], gap: string | undefined): void {
  if (gap === undefined) return;
  const last = parts.at(-1);
  if (!isGap(last)) parts.push(gap);
  else if (last !== undefined && gap.length > last.length) parts[parts.length - 1] = gap;
}

function isGap(part: string | undefined): boolean {
  return part === '\n' || part === '\n\n';
}

function gapOf(name: string): string | undefined {
  if (PARAGRAPH.has(name)) return '\n\n';
  if (LINE.has(name)) return '\n';
  return CELL.has(name) ? ' ' : undefined;
}

function isRaisedCents(sup: DomElement, before: string | undefined): boolean {
  return before !== undefined && /\d\s*$/.test(before) && RAISED_CENTS.test(ownText(sup)) && ownText(sup).length === 2;
}
