import { escapeHtml } from '../../kit/html.ts';
import { MAX_SNIPPET_LENGTH, type Highlight } from '../highlight.ts';
import type { Hit } from './answers.ts';
import { MARKS } from './search-parameters.ts';

/**
 * The title and the part of the description of a hit, in this language, with `<mark>` around what matched and everything else
 * escaped; undefined where Typesense has not marked both.
 */
export function readHighlight({ highlight = {} }: Hit, locale: string): Highlight | undefined {
  const marked = (name: string) => {
    const found = highlight[`${name}_${locale}`] ?? highlight[name];
    const text = Array.isArray(found) ? found[0]?.snippet : found?.snippet;
    return text === undefined ? undefined : mark(text);
  };
  const [title, snippet] = [marked('title'), marked('description')];
  return title === undefined || snippet === undefined || snippet.length > MAX_SNIPPET_LENGTH
    ? undefined
    : { title, snippet };
}

const mark = (text: string) => escapeHtml(text).replaceAll(MARKS.start, '<mark>').replaceAll(MARKS.end, '</mark>');
