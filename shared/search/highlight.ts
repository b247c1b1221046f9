import { escapeHtml } from '../kit/html.ts';

/** A title and a part of the text, HTML-escaped, with the words that were found in `<mark>`. */
export type Highlight = { title: string; snippet: string };

/** Stand for `<mark>`, `</mark>` and `<` while a text is marked: control characters, which no text keeps and which part words. */
export const START = '\u0001';
export const STOP = '\u0002';
export const LESS = '\u0003';
export const MAX_SNIPPET_LENGTH = 600;
const ELLIPSIS = '…';
const [OPENING, CLOSING] = ['<mark>', '</mark>'];

/** A marked title as HTML, whole. */
export const renderTitle = (marked: string): string => render(marked, Number.POSITIVE_INFINITY);

/** A marked text as HTML of at most 600 characters, markup included. */
export const renderSnippet = (marked: string): string => render(marked, MAX_SNIPPET_LENGTH);

function render(marked: string, limit: number): string {
  let html = '';
  let isOpen = false;
  for (const character of marked) {
    if (character === (isOpen ? START : STOP)) continue;
    const next = character === START ? OPENING : character === STOP ? CLOSING : escapeCharacter(character);
    // There is room for what ends it: the closing tag and the ellipsis.
    const reserve = (character === START || (isOpen && character !== STOP) ? CLOSING.length : 0) + ELLIPSIS.length;
    if (html.length + next.length + reserve > limit) return `${html}${isOpen ? CLOSING : ''}${ELLIPSIS}`;
    html += next;
    if (character === START || character === STOP) isOpen = character === START;
  }
  return isOpen ? html + CLOSING : html;
}

const escapeCharacter = (character: string) => escapeHtml(character === LESS ? '<' : character);

const scripts = /[\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]+/gu;

/** Marks the runs of a query in scripts without spaces between words, whose words PostgreSQL's parser does not tell apart. */
export function markRuns(marked: string, q: string): string {
  const runs = new Set(q.normalize('NFKC').match(scripts) ?? []);
  if (runs.size === 0) return marked;
  let text = unmark(marked);
  for (const run of runs) text = text.replaceAll(run, `${START}${run}${STOP}`);
  return text;
}

const unmark = (marked: string) => marked.replaceAll(START, '').replaceAll(STOP, '');
