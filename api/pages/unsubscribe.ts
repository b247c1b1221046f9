import { unsubscribeWords } from '../unsubscribe/page-words.ts';
import { readSubscription } from '../unsubscribe/unsubscribe.ts';
import { html, type Child } from './html.ts';
import type { PageAnswer, PageHandler } from './page-handler.ts';
import { formGuard } from './parts.ts';

import type { Visit } from './visit.ts';

/** The page behind the link of a mail that stops such mail: nothing happens before its button is pressed. */
export const showUnsubscribe: PageHandler = async (visit) => {
  const { ask, button, ends } = unsubscribeWords[visit.locale];
  const { kind } = readSubscription(visit.services, tokenOf(visit));
  return answer(
    ask,
    html`<p>${ends[kind]}</p><form method="post">${formGuard(visit)}<button>${button}</button></form>`,
  );
};

/** Stops such mail. */
export const unsubscribe: PageHandler = async (visit) => {
  const { body } = await visit.perform('unsubscribe', { query: { token: tokenOf(visit) } });
  const { done, ended } = unsubscribeWords[visit.locale];
  return answer(done, html`<p class="note" role="status">${ended[body.kind]}</p>`);
};

const tokenOf = ({ query }: Visit) => (typeof query.token === 'string' ? query.token : '');

const answer = (title: string, content: Child): PageAnswer => ({
  page: { title, content: html`<div class="narrow"><h1>${title}</h1>${content}</div>` },
});
