import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { Config } from '../kit/config.ts';
import { invalid, unauthorized, type ServiceError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Tx } from '../queues/jobs.ts';
import { createChallenge, isChallenge, redeemChallenge } from './webauthn-challenge.ts';

export const MAX_PASSKEYS = 20;
const SIGN_IN = 'sign-in';

/** EdDSA, ES256 and RS256, as browsers and keys have them. */
const ALGORITHMS = [-8, -7, -257];
const TIMEOUT_MS = 300_000;

/** Loaded with the first answer of a passkey (26 MB): most processes never see one, and what is asked of browsers needs none of it. */
const loadWebauthn = () => import('@simplewebauthn/server');

type Relying = Pick<Config, 'baseUrl' | 'proxyBaseUrl' | 'site' | 'brand'> & { jwtSecrets: readonly string[] };

/** The relying party is the host of BASE_URL; pages of the service and of the operator's own site may ask. */
const partyOf = ({ baseUrl, proxyBaseUrl, site }: Relying) => ({
  expectedRPID: new URL(baseUrl).hostname,
  expectedOrigin: [
    ...new Set([baseUrl, proxyBaseUrl, site.url].flatMap((url) => (url === undefined ? [] : new URL(url).origin))),
  ],
});

const registrationOf = (userId: string) => `registration ${userId}`;

/** What a browser needs to make a passkey for an account. */
export async function describeRegistration(
  db: Database,
  config: Relying,
  user: { id: string; email: string; name: string },
  now: Date,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await db.selectFrom('passkeys').select('credential_id as id').where('user_id', '=', user.id).execute();
  return {
    rp: { name: config.brand.name, id: partyOf(config).expectedRPID },
    user: { id: Buffer.from(user.id).toString('base64url'), name: user.email, displayName: user.name },
    challenge: createChallenge(config.jwtSecrets, registrationOf(user.id), now),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
    timeout: TIMEOUT_MS,
    attestation: 'none',
    excludeCredentials: known.map(({ id }) => ({ id, type: 'public-key' })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  };
}

/** Keeps a passkey that a browser has made, in a transaction that has the account's row locked; 400 for one that proves nothing. */
export async function storePasskey(
  tx: Tx,
  config: Relying,
  { userId, name, credential }: { userId: string; name: string; credential: RegistrationResponseJSON },
  now: Date,
) {
  const { verifyRegistrationResponse } = await loadWebauthn();
  const seen: { challenge?: string } = {};
  const verified = await verifyRegistrationResponse({
    response: credential,
    ...partyOf(config),
    supportedAlgorithmIDs: ALGORITHMS,
    expectedChallenge: (challenge) => {
      seen.challenge = challenge;
      return isChallenge(config.jwtSecrets, registrationOf(userId), challenge, now);
    },
  }).catch((error: unknown) => {
    throw unusable(error);
  });
  if (!verified.verified || !(await redeemChallenge(tx, seen.challenge ?? '', now))) throw unusable();
  const { id, publicKey, counter } = verified.registrationInfo.credential;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from passkeys where user_id = ${userId}`.execute(tx);
  if ((rows[0]?.count ?? 0) >= MAX_PASSKEYS)
    throw invalid('There are too many passkeys.', [
      {
        path: '/body/credential',
        message: `an account has at most ${MAX_PASSKEYS} passkeys`,
        reason: 'too_many_passkeys',
        limit: MAX_PASSKEYS,
      },
    ]);
  const stored = await tx
    .insertInto('passkeys')
    .values({
      id: newId('passkey'),
      user_id: userId,
      name,
      credential_id: id,
      public_key: Buffer.from(publicKey),
      counter,
      transports: credential.response.transports ?? [],
      created_at: now,
    })
    .onConflict((clash) => clash.column('credential_id').doNothing())
    .returning(['id', 'name', 'created_at', 'last_used_at'])
    .executeTakeFirst();
  if (!stored) throw unusable();
  return stored;
}

/** What a browser needs to sign in with whatever passkey it has. */
export const describePasskeySignIn = (config: Relying, now: Date): PublicKeyCredentialRequestOptionsJSON => ({
  challenge: createChallenge(config.jwtSecrets, SIGN_IN, now),
  rpId: partyOf(config).expectedRPID,
  timeout: TIMEOUT_MS,
  userVerification: 'required',
});

/** Holds what a passkey has signed against its public key, once; answers whose it is. 401 for anything else. */
export async function redeemPasskey(
  tx: Tx,
  config: Relying,
  credential: AuthenticationResponseJSON,
  now: Date,
): Promise<{ userId: string }> {
  const { verifyAuthenticationResponse } = await loadWebauthn();
  const known = await tx
    .selectFrom('passkeys')
    .select(['id', 'user_id', 'credential_id', 'public_key', 'counter'])
    .where('credential_id', '=', credential.id)
    .forUpdate()
    .executeTakeFirst();
  if (!known) throw refused();
  const seen: { challenge?: string } = {};
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: credential,
    ...partyOf(config),
    expectedChallenge: (challenge) => {
      seen.challenge = challenge;
      return isChallenge(config.jwtSecrets, SIGN_IN, challenge, now);
    },
    credential: {
      id: known.credential_id,
      publicKey: new Uint8Array(known.public_key),
      counter: known.counter,
    },
  }).catch((error: unknown) => {
    throw refused(error);
  });
  if (!verified || !(await redeemChallenge(tx, seen.challenge ?? '', now))) throw refused();
  await tx
    .updateTable('passkeys')
    .set({ counter: authenticationInfo.newCounter, last_used_at: now })
    .where('id', '=', known.id)
    .execute();
  return { userId: known.user_id };
}

const unusable = (cause?: unknown): ServiceError =>
  Object.assign(
    invalid('This passkey cannot be used.', [
      {
        path: '/body/credential',
        message: 'is not what this service asked for, has expired or was sent before',
        reason: 'wrong_passkey',
      },
    ]),
    { cause },
  );

const refused = (cause?: unknown): ServiceError =>
  Object.assign(unauthorized('This passkey opens no account here.', { reason: 'wrong_passkey' }), { cause });
