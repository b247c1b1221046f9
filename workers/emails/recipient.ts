import type { Database } from '../../db/client.ts';
import type { Subscription } from '../../shared/accounts/unsubscribe-token.ts';
import { GiveUp } from '../../shared/queues/jobs.ts';
import { outgoingLocale } from '../../shared/profiles/locale.ts';
import type { Locale } from '../../shared/profiles/profile.ts';

export type Recipient = {
  id: string;
  /** What a link in mail that is not essential ends. */
  subscription: Subscription;
  email: string;
  locale: Locale;
  /** Whether mail that is not essential is welcome. */
  wantsNews: boolean;
  /** Nothing but the mail that tells of it is sent to a suspended account. */
  isSuspended?: true;
  /** Why nothing at all may be sent. */
  wantsNone?: string;
};

type Named = { user_id?: string | undefined; subscriber_id?: string | undefined; leaving_id?: string | undefined };

/** Whom a message goes to, as things stand now: a user, a subscriber of the newsletter, or who has left. One who does not exist is given up. */
export async function findRecipient(
  db: Database,
  { user_id: userId, subscriber_id: subscriberId, leaving_id: leavingId }: Named,
): Promise<Recipient> {
  if (userId !== undefined) return findUser(db, userId);
  if (subscriberId !== undefined) return findSubscriber(db, subscriberId);
  if (leavingId !== undefined) return findLeaver(db, leavingId);
  throw new GiveUp('the message names no recipient');
}

/** An account that has left gets one mail, after which its address is forgotten. */
async function findLeaver(db: Database, id: string): Promise<Recipient> {
  const leaver = await db
    .selectFrom('account_leavings')
    .select(['email', 'language'])
    .where('user_id', '=', id)
    .executeTakeFirst();
  if (!leaver) throw new GiveUp(`nobody has left as ${id}`);
  const { email, language } = leaver;
  const subscription = { kind: 'notifications' as const, id };
  const recipient = { id, email: email ?? '', locale: outgoingLocale(language), subscription, wantsNews: false };
  return email === null ? { ...recipient, wantsNone: 'the address is forgotten' } : recipient;
}

async function findUser(db: Database, id: string): Promise<Recipient> {
  const user = await db
    .selectFrom('users')
    .select(['email', 'email_notifications', 'language', 'disabled_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!user) throw new GiveUp(`there is no user ${id}`);
  const { email, email_notifications: wantsNews, language, disabled_at: disabledAt } = user;
  const subscription = { kind: 'notifications' as const, id };
  const recipient = { id, email, locale: outgoingLocale(language), subscription, wantsNews };
  return disabledAt === null ? recipient : { ...recipient, isSuspended: true };
}

async function findSubscriber(db: Database, id: string): Promise<Recipient> {
  const subscriber = await db
    .selectFrom('newsletter_subscribers')
    .select(['email', 'language', 'unsubscribed_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!subscriber) throw new GiveUp(`there is no subscriber ${id}`);
  const { email, language, unsubscribed_at: endedAt } = subscriber;
  const subscription = { kind: 'newsletter' as const, id };
  const recipient = { id, email, locale: outgoingLocale(language), subscription, wantsNews: true };
  return endedAt === null ? recipient : { ...recipient, wantsNone: 'the recipient has unsubscribed' };
}
