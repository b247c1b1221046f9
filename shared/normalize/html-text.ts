import { boundHtml } from '../kit/html/bound-html.ts';
import { parseHtml } from '../kit/html/parse.ts';
import { collapseText, textOf } from '../kit/html/text.ts';

const MARKUP = /<\/?[a-z][^<>]*>|&(?:[a-z]{2,8}|#\d{2,6}|#x[\da-f]{2,5});/i;
const MAX_SOURCE = 200_000;

/**
 * Plain text of a text that may hold HTML, once or twice escaped: tags and entities gone, paragraphs and line breaks kept,
 * other white space collapsed, control characters dropped.
 */
export function toPlainText(text: string): string {
  let plain = text.slice(0, MAX_SOURCE);
  for (let round = 0; round < 2 && MARKUP.test(plain); round += 1) plain = stripMarkup(plain);
  // eslint-disable-next-line no-control-regex
  return collapseText(plain.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b\u2060\ufeff]/g, ''));
}

/** The same on one line. */
export function toPlainLine(text: string): string {
  return toPlainText(text).replace(/\s+/g, ' ');
}

/** Line breaks of the source stay when it is text with some markup, not markup with text. */
function stripMarkup(text: string): string {
  const hasBlocks = /<(?:p|br|div|li|h[1-6]|tr)\b/i.test(text);
  const source = hasBlocks ? text : text.replace(/\r?\n/g, '<br>');
  const root = parseHtml(boundHtml(`<div>${source}</div>`));
  return root ? textOf(root, MAX_SOURCE) : '';
}
