import { escapeHtml } from '../../kit/html.ts';
import type { Hit } from './answers.ts';
import { MARKS } from './search-parameters.ts';

/** A title and an excerpt of the description with `<mark>` around what matched; everything else is escaped. */
export type Highlights = { title?: string; snippet?: string };

const MAX_SNIPPET = 600;

/** The highlights of a hit, of the texts that a reader in this language is shown. */
export function readHighlights({ highlight = {} }: Hit, locale: string): Highlights {
  const snippetOf = (name: string) => {
    const found = highlight[`${name}_${locale}`] ?? highlight[name];
    const snippet = Array.isArray(found) ? found[0]?.snippet : found?.snippet;
    return snippet === undefined ? undefined : mark(snippet);
  };
  const [title, snippet] = [snippetOf('title'), snippetOf('description')];
  return {
    ...(title !== undefined && { title }),
    ...(snippet !== undefined && snippet.length <= MAX_SNIPPET && { snippet }),
  };
}

const mark = (text: string) => escapeHtml(text).replaceAll(MARKS.start, '<mark>').replaceAll(MARKS.end, '</mark>');
