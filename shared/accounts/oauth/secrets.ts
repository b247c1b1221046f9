import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const ACCESS_TOKEN_PREFIX = 'oat_';

/** What begins each kind of secret, so that a leaked one is recognised for what it is. */
const prefixes = { access: ACCESS_TOKEN_PREFIX, refresh: 'ort_', code: 'occ_', client: 'ocs_' } as const;

/** A new secret (256 random bits as base64url behind its prefix) and its SHA-256, the only form that is stored. */
export function createOAuthSecret(kind: keyof typeof prefixes): { secret: string; hash: Buffer } {
  const secret = prefixes[kind] + randomBytes(32).toString('base64url');
  return { secret, hash: hashOAuthSecret(secret) };
}

export const hashOAuthSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** PKCE (RFC 7636), S256: whether the challenge is the SHA-256 of the verifier; compared in constant time. */
export function verifyCodeChallenge(challenge: string, verifier: string): boolean {
  const expected = Buffer.from(challenge);
  const given = Buffer.from(hashOAuthSecret(verifier).toString('base64url'));
  return expected.length === given.length && timingSafeEqual(expected, given);
}
