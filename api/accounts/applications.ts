import { listGrants, readScopes } from '../../shared/accounts/oauth/grants.ts';
import { forbidden, notFound } from '../../shared/kit/errors.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** The applications that the caller has connected by OAuth, newest first. */
export const listConnectedApplications: AuthenticatedHandler<'listConnectedApplications'> = async (
  { db, clock },
  { caller },
) => {
  const grants = await listGrants(db, caller.userId, clock.now());
  const applications = grants.map((grant) => ({
    id: grant.id,
    name: grant.name,
    redirect_uris: grant.redirect_uris,
    scopes: readScopes(grant.scopes),
    created_at: grant.created_at.toISOString(),
    last_used_at: grant.last_used_at?.toISOString() ?? null,
  }));
  return { status: 200, body: { applications } };
};

/** Ends what an application was allowed: its next request is refused, on every process. Ending it again changes nothing. */
export const disconnectApplication: AuthenticatedHandler<'disconnectApplication'> = async (
  { db, clock },
  { caller, params },
) => {
  const grant = await db.selectFrom('oauth_grants').select('user_id').where('id', '=', params.id).executeTakeFirst();
  if (!grant) throw notFound('connection', params.id);
  if (grant.user_id !== caller.userId) throw forbidden('This connection belongs to somebody else.');
  const now = clock.now();
  const { id, revoked_at: revokedAt } = await db
    .updateTable('oauth_grants')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
    .where('id', '=', params.id)
    .returning(['id', 'revoked_at'])
    .executeTakeFirstOrThrow();
  return { status: 200, body: { id, disconnected: true, disconnected_at: (revokedAt ?? now).toISOString() } };
};
