import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { API_KEY_PREFIX, hashApiKey, looksLikeApiKey } from '../../shared/accounts/api-key.ts';
import { keyScopes, scopesOf, type KeyPermission, type KeyScope } from '../../shared/accounts/key-scopes.ts';
import type { SessionTokens } from '../../shared/accounts/session-token.ts';
import { MINUTE_MS, type Clock } from '../../shared/kit/clock.ts';
import { forbidden, unauthorized } from '../../shared/kit/errors.ts';
import type { Logger } from '../../shared/kit/log.ts';
import type { Operation } from './contract.ts';

/** Who is calling, read from the database on every request: roles and revocations take effect at once. */
export type Caller = {
  userId: string;
  role: 'user' | 'admin';
  name: string;
  via: 'session' | 'api_key';
  /** What the key may do; a session may do all that its user may. */
  scopes: readonly KeyScope[];
  /** How many publications a day the key may make; a session is held to none. */
  publicationsPerDay: number | undefined;
  /** Whoever counts for itself where keys do: the user, or the key. */
  bucket: string;
  /** The user's session epoch as it was when the credential was looked at. */
  sessionEpoch: number;
};

type Dependencies = { pool: Pool; tokens: SessionTokens; clock: Clock; log: Logger };

/** Finds the caller of a bearer credential: undefined without one; a bad, revoked or ended one throws 401. */
export function createAuthenticator({ pool, tokens, clock, log }: Dependencies) {
  const recordUse = createKeyUseRecorder(pool, clock, log);
  return async (authorization: string | undefined): Promise<Caller | undefined> => {
    if (authorization === undefined) return undefined;
    const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
    if (!token) throw unauthorized('The Authorization header must be "Bearer <token>".');
    const caller = token.startsWith(API_KEY_PREFIX)
      ? await findByKey(pool, token, clock.now())
      : await findBySession(pool, tokens, token);
    if (!caller) throw unauthorized('The credential is not valid.');
    if (caller.via === 'api_key') recordUse(caller.bucket);
    return caller;
  };
}

/**
 * Holds the caller against the operation: 401 without a credential, 403 with one that is not enough. Keys are refused operations of
 * sessions, unless a scope is named that lets them.
 */
export function authorize(operation: Operation, caller: Caller | undefined, sessionScope?: KeyScope): void {
  if (!caller) {
    if (operation.auth.required) throw unauthorized();
    return;
  }
  if (caller.via === 'api_key') {
    const needed = operation.auth.keyScope ?? (operation.auth.required ? sessionScope : undefined);
    if (operation.auth.required && !needed)
      throw forbidden('This operation needs a session token; an API key cannot be used.');
    if (needed) requireScope(caller, needed);
  }
  if (operation.adminOnly && caller.role !== 'admin') throw forbidden('This operation is for administrators.');
}

/** 403 unless the caller may do what the scope covers. */
export function requireScope({ scopes }: Pick<Caller, 'scopes'>, needed: KeyScope): void {
  if (!scopes.includes(needed))
    throw forbidden(`This needs an API key with the scope '${needed}'; this one has: ${scopes.join(', ')}.`);
}

/** Whether the caller acts for the marketplace: an administrator by session, or by a key that may. */
export const isAdministrator = (caller: Caller | undefined): boolean =>
  caller?.role === 'admin' && caller.scopes.includes('admin');

/** Records `last_used_at` of keys to the minute, without making any request wait for it. */
function createKeyUseRecorder(pool: Pool, clock: Clock, log: Logger) {
  const recorded = new LRUCache<string, number>({ max: 10_000 });
  return (keyId: string): void => {
    const now = clock.now();
    if (now.getTime() - (recorded.get(keyId) ?? 0) < MINUTE_MS) return;
    recorded.set(keyId, now.getTime());
    pool
      .query({
        name: 'record-key-use',
        text: 'update api_keys set last_used_at = $2 where id = $1',
        values: [keyId, now],
      })
      .catch((error: unknown) => log.warn({ err: error }, 'the use of a key could not be recorded'));
  };
}

async function findBySession(pool: Pool, tokens: SessionTokens, token: string): Promise<Caller | undefined> {
  const claims = await tokens.verify(token);
  if (!claims) return undefined;
  const { rows } = await pool.query<{ role: Caller['role']; name: string; session_epoch: number }>({
    name: 'caller-by-session',
    text: 'select role, name, session_epoch from users where id = $1 and disabled_at is null',
    values: [claims.userId],
  });
  const [user] = rows;
  if (!user || user.session_epoch !== claims.epoch) return undefined;
  return {
    userId: claims.userId,
    role: user.role,
    name: user.name,
    via: 'session',
    scopes: keyScopes,
    publicationsPerDay: undefined,
    bucket: claims.userId,
    sessionEpoch: user.session_epoch,
  };
}

async function findByKey(pool: Pool, key: string, now: Date): Promise<Caller | undefined> {
  if (!looksLikeApiKey(key)) return undefined;
  const { rows } = await pool.query<{
    id: string;
    user_id: string;
    permissions: KeyPermission;
    scopes: string[] | null;
    publications_per_day: number | null;
    role: Caller['role'];
    name: string;
    session_epoch: number;
  }>({
    name: 'caller-by-key',
    text: `select k.id, k.user_id, k.permissions, k.scopes, k.publications_per_day, u.role, u.name, u.session_epoch
           from api_keys k join users u on u.id = k.user_id
           where k.key_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $2) and u.disabled_at is null`,
    values: [hashApiKey(key), now],
  });
  const [row] = rows;
  if (!row) return undefined;
  return {
    userId: row.user_id,
    role: row.role,
    name: row.name,
    via: 'api_key',
    scopes: scopesOf(row.permissions, row.scopes),
    publicationsPerDay: row.publications_per_day ?? undefined,
    bucket: row.id,
    sessionEpoch: row.session_epoch,
  };
}
