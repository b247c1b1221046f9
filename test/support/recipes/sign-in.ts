import { Secret, TOTP } from 'otpauth';
import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
import { inTransaction } from '../../../db/client.ts';
import { describePasskeySignIn, describeRegistration, storePasskey } from '../../../shared/accounts/passkeys.ts';
import { openSession } from '../../../shared/accounts/sessions.ts';
import { createTotp } from '../../../shared/accounts/totp.ts';
import { password, secretOf, type Person } from '../openapi-cases-things.ts';
import { createSoftPasskey } from '../soft-passkey.ts';
import type { Recipe } from './recipe.ts';

/** The code that an authenticator app shows, some steps from now. */
export const codeOf = (secret: string, now: Date, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() + steps * 30_000 });

export async function removeFactors({ pool }: Services, { id }: Pick<Person, 'id'>): Promise<void> {
  await pool.query('delete from totp_secrets where user_id = $1', [id]);
  await pool.query('delete from passkeys where user_id = $1', [id]);
}

/** A session of that person; its device is named as secret. */
export const createSessionOf = (services: Services, person: Pick<Person, 'id'>): Promise<string> =>
  inTransaction(services.db, async (tx) =>
    openSession(tx, services, {
      userId: person.id,
      origin: { network: '192.0.2.7', userAgent: secretOf(person) },
      secondFactor: false,
      tellsOwner: false,
    }),
  );

/** A passkey of that person, named as secret. */
export async function createPasskeyOf(services: Services, { id }: Pick<Person, 'id'>) {
  const { db, config, clock } = services;
  const passkey = createSoftPasskey(config.baseUrl);
  const user = { id, email: 'ada@example.com', name: 'Ada' };
  const { challenge } = await describeRegistration(db, config, user, clock.now());
  const credential = { ...passkey.register(challenge), clientExtensionResults: {} };
  const stored = await inTransaction(db, async (tx) =>
    storePasskey(tx, config, { userId: id, name: secretOf({ id }), credential }, clock.now()),
  );
  return { id: stored.id, passkey };
}

/** Recipes of the operations on sessions, second factors and passkeys. */
export const signInRecipes: Partial<Record<OperationId, Recipe>> = {
  login: async ({ services, owner }) => {
    await removeFactors(services, owner);
    return { body: { email: owner.email, password } };
  },
  endSession: async ({ services, owner }) => ({ params: { id: await createSessionOf(services, owner) } }),
  startTotp: async ({ services, owner }) => {
    await removeFactors(services, owner);
    return {};
  },
  confirmTotp: async ({ services, owner }) => {
    await removeFactors(services, owner);
    const { db, config, clock } = services;
    const account = { userId: owner.id, label: owner.email, issuer: 'Quayside' };
    const { secret } = await inTransaction(db, async (tx) => createTotp(tx, config, account, clock.now()));
    return { body: { code: codeOf(secret, clock.now()) } };
  },
  removeTotp: () => ({ body: { password } }),
  createPasskey: async ({ services, owner }, example) => {
    await removeFactors(services, owner);
    const { db, config, clock } = services;
    const user = { id: owner.id, email: owner.email, name: 'Ada' };
    const { challenge } = await describeRegistration(db, config, user, clock.now());
    return { body: { ...(example as object), credential: createSoftPasskey(config.baseUrl).register(challenge) } };
  },
  deletePasskey: async ({ services, owner }) => {
    await removeFactors(services, owner);
    return { params: { id: (await createPasskeyOf(services, owner)).id } };
  },
  loginWithPasskey: async ({ services, owner }) => {
    await removeFactors(services, owner);
    const { passkey } = await createPasskeyOf(services, owner);
    const { challenge } = describePasskeySignIn(services.config, services.clock.now());
    return { body: { credential: passkey.signIn(challenge) } };
  },
};
