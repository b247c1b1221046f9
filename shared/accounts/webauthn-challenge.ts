import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { addMilliseconds, MINUTE_MS } from '../kit/clock.ts';
import type { Tx } from '../queues/jobs.ts';

const LIFE_MS = 30 * MINUTE_MS;
const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 16;

/**
 * A challenge for WebAuthn, as base64url: a nonce, the time it expires (30 minutes), and an HMAC-SHA-256 over both and what it is for. Making one
 * stores nothing; answering one does.
 */
export function createChallenge([secret = '']: readonly string[], purpose: string, now: Date): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(addMilliseconds(now, LIFE_MS).getTime(), 0, TIME_BYTES);
  const head = Buffer.concat([randomBytes(NONCE_BYTES), time]);
  return Buffer.concat([head, macOf(secret, purpose, head)]).toString('base64url');
}

/** Whether a challenge (base64url) is one of ours for that purpose and has not expired. */
export function isChallenge(secrets: readonly string[], purpose: string, challenge: string, now: Date): boolean {
  const bytes = Buffer.from(challenge, 'base64url');
  if (bytes.length !== NONCE_BYTES + TIME_BYTES + MAC_BYTES) return false;
  const head = bytes.subarray(0, NONCE_BYTES + TIME_BYTES);
  const mac = bytes.subarray(NONCE_BYTES + TIME_BYTES);
  return (
    bytes.readUIntBE(NONCE_BYTES, TIME_BYTES) > now.getTime() &&
    secrets.some((secret) => timingSafeEqual(macOf(secret, purpose, head), mac))
  );
}

/** Takes a challenge, once: false when it was answered before. */
export async function redeemChallenge(tx: Tx, challenge: string, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('used_challenges')
    .values({
      challenge_hash: createHash('sha256').update(challenge).digest(),
      expires_at: addMilliseconds(now, LIFE_MS),
    })
    .onConflict((clash) => clash.column('challenge_hash').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

const macOf = (secret: string, purpose: string, head: Buffer): Buffer =>
  createHmac('sha256', secret).update(`webauthn ${purpose}\n`).update(head).digest().subarray(0, MAC_BYTES);
