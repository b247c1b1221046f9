import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { API_KEY_PREFIX, hashApiKey, looksLikeApiKey } from '../../shared/accounts/api-key.ts';
import { reachesRole, type Role } from '../../shared/accounts/roles.ts';
import { keyScopes, scopesOf, type KeyPermission, type KeyScope } from '../../shared/accounts/key-scopes.ts';
import { findByAccessToken } from '../../shared/accounts/oauth/grants.ts';
import { ACCESS_TOKEN_PREFIX } from '../../shared/accounts/oauth/secrets.ts';
import type { SessionTokens } from '../../shared/accounts/session-token.ts';
import { MINUTE_MS, type Clock } from '../../shared/kit/clock.ts';
import { enrolmentRequired, forbidden, ServiceError, unauthorized } from '../../shared/kit/errors.ts';
import type { Logger } from '../../shared/kit/log.ts';
import type { Operation } from './contract.ts';

/** Who is calling, read from the database on every request: roles and revocations take effect at once. */
export type Caller = {
  userId: string;
  role: Role;
  name: string;
  via: 'session' | 'api_key' | 'oauth';
  /** What the key or the access token may do; a session may do all that its user may. */
  scopes: readonly KeyScope[];
  /** How many publications a day the key may make; a session is held to none. */
  publicationsPerDay: number | undefined;
  /** Whoever counts for itself where keys do: the user, the key, or the grant of an application. */
  bucket: string;
  /** The user's session epoch as it was when the credential was looked at. */
  sessionEpoch: number;
  /** The session that calls; undefined for a key or an access token. */
  sessionId: string | undefined;
  /** The role needs a second factor that this session has not shown: it has the rights of nobody in particular until it does. */
  mustEnrol: boolean;
};

type Dependencies = {
  pool: Pool;
  tokens: SessionTokens;
  /** The audiences of access tokens that are accepted (RFC 8707). */
  resources: readonly string[];
  clock: Clock;
  log: Logger;
  requireSecondFactor: boolean;
};

/** Finds the caller of a bearer credential: undefined without one; a bad, revoked or ended one throws 401. */
export function createAuthenticator({ pool, tokens, resources, clock, log, requireSecondFactor }: Dependencies) {
  const recordUse = createUseRecorder(pool, clock, log);
  const find = (token: string): Promise<Caller | undefined> => {
    if (token.startsWith(API_KEY_PREFIX)) return findByKey(pool, token, clock.now());
    if (token.startsWith(ACCESS_TOKEN_PREFIX)) return findByGrant(pool, token, resources, clock.now());
    return findBySession(pool, tokens, token, requireSecondFactor);
  };
  return async (authorization: string | undefined): Promise<Caller | undefined> => {
    if (authorization === undefined) return undefined;
    const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
    if (!token) throw unauthorized('The Authorization header must be "Bearer <token>".');
    const caller = await find(token);
    if (!caller) throw unauthorized('The credential is not valid.');
    recordUse(uses[caller.via], caller.sessionId ?? caller.bucket);
    return caller;
  };
}

/**
 * Holds the caller against the operation: 401 without a credential, 403 with one that is not enough. Keys and access tokens are
 * refused operations of sessions, unless a scope is named that lets them.
 */
export function authorize(operation: Operation, caller: Caller | undefined, sessionScope?: KeyScope): void {
  if (!caller) {
    if (operation.auth.required) throw unauthorized();
    return;
  }
  if (caller.via !== 'session') {
    const needed = operation.auth.keyScope ?? (operation.auth.required ? sessionScope : undefined);
    if (operation.auth.required && !needed)
      throw forbidden(
        `This operation needs a session token; an ${caller.via === 'api_key' ? 'API key' : 'access token'} cannot be used.`,
      );
    if (needed) requireScope(caller, needed);
  }
  if (caller.mustEnrol && operation.auth.required && !operation.opensToEnrolment) throw enrolmentRequired();
  if (operation.leastRole && !reachesRole(caller.role, operation.leastRole))
    throw forbidden(
      operation.leastRole === 'admin'
        ? 'This operation is for administrators.'
        : 'This operation is for moderators and administrators.',
    );
}

/** 403 unless the caller may do what the scope covers. */
export function requireScope({ scopes, via }: Pick<Caller, 'scopes' | 'via'>, needed: KeyScope): void {
  if (scopes.includes(needed)) return;
  if (via !== 'oauth')
    throw forbidden(`This needs an API key with the scope '${needed}'; this one has: ${scopes.join(', ')}.`);
  throw new ServiceError('forbidden', `This needs the scope '${needed}'; the access token has: ${scopes.join(', ')}.`, {
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${needed}"` },
  });
}

/** Whether the caller acts for the marketplace in at least that role: by session, or by a key or token that may. */
const actsAs = (caller: Caller | undefined, least: Role): boolean =>
  caller !== undefined && reachesRole(caller.role, least) && caller.scopes.includes('admin');

/** Whether the caller acts as an administrator. */
export const isAdministrator = (caller: Caller | undefined): boolean => actsAs(caller, 'admin');

/** Whether the caller acts as a moderator, which administrators are too. */
export const isModerator = (caller: Caller | undefined): boolean => actsAs(caller, 'moderator');

type Use = { name: string; text: string; everyMs: number };
const uses: Record<Caller['via'], Use> = {
  api_key: {
    name: 'record-key-use',
    text: 'update api_keys set last_used_at = $2 where id = $1',
    everyMs: MINUTE_MS,
  },
  oauth: {
    name: 'record-grant-use',
    text: 'update oauth_grants set last_used_at = $2 where id = $1',
    everyMs: MINUTE_MS,
  },
  // Other processes may have recorded it meanwhile.
  session: {
    name: 'record-session-use',
    text: `update sessions set last_used_at = $2::timestamptz
           where id = $1 and last_used_at < $2::timestamptz - interval '4 minutes'`,
    everyMs: 5 * MINUTE_MS,
  },
};

/** Records `last_used_at` of keys, grants and sessions, coarsely and without making any request wait for it. */
function createUseRecorder(pool: Pool, clock: Clock, log: Logger) {
  const recorded = new LRUCache<string, number>({ max: 10_000 });
  return ({ name, text, everyMs }: Use, id: string): void => {
    const now = clock.now();
    if (now.getTime() - (recorded.get(id) ?? 0) < everyMs) return;
    recorded.set(id, now.getTime());
    pool
      .query({ name, text, values: [id, now] })
      .catch((error: unknown) => log.warn({ err: error }, 'the use of a credential could not be recorded'));
  };
}

/** A token whose session has no row is from before there were any: only its account's epoch ends it. */
async function findBySession(
  pool: Pool,
  tokens: SessionTokens,
  token: string,
  requireSecondFactor: boolean,
): Promise<Caller | undefined> {
  const claims = await tokens.verify(token);
  if (!claims) return undefined;
  const { rows } = await pool.query<{
    role: Role;
    name: string;
    session_epoch: number;
    second_factor: boolean | null;
  }>({
    name: 'caller-by-session',
    text: `select u.role, u.name, u.session_epoch, s.second_factor from users u left join sessions s on s.id = $2
           where u.id = $1 and u.disabled_at is null and s.ended_at is null`,
    values: [claims.userId, claims.sessionId],
  });
  const [user] = rows;
  if (!user || user.session_epoch !== claims.epoch) return undefined;
  const mustEnrol = requireSecondFactor && user.role !== 'user' && user.second_factor !== true;
  return {
    userId: claims.userId,
    role: mustEnrol ? 'user' : user.role,
    name: user.name,
    via: 'session',
    scopes: keyScopes,
    publicationsPerDay: undefined,
    bucket: claims.userId,
    sessionEpoch: user.session_epoch,
    sessionId: claims.sessionId,
    mustEnrol,
  };
}

async function findByGrant(
  pool: Pool,
  token: string,
  resources: readonly string[],
  now: Date,
): Promise<Caller | undefined> {
  const holder = await findByAccessToken(pool, token, resources, now);
  if (!holder) return undefined;
  const { grantId: bucket, ...rest } = holder;
  return { ...rest, via: 'oauth', publicationsPerDay: undefined, bucket, sessionId: undefined, mustEnrol: false };
}

async function findByKey(pool: Pool, key: string, now: Date): Promise<Caller | undefined> {
  if (!looksLikeApiKey(key)) return undefined;
  const { rows } = await pool.query<{
    id: string;
    user_id: string;
    permissions: KeyPermission;
    scopes: string[] | null;
    publications_per_day: number | null;
    role: Role;
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
    sessionId: undefined,
    mustEnrol: false,
  };
}
