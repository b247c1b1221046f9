import { inTransaction } from '../../db/client.ts';
import { accountColumns } from '../../shared/accounts/find-users.ts';
import { requestLink } from '../../shared/accounts/link-requests.ts';
import { recordProfileChange } from '../../shared/accounts/profile-changed.ts';
import { revokeAccess } from '../../shared/accounts/revoke-access.ts';
import { hasSecondFactor, removeSecondFactors } from '../../shared/accounts/second-factors.ts';
import { endSessions } from '../../shared/accounts/sessions.ts';
import * as suspension from '../../shared/accounts/suspension.ts';
import { markVerified } from '../../shared/accounts/take-over.ts';
import { conflict, invalid } from '../../shared/kit/errors.ts';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import type { Effects } from '../effects.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { presentAccount } from './users-present.ts';

/** Whose listings these are is not known to the caches. */
const publications: Effects = { changed: { listings: 'all', rentals: 'all' } };

/** Suspends an account, with a reason that its owner is told. */
export const suspendUser: AuthenticatedHandler<'suspendUser'> = async (services, { params, body, caller }) => {
  const until = body.until == null ? null : new Date(body.until);
  if (until && !(until > services.clock.now()))
    throw invalid('The suspension cannot end then.', [{ path: '/body/until', message: 'must be in the future' }]);
  const account = await inTransaction(services.db, async (tx) => {
    const wanted = { reason: body.reason.trim(), until, by: caller.userId };
    await suspension.suspendUser(tx, services, params.id, wanted);
    return show(tx, params.id);
  });
  return { status: 200, body: account, effects: publications };
};

/** Lifts the suspension of an account. */
export const unsuspendUser: AuthenticatedHandler<'unsuspendUser'> = async (services, { params, caller }) => {
  const account = await inTransaction(services.db, async (tx) => {
    await suspension.unsuspendUser(tx, services, params.id, caller.userId);
    return show(tx, params.id);
  });
  return { status: 200, body: account, effects: publications };
};

/** Gives an account another role; the database keeps an administrator. */
export const setUserRole: AuthenticatedHandler<'setUserRole'> = async ({ db, clock }, { params, body }) => {
  const now = clock.now();
  const account = await inTransaction(db, async (tx) => {
    const { role } = await suspension.lockUser(tx, params.id);
    if (role !== body.role) {
      await suspension.keepingAnAdministrator(() =>
        tx.updateTable('users').set({ role: body.role, updated_at: now }).where('id', '=', params.id).execute(),
      );
      await recordProfileChange(tx, params.id, now);
    }
    return show(tx, params.id);
  });
  return { status: 200, body: account };
};

/** Ends every session of an account on every process; with `keys` every API key and webhook as well. */
export const logoutUser: AuthenticatedHandler<'logoutUser'> = async ({ db, clock }, { params, body }) => {
  const now = clock.now();
  const account = await inTransaction(db, async (tx) => {
    await suspension.lockUser(tx, params.id);
    await endSessions(tx, params.id, now);
    if (body?.keys) await revokeAccess(tx, params.id, now);
    await recordProfileChange(tx, params.id, now);
    return show(tx, params.id);
  });
  return { status: 200, body: account };
};

/** Takes the authenticator app, its recovery codes and the passkeys from whoever has lost them: sessions end, and the owner is told. */
export const resetSecondFactors: AuthenticatedHandler<'resetSecondFactors'> = async (services, { params }) => {
  const { db, clock, config, jobs } = services;
  const now = clock.now();
  const account = await inTransaction(db, async (tx) => {
    await suspension.lockUser(tx, params.id);
    if (!(await hasSecondFactor(tx, params.id))) throw conflict('This account has no second factor.');
    await removeSecondFactors(tx, params.id);
    await endSessions(tx, params.id, now);
    await jobs.enqueue(tx, 'send-email', {
      message_id: `second-factors-reset.${params.id}.${now.getTime()}`,
      template: 'second-factors-reset',
      user_id: params.id,
      data: { at: now.toISOString(), url: urlTo(config.site, 'forgot_password', {}) },
    });
    return show(tx, params.id);
  });
  return { status: 200, body: account };
};

/** Takes the address of an account for proved. */
export const verifyUserEmail: AuthenticatedHandler<'verifyUserEmail'> = async ({ db, clock }, { params }) => {
  const account = await inTransaction(db, async (tx) => {
    const user = await suspension.lockUser(tx, params.id);
    if (!user.verified) await markVerified(tx, user, clock.now());
    return show(tx, params.id);
  });
  return { status: 200, body: account };
};

/** Mails the owner of an account a link to sign in with; the answer does not hold it. */
export const sendSignInLink: AuthenticatedHandler<'sendSignInLink'> = async (services, { params }) => {
  const account = await inTransaction(services.db, async (tx) => {
    const user = await suspension.lockUser(tx, params.id);
    if (user.disabled_at) throw conflict('This account is suspended: no link opens it.');
    await requestLink(tx, services, 'magic_link', user.email);
    return show(tx, params.id);
  });
  return { status: 202, body: account };
};

async function show(tx: Tx, id: string) {
  return presentAccount(
    await tx.selectFrom('users').select(accountColumns).where('id', '=', id).executeTakeFirstOrThrow(),
  );
}
