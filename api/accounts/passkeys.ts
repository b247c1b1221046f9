import { inTransaction } from '../../db/client.ts';
import { requireLiveCredential } from '../../shared/accounts/live-credential.ts';
import {
  describePasskeySignIn,
  describeRegistration,
  MAX_PASSKEYS,
  redeemPasskey,
  storePasskey,
} from '../../shared/accounts/passkeys.ts';
import {
  assertMayEnrol,
  forgetSecondFactor,
  hasSecondFactor,
  noteSecondFactor,
} from '../../shared/accounts/second-factors.ts';
import { refuseSuspended } from '../../shared/accounts/refuse-suspended.ts';
import { openSession } from '../../shared/accounts/sessions.ts';
import { tellOwner } from '../../shared/accounts/tell-owner.ts';
import { showEmail } from '../../shared/kit/email.ts';
import { notFound, unauthorized } from '../../shared/kit/errors.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import type { Result } from '../http/types.ts';
import { presentSession, userColumns } from './present.ts';

type Options = Result<'createPasskeyOptions', 200>;

/** The caller's passkeys, newest first. */
export const listPasskeys: AuthenticatedHandler<'listPasskeys'> = async ({ db }, { caller }) => {
  const rows = await db
    .selectFrom('passkeys')
    .select(['id', 'name', 'created_at', 'last_used_at'])
    .where('user_id', '=', caller.userId)
    .orderBy('id', 'desc')
    .limit(MAX_PASSKEYS)
    .execute();
  return { status: 200, body: { passkeys: rows.map(presentPasskey) } };
};

/** What the caller's browser needs to make a passkey. */
export const createPasskeyOptions: AuthenticatedHandler<'createPasskeyOptions'> = async (
  { db, clock, config },
  { caller },
) => {
  const { id, name, email } = await db
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('id', '=', caller.userId)
    .executeTakeFirstOrThrow();
  const options = await describeRegistration(db, config, { id, name, email: showEmail(email) }, clock.now());
  return { status: 200, body: options as unknown as Options };
};

/** Keeps a passkey of the caller's; the first second factor of an account ends its other sessions. */
export const createPasskey: AuthenticatedHandler<'createPasskey'> = async (
  services,
  { caller, body, ip, userAgent },
) => {
  const { db, clock, config } = services;
  const now = clock.now();
  const { userId, sessionId = '' } = caller;
  const stored = await inTransaction(db, async (tx) => {
    await requireLiveCredential(tx, caller);
    await assertMayEnrol(tx, caller);
    const isFirst = !(await hasSecondFactor(tx, userId));
    const credential = { ...body.credential, clientExtensionResults: {} };
    const passkey = await storePasskey(tx, config, { userId, name: body.name.trim(), credential }, now);
    await noteSecondFactor(tx, { userId, sessionId }, { isFirst }, now);
    const notice = { userId, event: 'passkey_added', origin: { network: ip, userAgent }, id: passkey.id } as const;
    await tellOwner(tx, services, notice, now);
    return passkey;
  });
  return { status: 201, body: presentPasskey(stored) };
};

/** Deletes one of the caller's passkeys; 404 for anybody else's. */
export const deletePasskey: AuthenticatedHandler<'deletePasskey'> = async ({ db }, { caller, params }) => {
  await inTransaction(db, async (tx) => {
    await requireLiveCredential(tx, caller);
    const deleted = await tx
      .deleteFrom('passkeys')
      .where('id', '=', params.id)
      .where('user_id', '=', caller.userId)
      .returning('id')
      .executeTakeFirst();
    if (!deleted) throw notFound('passkey', params.id);
    await forgetSecondFactor(tx, caller.userId);
  });
  return { status: 200, body: { id: params.id, deleted: true } };
};

/** What any browser needs to sign in with a passkey that it has. */
export const createPasskeyLoginOptions: Handler<'createPasskeyLoginOptions'> = ({ clock, config }) => ({
  status: 200,
  body: describePasskeySignIn(config, clock.now()) as unknown as Options,
});

/** Exchanges what a passkey has signed for a session; 403 with the reason where the account is suspended. */
export const loginWithPasskey: Handler<'loginWithPasskey'> = async (services, { body, ip, userAgent }) => {
  const { db, clock, config, tokens } = services;
  const { user, sessionId } = await inTransaction(db, async (tx) => {
    const credential = { ...body.credential, clientExtensionResults: {} };
    const { userId } = await redeemPasskey(tx, config, credential, clock.now());
    const owner = await tx
      .selectFrom('users')
      .select([...userColumns, 'session_epoch', 'disabled_at'])
      .where('id', '=', userId)
      .executeTakeFirst();
    if (owner?.disabled_at) await refuseSuspended({ db: tx, config }, userId);
    if (!owner || owner.disabled_at)
      throw unauthorized('This passkey opens no account here.', { reason: 'wrong_passkey' });
    const opening = { userId, origin: { network: ip, userAgent }, secondFactor: true, tellsOwner: true };
    return { user: owner, sessionId: await openSession(tx, services, opening) };
  });
  return { status: 200, body: presentSession(user, await tokens.sign(user, sessionId)) };
};

const presentPasskey = (row: { id: string; name: string; created_at: Date; last_used_at: Date | null }) => ({
  id: row.id,
  name: row.name,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
});
