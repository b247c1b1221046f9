import type { Tx } from '../../queues/jobs.ts';
import { addMilliseconds, MINUTE_MS } from '../../kit/clock.ts';
import type { KeyScope } from '../key-scopes.ts';
import { createGrant, issueTokens, readScopes, revokeGrant, type IssuedTokens } from './grants.ts';
import { createOAuthSecret, hashOAuthSecret, verifyCodeChallenge } from './secrets.ts';

const CODE_MS = 5 * MINUTE_MS;

/** What a person has agreed to at the consent page. */
export type Consent = {
  clientId: string;
  userId: string;
  sessionEpoch: number;
  redirectUri: string;
  codeChallenge: string;
  scopes: readonly KeyScope[];
  resource: string;
};

/** The tokens, or the error of RFC 6749 and RFC 8707 that the client is told. */
export type Exchange = { tokens: IssuedTokens } | { refused: 'invalid_grant' | 'invalid_scope' | 'invalid_target' };

const refuse = (refused: 'invalid_grant' | 'invalid_scope' | 'invalid_target'): Exchange => ({ refused });

/** An authorization code for what was agreed to: five minutes, once. */
export async function issueCode(tx: Tx, consent: Consent, now: Date): Promise<string> {
  const { secret, hash } = createOAuthSecret('code');
  await tx
    .insertInto('oauth_codes')
    .values({
      code_hash: hash,
      client_id: consent.clientId,
      user_id: consent.userId,
      session_epoch: consent.sessionEpoch,
      redirect_uri: consent.redirectUri,
      code_challenge: consent.codeChallenge,
      scopes: [...consent.scopes],
      resource: consent.resource,
      expires_at: addMilliseconds(now, CODE_MS),
    })
    .execute();
  return secret;
}

/**
 * Exchanges an authorization code for tokens, once, for the client, address and verifier that it was issued for, while the session
 * that agreed has not been ended. A code that comes again ends the grant it was exchanged for. It has to be committed also when it
 * refuses.
 */
export async function redeemAuthorizationCode(
  tx: Tx,
  given: {
    code: string;
    clientId: string;
    redirectUri: string | undefined;
    verifier: string;
    resource: string | undefined;
  },
  now: Date,
): Promise<Exchange> {
  const hash = hashOAuthSecret(given.code);
  const code = await tx
    .selectFrom('oauth_codes')
    .selectAll()
    .where('code_hash', '=', hash)
    .forUpdate()
    .executeTakeFirst();
  if (!code) return refuse('invalid_grant');
  if (code.used_at) {
    if (code.grant_id !== null) await revokeGrant(tx, code.grant_id, now);
    return refuse('invalid_grant');
  }
  const isFor = code.client_id === given.clientId && (given.redirectUri ?? code.redirect_uri) === code.redirect_uri;
  if (!isFor || code.expires_at <= now || !verifyCodeChallenge(code.code_challenge, given.verifier))
    return refuse('invalid_grant');
  if ((given.resource ?? code.resource) !== code.resource) return refuse('invalid_target');
  if (!(await lockUser(tx, code.user_id, code.session_epoch))) return refuse('invalid_grant');
  const scopes = readScopes(code.scopes);
  const grant = { userId: code.user_id, clientId: code.client_id, scopes, resource: code.resource };
  const { id, tokens } = await createGrant(tx, grant, now);
  await tx.updateTable('oauth_codes').set({ used_at: now, grant_id: id }).where('code_hash', '=', hash).execute();
  return { tokens };
}

/** Locks an account against the end of its sessions and grants; false when it is disabled, or the session has ended. */
async function lockUser(tx: Tx, id: string, sessionEpoch: number): Promise<boolean> {
  const user = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('session_epoch', '=', sessionEpoch)
    .where('disabled_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return user !== undefined;
}

/**
 * Refresh token rotation: exchanges a refresh token for a new pair, once; `scopes` narrow the access token. One that comes again has
 * been stolen, from its client or by it: the grant ends. It has to be committed also when it refuses.
 */
export async function refreshTokens(
  tx: Tx,
  given: {
    refreshToken: string;
    clientId: string;
    scopes: readonly KeyScope[] | undefined;
    resource: string | undefined;
  },
  now: Date,
): Promise<Exchange> {
  const hash = hashOAuthSecret(given.refreshToken);
  const token = await tx
    .selectFrom('oauth_tokens as t')
    .innerJoin('oauth_grants as g', 'g.id', 't.grant_id')
    .innerJoin('users as u', 'u.id', 'g.user_id')
    .select(['t.grant_id', 't.scopes', 't.expires_at', 't.used_at', 'g.client_id', 'g.resource', 'g.revoked_at'])
    .select('u.disabled_at')
    .where('t.token_hash', '=', hash)
    .where('t.kind', '=', 'refresh')
    .forUpdate('t')
    .executeTakeFirst();
  if (!token || token.client_id !== given.clientId || token.revoked_at || token.disabled_at)
    return refuse('invalid_grant');
  if (token.used_at) {
    await revokeGrant(tx, token.grant_id, now);
    return refuse('invalid_grant');
  }
  if (token.expires_at <= now) return refuse('invalid_grant');
  if ((given.resource ?? token.resource) !== token.resource) return refuse('invalid_target');
  const granted = readScopes(token.scopes);
  const scopes = given.scopes ?? granted;
  if (scopes.some((scope) => !granted.includes(scope))) return refuse('invalid_scope');
  await tx.updateTable('oauth_tokens').set({ used_at: now }).where('token_hash', '=', hash).execute();
  const grant = { id: token.grant_id, clientId: token.client_id, scopes: granted };
  return { tokens: await issueTokens(tx, grant, scopes, now) };
}

/** Revocation (RFC 7009): a refresh token ends its grant, an access token itself; anything else of this client or none does nothing. */
export async function revokeToken(tx: Tx, token: string, clientId: string, now: Date): Promise<void> {
  const hash = hashOAuthSecret(token);
  const found = await tx
    .selectFrom('oauth_tokens as t')
    .innerJoin('oauth_grants as g', 'g.id', 't.grant_id')
    .select(['t.kind', 't.grant_id'])
    .where('t.token_hash', '=', hash)
    .where('g.client_id', '=', clientId)
    .executeTakeFirst();
  if (found?.kind === 'refresh') await revokeGrant(tx, found.grant_id, now);
  if (found?.kind === 'access')
    await tx.updateTable('oauth_tokens').set({ expires_at: now }).where('token_hash', '=', hash).execute();
}
