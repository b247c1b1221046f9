import { parseLooseJson } from './loose-json.ts';
import type { Page } from './page.ts';

const MAX_SCRIPT = 3_000_000;
const MAX_TOTAL = 6_000_000;
const MAX_VALUES = 40;
const ASSIGNED = /(?:[\w$\])"']\s*=|\bpush\(|\bdefine\(|["']\s*,)\s*(?=[{[])/g;

/** The JSON values a page carries for its own scripts: whole scripts of type JSON, and what inline scripts assign or push. */
export function readEmbeddedJson(page: Page): unknown[] {
  const values: unknown[] = [];
  let read = 0;
  for (const { name, attribs, children } of page.elements) {
    if (name !== 'script' || attribs.src !== undefined || values.length >= MAX_VALUES) continue;
    const type = attribs.type?.trim().toLowerCase() ?? '';
    if (type.includes('ld+json') || /template|html|importmap|speculation/.test(type)) continue;
    const source = children.map((child) => ('data' in child ? child.data : '')).join('');
    if (source.length > MAX_SCRIPT || read + source.length > MAX_TOTAL || !/price|amount/i.test(source)) continue;
    read += source.length;
    if (type.includes('json')) values.push(parseLooseJson(source));
    else values.push(...assignedIn(source));
  }
  return values.slice(0, MAX_VALUES);
}

function assignedIn(source: string): unknown[] {
  const values: unknown[] = [];
  ASSIGNED.lastIndex = 0;
  for (let match = ASSIGNED.exec(source); match && values.length < MAX_VALUES; match = ASSIGNED.exec(source)) {
    const start = match.index + match[0].length;
    const end = endOf(source, start);
    if (end === undefined) break;
    if (end - start > 60) values.push(parseLooseJson(source.slice(start, end)));
    ASSIGNED.lastIndex = Math.max(end, ASSIGNED.lastIndex);
  }
  return values;
}

/** Where the bracket that opens at `start` is closed, texts skipped; undefined when it never is. */
function endOf(source: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    const sign = source[at];
    if (sign === '"' || sign === "'" || sign === '`') {
      at = endOfText(source, at);
      if (at === -1) return undefined;
    } else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function endOfText(source: string, start: number): number {
  const quote = source[start];
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === quote) return at;
  }
  return -1;
}
