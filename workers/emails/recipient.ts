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
  /** Why nothing at all may be sent. */
  wantsNone?: string;
};

/** Whom a message goes to, as things stand now: a user or a subscriber of the newsletter. One who does not exist is given up. */
export async function findRecipient(
  db: Database,
  {
    user_id: userId,
    subscriber_id: subscriberId,
  }: { user_id?: string | undefined; subscriber_id?: string | undefined },
): Promise<Recipient> {
  if (userId !== undefined) return findUser(db, userId);
  if (subscriberId !== undefined) return findSubscriber(db, subscriberId);
  throw new GiveUp('the message names no recipient');
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
  return disabledAt === null ? recipient : { ...recipient, wantsNone: 'the account is disabled' };
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
