import type { WebhookEvent } from './contract.ts';

/** Headers as a `Request`, Node's `IncomingMessage` or a plain object has them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;
export type VerifySettings = {
  /** How far the timestamp may be from now. */
  toleranceSeconds?: number;
  now?: Date;
};

/** Why a delivery is not to be believed. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const SECRET_PREFIX = 'whsec_';
const VERSION_PREFIX = 'v1,';
const TOLERANCE_SECONDS = 300;

/**
 * Standard Webhooks (HMAC-SHA256 by Web Crypto, which compares in constant time): the event that a delivery carries. Throws a
 * `WebhookVerificationError` when no signature is of one of the secrets, or the timestamp is more than five minutes away.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: VerifySettings = {},
): Promise<WebhookEvent> {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('webhook-timestamp is not a number of seconds.');
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('The delivery is too old, or from the future.');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const each of [secret].flat()) {
    const key = await importKey(each);
    for (const signature of readSignatures(signatures))
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return JSON.parse(text) as WebhookEvent;
  }
  throw new WebhookVerificationError('No signature fits the body and the secret.');
}

/** The headers of a delivery, as the service signs it: for the tests of a receiver, and for development. */
export async function signWebhook(
  { id, body, now = new Date() }: { id: string; body: string; now?: Date },
  secret: string,
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', await importKey(secret), signed));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': VERSION_PREFIX + btoa(String.fromCharCode(...mac)),
  };
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  const text = Array.isArray(value) ? value[0] : value;
  if (!text) throw new WebhookVerificationError(`The header ${name} is missing.`);
  return text;
}

/** The signatures of this version among those of the header, in which a space separates them. */
function readSignatures(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .filter((each) => each.startsWith(VERSION_PREFIX))
    .flatMap((each) => decodeBase64(each.slice(VERSION_PREFIX.length)) ?? []);
}

async function importKey(secret: string) {
  const bytes = decodeBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
  if (!bytes || bytes.length === 0) throw new WebhookVerificationError('The secret is not whsec_ and base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
