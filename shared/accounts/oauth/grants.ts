import type { Pool } from 'pg';
import type { Database } from '../../../db/client.ts';
import { addMilliseconds, DAY_MS } from '../../kit/clock.ts';
import { newId } from '../../kit/ids.ts';
import type { Tx } from '../../queues/jobs.ts';
import { keyScopes, type KeyScope } from '../key-scopes.ts';
import { keepOAuthClient } from './clients.ts';
import { createOAuthSecret, hashOAuthSecret } from './secrets.ts';

export const ACCESS_TOKEN_SECONDS = 1_800;
const REFRESH_TOKEN_MS = 30 * DAY_MS;

/** A pair of tokens, and what the access token may do. */
export type IssuedTokens = { accessToken: string; refreshToken: string; scopes: KeyScope[] };

type Grant = { userId: string; clientId: string; scopes: readonly KeyScope[]; resource: string };

/** Stored scopes in their fixed order. */
export const readScopes = (stored: readonly string[]): KeyScope[] => keyScopes.filter((each) => stored.includes(each));

/**
 * Makes a grant of a user, whose row is locked, to a client: it takes the place of the one before, whose tokens end. Answers its
 * id with its first tokens.
 */
export async function createGrant(tx: Tx, grant: Grant, now: Date): Promise<{ id: string; tokens: IssuedTokens }> {
  const id = newId('oauth_grant');
  await tx
    .updateTable('oauth_grants')
    .set({ revoked_at: now })
    .where('user_id', '=', grant.userId)
    .where('client_id', '=', grant.clientId)
    .where('revoked_at', 'is', null)
    .execute();
  await tx
    .insertInto('oauth_grants')
    .values({
      id,
      user_id: grant.userId,
      client_id: grant.clientId,
      scopes: [...grant.scopes],
      resource: grant.resource,
      created_at: now,
      expires_at: now,
    })
    .execute();
  return { id, tokens: await issueTokens(tx, { id, ...grant }, grant.scopes, now) };
}

/** Issues a pair of tokens, and lets the grant last as long as the refresh token. */
export async function issueTokens(
  tx: Tx,
  grant: { id: string; clientId: string; scopes: readonly KeyScope[] },
  scopes: readonly KeyScope[],
  now: Date,
): Promise<IssuedTokens> {
  const access = createOAuthSecret('access');
  const refresh = createOAuthSecret('refresh');
  const endsAt = addMilliseconds(now, REFRESH_TOKEN_MS);
  const common = { grant_id: grant.id, created_at: now };
  await tx
    .insertInto('oauth_tokens')
    .values([
      {
        ...common,
        token_hash: access.hash,
        kind: 'access',
        scopes: [...scopes],
        expires_at: addMilliseconds(now, ACCESS_TOKEN_SECONDS * 1_000),
      },
      { ...common, token_hash: refresh.hash, kind: 'refresh', scopes: [...grant.scopes], expires_at: endsAt },
    ])
    .execute();
  await tx.updateTable('oauth_grants').set({ expires_at: endsAt }).where('id', '=', grant.id).execute();
  await keepOAuthClient(tx, grant.clientId, now);
  return { accessToken: access.secret, refreshToken: refresh.secret, scopes: [...scopes] };
}

/** Ends a grant with its tokens, on every process at once. */
export async function revokeGrant(db: Database, id: string, now: Date): Promise<void> {
  await db
    .updateTable('oauth_grants')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Ends every grant of a user whose row is locked; answers which applications they were given to. */
export async function revokeGrants(tx: Tx, userId: string, now: Date): Promise<{ id: string; name: string }[]> {
  const ended = await tx
    .updateTable('oauth_grants as g')
    .from('oauth_clients as c')
    .set({ revoked_at: now })
    .whereRef('c.id', '=', 'g.client_id')
    .where('g.user_id', '=', userId)
    .where('g.revoked_at', 'is', null)
    .returning(['g.id', 'c.name', 'g.expires_at'])
    .execute();
  return ended
    .filter(({ expires_at: expiresAt }) => expiresAt > now)
    .map(({ id, name }) => ({ id, name }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** The grants of a user that are in force, newest first. */
export async function listGrants(db: Database, userId: string, now: Date) {
  return db
    .selectFrom('oauth_grants as g')
    .innerJoin('oauth_clients as c', 'c.id', 'g.client_id')
    .select(['g.id', 'c.name', 'c.redirect_uris', 'g.scopes', 'g.created_at', 'g.last_used_at'])
    .where('g.user_id', '=', userId)
    .where('g.revoked_at', 'is', null)
    .where('g.expires_at', '>', now)
    .orderBy('g.id', 'desc')
    .execute();
}

export type TokenHolder = {
  grantId: string;
  userId: string;
  role: 'user' | 'admin';
  name: string;
  scopes: KeyScope[];
  sessionEpoch: number;
};

/** Who an access token stands for, when its audience is one of the resources; undefined for one that is not in force. */
export async function findByAccessToken(
  pool: Pool,
  token: string,
  resources: readonly string[],
  now: Date,
): Promise<TokenHolder | undefined> {
  const { rows } = await pool.query<{
    id: string;
    user_id: string;
    scopes: string[];
    role: TokenHolder['role'];
    name: string;
    session_epoch: number;
  }>({
    name: 'caller-by-access-token',
    text: `select g.id, g.user_id, t.scopes, u.role, u.name, u.session_epoch
           from oauth_tokens t join oauth_grants g on g.id = t.grant_id join users u on u.id = g.user_id
           where t.token_hash = $1 and t.kind = 'access' and t.expires_at > $2 and g.revoked_at is null and g.resource = any($3)
             and u.disabled_at is null`,
    values: [hashOAuthSecret(token), now, resources],
  });
  const [row] = rows;
  return (
    row && {
      grantId: row.id,
      userId: row.user_id,
      role: row.role,
      name: row.name,
      scopes: readScopes(row.scopes),
      sessionEpoch: row.session_epoch,
    }
  );
}
