import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../../../db/client.ts';
import { addMilliseconds, DAY_MS } from '../../kit/clock.ts';
import { newId } from '../../kit/ids.ts';
import type { Tx } from '../../queues/jobs.ts';
import { createOAuthSecret, hashOAuthSecret } from './secrets.ts';

export const clientAuthMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;
export type ClientAuthMethod = (typeof clientAuthMethods)[number];

export type OAuthClient = {
  id: string;
  name: string;
  redirectUris: string[];
  authMethod: ClientAuthMethod;
  secretHash: Buffer | null;
};

/** How long a client is known that nobody connects, and one that was connected after its last use. */
const UNUSED_MS = 7 * DAY_MS;
const USED_MS = 90 * DAY_MS;

/** Stores a client (RFC 7591); its secret is in the answer and nowhere else, and absent where it has none. */
export async function registerOAuthClient(
  db: Database,
  { name, redirectUris, authMethod }: Pick<OAuthClient, 'name' | 'redirectUris' | 'authMethod'>,
  now: Date,
): Promise<{ id: string; secret: string | undefined }> {
  const id = newId('oauth_client');
  const made = authMethod === 'none' ? undefined : createOAuthSecret('client');
  await db
    .insertInto('oauth_clients')
    .values({
      id,
      name,
      redirect_uris: redirectUris,
      token_endpoint_auth_method: authMethod,
      secret_hash: made?.hash ?? null,
      created_at: now,
      expires_at: addMilliseconds(now, UNUSED_MS),
    })
    .execute();
  return { id, secret: made?.secret };
}

/** A registered client that has not expired. */
export async function findOAuthClient(db: Database, id: string, now: Date): Promise<OAuthClient | undefined> {
  const row = await db
    .selectFrom('oauth_clients')
    .select(['id', 'name', 'redirect_uris', 'token_endpoint_auth_method', 'secret_hash'])
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return (
    row && {
      id: row.id,
      name: row.name,
      redirectUris: row.redirect_uris,
      authMethod: row.token_endpoint_auth_method as ClientAuthMethod,
      secretHash: row.secret_hash,
    }
  );
}

/** Whether the secret is the client's; a client without one gives none. Compared in constant time. */
export function isClientSecret({ secretHash }: OAuthClient, secret: string | undefined): boolean {
  if (!secretHash) return secret === undefined || secret === '';
  return secret !== undefined && timingSafeEqual(secretHash, hashOAuthSecret(secret));
}

/** Puts off the expiry of a client that is used; written once a day at most. */
export async function keepOAuthClient(tx: Tx, id: string, now: Date): Promise<void> {
  const expiresAt = addMilliseconds(now, USED_MS);
  await tx
    .updateTable('oauth_clients')
    .set({ expires_at: expiresAt })
    .where('id', '=', id)
    .where('expires_at', '<', addMilliseconds(expiresAt, -DAY_MS))
    .execute();
}
