import { inTransaction } from '../../db/client.ts';
import { readUnsubscribe, type Subscription } from '../../shared/accounts/unsubscribe-token.ts';
import { invalid } from '../../shared/kit/errors.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import { unsubscribeFromNewsletter } from '../../shared/newsletter/subscription.ts';
import { unsubscribeFromSearch } from '../../shared/saved-searches/save.ts';
import { renderPage } from '../http/page.ts';
import type { Handler } from '../handler.ts';
import type { Services } from '../services.ts';
import { unsubscribeWords } from './page-words.ts';

type Kind = Subscription['kind'];

/** The page behind the link of a mail: one button, and nothing happens before it is pressed. */
export const showUnsubscribe: Handler<'showUnsubscribe'> = (services, { query, locale }) => {
  const { kind } = readSubscription(services, query.token);
  const { ask, button, ends } = unsubscribeWords[locale];
  const content = `<p>${ends[kind]}</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>${button}</button></form>`;
  return { status: 200, ...renderPage(services.config, { locale, title: ask, content }) };
};

/** Ends what the token is about, as often as it is asked to; what is not there any more has ended. */
export const unsubscribe: Handler<'unsubscribe'> = async (services, { query, locale, wantsPage }) => {
  const { kind, id } = readSubscription(services, query.token);
  await inTransaction(services.db, (tx) => end[kind](tx, id, services.clock.now()));
  if (!wantsPage) return { status: 200, body: { unsubscribed: true, kind }, headers: { Vary: 'Accept' } };
  const { done, ended } = unsubscribeWords[locale];
  const { body, headers } = renderPage(services.config, { locale, title: done, content: `<p>${ended[kind]}</p>` });
  return { status: 200, body, headers: { ...headers, Vary: `Accept, ${headers.Vary}` } };
};

/** What the token of a mail ends; 400 for anything else. */
export function readSubscription({ config }: Services, token: string): Subscription {
  const subscription = readUnsubscribe(config.jwtSecrets, token);
  if (!subscription)
    throw invalid('This link is not complete, or not one of ours.', [
      { path: '/query/token', message: 'is not a token of a mail' },
    ]);
  return subscription;
}

const end: Record<Kind, (tx: Tx, id: string, now: Date) => Promise<void>> = {
  saved_search: unsubscribeFromSearch,
  newsletter: unsubscribeFromNewsletter,
  notifications: unsubscribeFromNotifications,
};

async function unsubscribeFromNotifications(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('users')
    .set({ email_notifications: false, updated_at: now })
    .where('id', '=', id)
    .where('email_notifications', '=', true)
    .execute();
}
