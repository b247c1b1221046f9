import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export type Sealed = { nonce: Buffer; body: Buffer };

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM under a key that HKDF-SHA-256 derives from a secret of the service and the context that it is sealed for: only there
 * it opens again, and what is stored of it tells nobody the content. The tag stands behind the ciphertext.
 */
export function seal(secret: string, context: string, body: string | Buffer): Sealed {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, deriveKey(secret, context), nonce);
  const encrypted = typeof body === 'string' ? cipher.update(body, 'utf8') : cipher.update(body);
  return { nonce, body: Buffer.concat([encrypted, cipher.final(), cipher.getAuthTag()]) };
}

/** What was sealed under one of the secrets; undefined when none of them, or another context, opens it. */
export function unseal(secrets: readonly string[], context: string, { nonce, body }: Sealed): Buffer | undefined {
  for (const secret of secrets) {
    const decipher = createDecipheriv(CIPHER, deriveKey(secret, context), nonce);
    decipher.setAuthTag(body.subarray(-TAG_BYTES));
    const opened = decipher.update(body.subarray(0, -TAG_BYTES));
    try {
      return Buffer.concat([opened, decipher.final()]);
    } catch {
      // The tag does not belong to this secret: the next one may have sealed it.
    }
  }
  return undefined;
}

function deriveKey(secret: string, context: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', context, 32));
}
