import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { addMilliseconds, dayOf, type Clock } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';
import { newId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { isKnownNetwork, rememberNetwork } from './login-networks.ts';
import { SESSION_SECONDS } from './session-token.ts';
import { describeOrigin, tellOwner, type RequestOrigin } from './tell-owner.ts';

type Opening = { jobs: Pick<Jobs, 'enqueue'>; clock: Clock; config: Pick<Config, 'site'> };

type NewSession = {
  userId: string;
  origin: RequestOrigin;
  /** Whether a second factor was shown, or a passkey. */
  secondFactor: boolean;
  /** Whether the owner is told of a device that the account was not opened from within 90 days. */
  tellsOwner: boolean;
};

/**
 * Opens a session for somebody who has proved to be the owner, in the caller's transaction: its id goes into the token. A mail
 * tells the owner of an unknown device: a pair of device and network that no session of the account had, once a day.
 */
export async function openSession(
  tx: Tx,
  services: Opening,
  { userId, origin, secondFactor, tellsOwner }: NewSession,
): Promise<string> {
  const now = services.clock.now();
  const id = newId('session');
  const place = describeOrigin(origin);
  const isUnknown = tellsOwner && !(await isKnownDevice(tx, userId, place, origin.network));
  await tx
    .insertInto('sessions')
    .values({ id, user_id: userId, ...place, second_factor: secondFactor, ...lifeFrom(now) })
    .execute();
  await rememberNetwork(tx, userId, origin.network, now);
  if (isUnknown) {
    const pair = createHash('sha256').update(`${place.device} ${place.network}`).digest('hex').slice(0, 16);
    const notice = { userId, event: 'signed_in', origin, id: `${pair}.${dayOf(now)}` } as const;
    await tellOwner(tx, services, notice, now);
  }
  return id;
}

const lifeFrom = (now: Date) => ({
  created_at: now,
  last_used_at: now,
  expires_at: addMilliseconds(now, SESSION_SECONDS * 1_000),
});

/** Of an account without any session, as all were before sessions had rows, the networks are asked that it was opened from. */
async function isKnownDevice(
  tx: Tx,
  userId: string,
  { device, network }: { device: string; network: string },
  address: string,
): Promise<boolean> {
  const { rows } = await sql<{ known: boolean | null }>`
    select bool_or(device = ${device} and network = ${network}) as known from sessions where user_id = ${userId}`.execute(
    tx,
  );
  return rows[0]?.known ?? (await isKnownNetwork(tx, userId, address));
}

type SessionOf = { userId: string; sessionId: string };

/** Gives a token from before sessions had rows its row, so that it can be seen and ended; nothing for others. */
export async function keepSession(
  db: Database,
  { userId, sessionId }: SessionOf,
  origin: RequestOrigin,
  now: Date,
): Promise<void> {
  await db
    .insertInto('sessions')
    .values({
      id: sessionId,
      user_id: userId,
      ...describeOrigin(origin),
      second_factor: false,
      ...lifeFrom(now),
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** What is known of a session; undefined for one without a row. */
export const findSession = (db: Database, sessionId: string | undefined) =>
  db
    .selectFrom('sessions')
    .select(['device', 'network', 'second_factor'])
    .where('id', '=', sessionId ?? '')
    .executeTakeFirst();

/** How far back a list of sessions goes. */
const MAX_SHOWN = 100;

/** The sessions of a user that are open, the last used first; at most 100. */
export const findOpenSessions = (db: Database, userId: string, now: Date) =>
  db
    .selectFrom('sessions')
    .select(['id', 'device', 'network', 'second_factor', 'created_at', 'last_used_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_SHOWN)
    .execute();

/** Ends one session of a user, for good: its token opens nothing from here on. False for one that is not theirs. */
export async function closeSession(db: Database, { userId, sessionId }: SessionOf, now: Date): Promise<boolean> {
  const ended = await db
    .updateTable('sessions')
    .set((build) => ({ ended_at: build.fn.coalesce('ended_at', build.val(now)) }))
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  return ended !== undefined;
}

/** Ends every session of a user on every process, those of before there were rows too. */
export async function endSessions(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('users')
    .set((build) => ({ session_epoch: build('session_epoch', '+', 1), updated_at: now }))
    .where('id', '=', userId)
    .execute();
  await closeSessions(tx, userId, now);
}

/** Ends the sessions of a user, all of them or all but one. */
export async function closeSessions(tx: Tx, userId: string, now: Date, exceptId?: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ ended_at: now })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .$if(exceptId !== undefined, (query) => query.where('id', '!=', exceptId ?? ''))
    .execute();
}
