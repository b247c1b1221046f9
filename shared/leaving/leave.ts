import { sql } from 'kysely';
import { recordEvents } from '../journal/events.ts';
import type { Clock } from '../kit/clock.ts';
import { conflict } from '../kit/errors.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { stopRun } from '../runs/control.ts';
import { pauseWebhooks } from '../webhooks/subscriptions.ts';
import { startErasure } from './erase-run.ts';

/** The name that others see of an account that has left. */
export const DELETED_USER = 'Deleted user';
/** No mail can be sent there (RFC 2606), and no address can be registered that is like it. */
const addressOf = (userId: string) => `${userId}@deleted.invalid`.toLowerCase();

/** What opens the account, tells where it was opened, or kept it shut. */
const credentialTables = [
  'api_keys',
  'account_tokens',
  'login_networks',
  'oauth_grants',
  'oauth_codes',
  'sessions',
  'totp_secrets',
  'passkeys',
  'suspensions',
  'traders',
] as const;

type Services = { jobs: Pick<Jobs, 'enqueue'>; clock: Clock };

/** How many scrapers a refusal names. */
const MAX_NAMED = 5;

/**
 * Ends an account in one transaction: its row is anonymised, its credentials are deleted, and the run that erases the rest is
 * queued. From the commit on nothing opens it, and its address is free. 409 for the last administrator, and for one who owns
 * scrapers.
 */
export async function leaveAccount(tx: Tx, services: Services, userId: string): Promise<void> {
  const now = services.clock.now();
  await requireDispensable(tx, userId);
  const { email, name, language } = await tx
    .selectFrom('users')
    .select(['email', 'name', 'language'])
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  await tx.insertInto('account_leavings').values({ user_id: userId, email, language, left_at: now }).execute();
  await sql`
    insert into account_leaving_traces (user_id, kind, trace)
    select ${userId}, 'id', id from (select ${userId} as id union all select id from api_keys where user_id = ${userId}) as own
    union select ${userId}, 'query', md5(${name.toLowerCase()})`.execute(tx);
  await tx
    .updateTable('users')
    .set((build) => ({
      email: addressOf(userId),
      name: DELETED_USER,
      type: 'human',
      role: 'user',
      verified: false,
      email_notifications: false,
      language: 'en',
      password_hash: null,
      applied_password_hash: null,
      session_epoch: build('session_epoch', '+', 1),
      disabled_at: now,
      left_at: now,
      updated_at: now,
    }))
    .where('id', '=', userId)
    .execute();
  await pauseWebhooks(tx, userId, now);
  for (const table of credentialTables) await tx.deleteFrom(table).where('user_id', '=', userId).execute();
  await tx
    .deleteFrom('user_blocks')
    .where((build) => build.or([build('blocker_id', '=', userId), build('blocked_id', '=', userId)]))
    .execute();
  for (const table of ['newsletter_subscribers', 'account_link_requests'] as const)
    await tx.deleteFrom(table).where('email', '=', email).execute();
  await sql`delete from quota_uses where subject = any(${[userId, await passwordSubject(tx, email)]}::text[])`.execute(
    tx,
  );
  await stopRun(tx, 'export', userId, now);
  await recordEvents(tx, now, [{ type: 'user.left', subject: userId, ownerId: null, data: {} }]);
  await startErasure(tx, services.jobs, userId, now);
}

/** Under this the wrong passwords of an address are counted. */
async function passwordSubject(tx: Tx, email: string): Promise<string> {
  const { rows } = await sql<{ subject: string }>`
    select rtrim(translate(encode(sha256(convert_to(${email}, 'UTF8')), 'base64'), '+/', '-_'), '=') as subject`.execute(
    tx,
  );
  return rows[0]!.subject;
}

/**
 * 409 where nobody would be left to run the marketplace, and for whoever owns scrapers, whatever their role is by now: what those
 * brought in would go with the account. Administrators who leave at once take turns.
 */
async function requireDispensable(tx: Tx, userId: string): Promise<void> {
  const admins = await tx
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  if (admins.length === 1 && admins[0]?.id === userId)
    throw conflict('The last administrator cannot leave: make somebody else one first.');
  const scrapers = await tx
    .selectFrom('scrapers')
    .select('name')
    .where('owner_id', '=', userId)
    .orderBy('created_at')
    .limit(MAX_NAMED)
    .execute();
  if (scrapers.length === 0) return;
  const names = scrapers.map(({ name }) => name).join(', ');
  throw conflict(
    `Whoever owns scrapers cannot leave: ${names}. An administrator has to delete them; what they brought in is erased with the account then.`,
  );
}
