import { inTransaction } from '../../db/client.ts';
import { readUnsubscribe, type Subscription } from '../../shared/accounts/unsubscribe-token.ts';
import { invalid } from '../../shared/errors.ts';
import type { Tx } from '../../shared/jobs.ts';
import { unsubscribeFromNewsletter } from '../../shared/newsletter/subscription.ts';
import { unsubscribeFromSearch } from '../../shared/saved-searches/save.ts';
import { renderPage } from '../http/page.ts';
import type { Handler } from '../http/types.ts';
import type { Services } from '../services.ts';

type Kind = Subscription['kind'];

/** The page behind the link of a mail: one button, and nothing happens before it is pressed. */
export const showUnsubscribe: Handler<'showUnsubscribe'> = (services, { query }) => {
  const { kind } = readToken(services, query.token);
  const content = `<p>${questions[kind]}</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Stop these mails</button></form>`;
  const { body, headers } = renderPage({ title: 'Stop these mails?', content });
  return { status: 200, body, headers };
};

/** Ends what the token is about, as often as it is asked to; what is not there any more has ended. */
export const unsubscribe: Handler<'unsubscribe'> = async (services, { query, wantsPage }) => {
  const { kind, id } = readToken(services, query.token);
  await inTransaction(services.db, (tx) => ends[kind](tx, id, services.clock.now()));
  if (!wantsPage) return { status: 200, body: { unsubscribed: true, kind }, headers: { Vary: 'Accept' } };
  const { body, headers } = renderPage({ title: 'Done', content: `<p>${answers[kind]}</p>` });
  return { status: 200, body, headers: { ...headers, Vary: 'Accept' } };
};

function readToken({ config }: Services, token: string): Subscription {
  const subscription = readUnsubscribe(config.jwtSecrets, token);
  if (!subscription)
    throw invalid('This link is not complete, or not one of ours.', [
      { path: '/query/token', message: 'is not a token of a mail' },
    ]);
  return subscription;
}

const ends: Record<Kind, (tx: Tx, id: string, now: Date) => Promise<void>> = {
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

const questions: Record<Kind, string> = {
  saved_search: 'We will not write to you about this saved search any more. You keep the search itself.',
  newsletter: 'You will not get the newsletter any more.',
  notifications:
    'We will not write to you about your listings, messages and searches any more. Mails about your account itself still come.',
};

const answers: Record<Kind, string> = {
  saved_search: 'We do not write to you about this saved search any more.',
  newsletter: 'You do not get the newsletter any more.',
  notifications: 'We only write to you about your account itself from now on. You can change this in your profile.',
};
