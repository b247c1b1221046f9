import { createHash, randomBytes } from 'node:crypto';

export const API_KEY_PREFIX = 'svc_';
const shape = /^svc_[A-Za-z0-9_-]{43}$/;

/** A fresh API key: `svc_` and 43 base64url characters (32 random bytes), with what is stored of it. */
export function createApiKeySecret(): { key: string; hash: Buffer; prefix: string } {
  const key = API_KEY_PREFIX + randomBytes(32).toString('base64url');
  return { key, hash: hashApiKey(key), prefix: key.slice(0, 12) };
}

/** SHA-256 of a key: enough for 256 random bits, and the only form a key is stored in. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** True when the text has the form of an API key. */
export function looksLikeApiKey(text: string): boolean {
  return shape.test(text);
}
