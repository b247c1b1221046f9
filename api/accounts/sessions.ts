import { closeSession, findOpenSessions, keepSession } from '../../shared/accounts/sessions.ts';
import { notFound } from '../../shared/kit/errors.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** The caller's open sessions, the one that asks among them, also when it is older than the list. */
export const listSessions: AuthenticatedHandler<'listSessions'> = async (
  { db, clock },
  { caller: { userId, sessionId = '' }, ip, userAgent },
) => {
  const now = clock.now();
  await keepSession(db, { userId, sessionId }, { network: ip, userAgent }, now);
  const sessions = (await findOpenSessions(db, userId, now)).map(
    ({ created_at, last_used_at, expires_at, ...each }) => ({
      ...each,
      current: each.id === sessionId,
      created_at: created_at.toISOString(),
      last_used_at: last_used_at.toISOString(),
      expires_at: expires_at.toISOString(),
    }),
  );
  return { status: 200, body: { sessions } };
};

/** Ends one of the caller's sessions for good, on every process; `current` is the one that asks. 404 for anybody else's. */
export const endSession: AuthenticatedHandler<'endSession'> = async (
  { db, clock },
  { params, caller: { userId, sessionId = '' }, ip, userAgent },
) => {
  const id = params.id === 'current' ? sessionId : params.id;
  const now = clock.now();
  if (id === sessionId) await keepSession(db, { userId, sessionId }, { network: ip, userAgent }, now);
  if (!(await closeSession(db, { userId, sessionId: id }, now))) throw notFound('session', id);
  return { status: 200, body: { id, ended: true } };
};
