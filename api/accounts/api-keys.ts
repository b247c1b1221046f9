import { inTransaction } from '../../db/client.ts';
import { createApiKeySecret } from '../../shared/accounts/api-key.ts';
import { permissionOf, scopesOf, type KeyPermission } from '../../shared/accounts/key-scopes.ts';
import { requireLiveCredential } from '../../shared/accounts/live-credential.ts';
import { reachesRole } from '../../shared/accounts/roles.ts';
import { conflict, forbidden, invalid, notFound } from '../../shared/kit/errors.ts';
import { DAY_MS } from '../../shared/kit/clock.ts';
import { newId } from '../../shared/kit/ids.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import type { Body } from '../http/types.ts';
import type { AuthenticatedHandler } from '../handler.ts';

const MAX_ACTIVE_KEYS = 50;

const MAX_LIFE_MS = 3_653 * DAY_MS;

/** Creates a key for the caller; its plaintext is in this answer and nowhere else. Admin keys are an administrator's; 409 for the 51st. */
export const createApiKey: AuthenticatedHandler<'createApiKey'> = async ({ db, clock }, { caller, body }) => {
  const rights = readRights(body, clock.now());
  if (rights.permissions === 'admin' && !reachesRole(caller.role, 'admin'))
    throw forbidden('Only an administrator can create a key with the permission admin.');
  const { key, hash, prefix } = createApiKeySecret();
  const row = {
    id: newId('api_key'),
    key_prefix: prefix,
    label: body.name.trim(),
    ...rights,
    created_at: clock.now(),
  };
  await inTransaction(db, async (tx) => {
    await requireLiveCredential(tx, caller);
    await requireRoom(tx, caller.userId, row.created_at);
    await tx
      .insertInto('api_keys')
      .values({ ...row, user_id: caller.userId, key_hash: hash })
      .execute();
  });
  return {
    status: 201,
    body: {
      id: row.id,
      key,
      key_prefix: prefix,
      label: row.label,
      ...presentRights(row),
      created_at: row.created_at.toISOString(),
      message: 'Keep this key safe: it is not shown again.',
    },
  };
};

/** What a key is to be allowed; 400 for scopes that contradict the permission, and for an end that is past or too far. */
function readRights({ permissions, scopes, expires_at, limits }: Body<'createApiKey'>, now: Date) {
  const named = scopes ? scopesOf('read', scopes) : null;
  const permission = named ? permissionOf(named) : (permissions ?? 'write');
  if (permissions !== undefined && permissions !== permission)
    throw invalid('The scopes and the permission contradict each other.', [
      {
        path: '/body/permissions',
        message: `is ${permissions}, but the scopes make it ${permission}: give one of the two`,
      },
    ]);
  const expiresAt = expires_at == null ? null : new Date(expires_at);
  if (expiresAt && (expiresAt <= now || expiresAt.getTime() > now.getTime() + MAX_LIFE_MS))
    throw invalid('The key cannot end then.', [
      { path: '/body/expires_at', message: 'must be in the future and at most ten years ahead' },
    ]);
  return {
    permissions: permission,
    scopes: named,
    expires_at: expiresAt,
    publications_per_day: limits?.publications_per_day ?? null,
  };
}

type Rights = {
  permissions: string;
  scopes: string[] | null;
  expires_at: Date | null;
  publications_per_day: number | null;
};

function presentRights({ permissions, scopes, expires_at, publications_per_day }: Rights) {
  const permission = permissions as KeyPermission;
  return {
    permissions: permission,
    scopes: scopesOf(permission, scopes),
    expires_at: expires_at?.toISOString() ?? null,
    limits: { publications_per_day },
  };
}

/** 409 when a user, whose row is locked, has as many active keys as there may be. */
async function requireRoom(tx: Tx, userId: string, now: Date): Promise<void> {
  const { active } = await tx
    .selectFrom('api_keys')
    .select((build) => build.fn.countAll<number>().as('active'))
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow();
  if (active >= MAX_ACTIVE_KEYS)
    throw conflict(`A user has at most ${MAX_ACTIVE_KEYS} active API keys: revoke one that is not needed any more.`);
}

/** The caller's keys, newest first, without their plaintext. */
export const listApiKeys: AuthenticatedHandler<'listApiKeys'> = async ({ db }, { caller }) => {
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'key_prefix', 'label', 'permissions', 'scopes', 'expires_at', 'publications_per_day'])
    .select(['created_at', 'last_used_at', 'revoked_at'])
    .where('user_id', '=', caller.userId)
    .orderBy('id', 'desc')
    .execute();
  const keys = rows.map((row) => ({
    id: row.id,
    key_prefix: row.key_prefix,
    label: row.label,
    ...presentRights(row),
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  }));
  return { status: 200, body: { keys } };
};

/** Revokes a key: the next request with it is refused, on every process. Revoking again changes nothing. */
export const revokeApiKey: AuthenticatedHandler<'revokeApiKey'> = async ({ db, clock }, { caller, params }) => {
  const key = await db.selectFrom('api_keys').select('user_id').where('id', '=', params.id).executeTakeFirst();
  if (!key) throw notFound('API key', params.id);
  if (key.user_id !== caller.userId) throw forbidden('This API key belongs to somebody else.');
  const { id, revoked_at } = await db
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(clock.now())) }))
    .where('id', '=', params.id)
    .returning(['id', 'revoked_at'])
    .executeTakeFirstOrThrow();
  return { status: 200, body: { id, revoked: true, revoked_at: (revoked_at ?? clock.now()).toISOString() } };
};
