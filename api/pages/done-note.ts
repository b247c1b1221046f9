import { html, type Child } from './html.ts';
import type { Visit } from './visit.ts';
import type { Words } from './words/types.ts';

/** What has just been done, as the address of a page names it: the note above its content. */
export function doneNote({ words, query }: Pick<Visit, 'words' | 'query'>): Child {
  const done = typeof query.done === 'string' ? query.done : '';
  return Object.hasOwn(words.done, done) && html`<p class="note" role="status">${words.done[done as Done]}</p>`;
}

export type Done = keyof Words['done'];
