import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a link in a mail may end: the mails of one saved search, the newsletter of one subscriber, or all non-essential mail of one user. */
export type Subscription = { kind: 'saved_search' | 'newsletter' | 'notifications'; id: string };

const shape = /^(?<kind>saved_search|newsletter|notifications)\.(?<id>\w{1,64})\.(?<seal>[\w-]{43})$/;

/** A token that ends one subscription and does nothing else: it needs no row, and it holds as long as its secret is in use. */
export function signUnsubscribe([secret]: readonly string[], subscription: Subscription): string {
  if (secret === undefined) throw new Error('a secret is needed');
  return `${subscription.kind}.${subscription.id}.${sealOf(secret, subscription).toString('base64url')}`;
}

/** The subscription that a genuine token ends; undefined for anything else. Every secret in rotation is tried. */
export function readUnsubscribe(secrets: readonly string[], token: string): Subscription | undefined {
  const parts = shape.exec(token)?.groups;
  if (!parts) return undefined;
  const subscription = { kind: parts.kind as Subscription['kind'], id: parts.id ?? '' };
  const seal = Buffer.from(parts.seal ?? '', 'base64url');
  const isGenuine = secrets.some((secret) => timingSafeEqual(seal, sealOf(secret, subscription)));
  return isGenuine ? subscription : undefined;
}

const sealOf = (secret: string, { kind, id }: Subscription) =>
  createHmac('sha256', secret).update(`unsubscribe:${kind}:${id}`).digest();
