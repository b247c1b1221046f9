import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { HOUR_MS, type Clock } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';
import { urlTo } from '../kit/site-links.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { findSuspension, mailSuspension } from './suspension.ts';
import { createAccountToken, type Purpose } from './account-tokens.ts';

/** The mails of one purpose that one address gets in an hour; what is asked for beyond that stays unanswered. */
export const MAILS_PER_HOUR = 5;

/** The page on which a token is redeemed. */
const pages = { magic_link: 'sign_in_link', password_reset: 'reset_password', verify_email: 'verify_email' } as const;
/** Where a link to log in leads: to the pages for people, or to the console of those who have a role. */
export type LinkPage = 'site' | 'console';
const templates = { magic_link: 'magic-link', password_reset: 'password-reset', verify_email: 'verify-email' } as const;

/**
 * Asks for a link to be mailed to an address, in the caller's transaction. Nothing is looked up here: whoever asks can learn
 * neither from the answer nor from its time whether the address has an account.
 */
export async function requestLink(
  tx: Tx,
  { jobs, clock }: { jobs: Pick<Jobs, 'enqueue'>; clock: Clock },
  purpose: Purpose,
  email: string,
  page?: LinkPage,
): Promise<void> {
  const id = randomUUID();
  await tx.insertInto('account_link_requests').values({ id, purpose, email, created_at: clock.now() }).execute();
  await jobs.enqueue(tx, 'mail-account-link', { request_id: id, page });
}

type Answering = {
  jobs: Pick<Jobs, 'enqueue'>;
  clock: Clock;
  config: Pick<Config, 'rateLimitMultiplier'>;
};

/** Answers a request once, in the caller's transaction: it enqueues the mail, or says why there is none. */
export async function answerLinkRequest(
  tx: Tx,
  { jobs, clock, config }: Answering,
  { requestId, page }: { requestId: string; page?: LinkPage | undefined },
): Promise<{ mailed: string } | { skipped: string }> {
  const request = await tx
    .deleteFrom('account_link_requests')
    .where('id', '=', requestId)
    .returning(['purpose', 'email'])
    .executeTakeFirst();
  if (!request) return { skipped: 'it was answered before' };
  const purpose = request.purpose as Purpose;
  const user = await tx
    .selectFrom('users')
    .select(['id', 'verified', 'disabled_at'])
    .where('email', '=', request.email)
    .executeTakeFirst();
  const suspension = user?.disabled_at ? await findSuspension(tx, user.id) : undefined;
  if (!user || (user.disabled_at && !suspension)) return { skipped: 'no account can be opened with the address' };
  if (purpose === 'verify_email' && user.verified) return { skipped: 'the address is proved already' };
  if (!(await countMail(tx, purpose, user.id, config.rateLimitMultiplier, clock.now())))
    return { skipped: 'the address has got enough of these mails this hour' };
  if (suspension) {
    await mailSuspension(tx, { jobs }, { id: suspension.id, userId: user.id, occasion: requestId });
    return { mailed: 'account-suspended' };
  }
  const template = templates[purpose];
  await jobs.enqueue(tx, 'send-email', {
    message_id: `${template}.${requestId}`,
    template,
    user_id: user.id,
    data: page === undefined ? {} : { page },
  });
  return { mailed: template };
}

/** Counts one more mail of the hour; false, and nothing counted, when that would be too many. */
async function countMail(tx: Tx, purpose: Purpose, userId: string, multiplier: number, now: Date): Promise<boolean> {
  if (multiplier === 0) return true;
  const limit = Math.max(1, Math.floor(MAILS_PER_HOUR * multiplier));
  const start = new Date(now.getTime() - (now.getTime() % HOUR_MS));
  const { rows } = await sql`
    insert into quota_uses as q (quota, subject, window_start, used)
    values (${`account_mail:${purpose}`}, ${userId}, ${start}, 1)
    on conflict (quota, subject, window_start) do update set used = q.used + 1 where q.used < ${limit}
    returning used`.execute(tx);
  return rows.length === 1;
}

/**
 * The address of the page that redeems a fresh token of that account; undefined when the account cannot be opened any more.
 * Following the link redeems nothing: the page has a button for that. Who has no role is never led to the console.
 */
export async function createAccountLink(
  { db, clock, config }: { db: Database; clock: Clock; config: Pick<Config, 'site' | 'baseUrl'> },
  purpose: Purpose,
  userId: string,
  page: LinkPage = 'site',
): Promise<string | undefined> {
  const user = await db
    .selectFrom('users')
    .select(['id', 'email', 'role'])
    .where('id', '=', userId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (!user) return undefined;
  const token = await createAccountToken(db, { purpose, user }, clock.now());
  // Its fragment is sent to nobody.
  if (page === 'console' && user.role !== 'user') return `${config.baseUrl}/admin#/login?token=${token}`;
  return urlTo(config.site, pages[purpose], { token });
}
