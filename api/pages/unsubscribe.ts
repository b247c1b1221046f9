import { readUnsubscribe, type Subscription } from '../../shared/accounts/unsubscribe-token.ts';
import { unsubscribeWords } from '../unsubscribe/page-words.ts';
import { submit, firstText } from './forms.ts';
import { html, type Child } from './html.ts';
import type { Page } from './layout.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard } from './parts.ts';
import type { Visit } from './visit.ts';

/** The page behind the link of a mail: one button, and nothing ends before it is pressed. */
export const showUnsubscribe: PageHandler = async (visit) => {
  const token = typeof visit.query.token === 'string' ? visit.query.token : '';
  const subscription = readUnsubscribe(visit.services.config.jwtSecrets, token);
  if (!subscription) return { status: 400, page: brokenLink(visit) };
  const { ask, button, ends } = unsubscribeWords[visit.locale];
  const form = html`<p>${ends[subscription.kind]}</p>
<form method="post" action="${visit.href('unsubscribe', { token })}">${formGuard(visit)}<input type="hidden" name="token" value="${token}"><button>${button}</button></form>`;
  return { page: page(ask, form) };
};

/** Ends what the token is about, and says so. */
export const unsubscribeByLink: PageHandler = async (visit) =>
  submit(
    async () => {
      const { body } = await visit.perform('unsubscribe', { query: { token: firstText(visit.form.token) } });
      const { done, ended } = unsubscribeWords[visit.locale];
      return { page: page(done, html`<p role="status">${ended[(body as { kind: Subscription['kind'] }).kind]}</p>`) };
    },
    () => brokenLink(visit),
  );

const page = (title: string, content: Child): Page => ({
  title,
  content: html`<div class="narrow"><h1>${title}</h1>${content}</div>`,
});

const brokenLink = ({ words }: Visit): Page =>
  page(words.errors.invalid, html`<p class="note bad" role="alert">${words.errors.link}</p>`);
