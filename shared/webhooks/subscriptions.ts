import type { Selectable } from 'kysely';
import type { Webhooks } from '../../db/types.gen.ts';
import { assertPublicUrl, FetchError } from '../adapters/fetch-guard.ts';
import { addMilliseconds, DAY_MS } from '../kit/clock.ts';
import { conflict, invalid, notFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { registerReaders } from '../journal/reader.ts';
import type { Tx } from '../queues/jobs.ts';
import { webhookReader } from './dispatch.ts';
import { createWebhookSecret } from './secret.ts';
import { failPendingDeliveries } from './settle.ts';

export type WebhookRow = Selectable<Webhooks>;

type NewWebhook = { url: string; events: string[]; description: string | null; scope: 'own' | 'all' };
type Changes = { url?: string; events?: string[]; description?: string | null; active?: boolean };

const MAX_PER_USER = 20;
const BOTH_SECRETS_MS = DAY_MS;

/** 400 for a target that is no http(s) URL of the public internet, as far as its spelling tells; sending looks again. */
export function checkTarget(url: string, allow: string[]): void {
  try {
    assertPublicUrl(url, allow);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw invalid('The webhook cannot be delivered to this url.', [{ path: '/body/url', message: error.message }]);
  }
}

/** Makes a webhook with a new secret; 409 when the user has as many as there may be, also under parallel requests. */
export async function addWebhook(tx: Tx, userId: string, fields: NewWebhook, now: Date): Promise<WebhookRow> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().executeTakeFirstOrThrow();
  const { count } = await tx
    .selectFrom('webhooks')
    .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  // The first webhook may be older than the first worker.
  await registerReaders(tx, [webhookReader], now);
  if (count >= MAX_PER_USER) throw conflict(`A user has at most ${MAX_PER_USER} webhooks.`);
  return tx
    .insertInto('webhooks')
    .values({
      ...fields,
      events: [...new Set(fields.events)],
      id: newId('webhook'),
      user_id: userId,
      secret: createWebhookSecret(),
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Anybody's webhook with its row locked; 404 when there is none. */
export async function lockWebhook(tx: Tx, id: string): Promise<WebhookRow> {
  const webhook = await tx.selectFrom('webhooks').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
  if (!webhook) throw notFound('webhook', id);
  return webhook;
}

/** The webhook with its row locked; 404 when there is none, or when it is somebody else's. */
export async function lockOwnWebhook(tx: Tx, id: string, userId: string): Promise<WebhookRow> {
  const webhook = await tx
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!webhook) throw notFound('webhook', id);
  return webhook;
}

/** Changes a locked webhook. Switching it off ends what waits; switching it on, or a new url, forgets its failures. */
export async function changeWebhook(tx: Tx, webhook: WebhookRow, changes: Changes, now: Date): Promise<WebhookRow> {
  const isFresh = (changes.active === true && !webhook.active) || (changes.url ?? webhook.url) !== webhook.url;
  const changed = await tx
    .updateTable('webhooks')
    .set({
      ...changes,
      ...(changes.events && { events: [...new Set(changes.events)] }),
      ...(isFresh && { failing_since: null }),
    })
    .where('id', '=', webhook.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (!changed.active) await failPendingDeliveries(tx, webhook.id, now);
  return changed;
}

/** Switches off every active webhook of a user and ends what waits of them; answers which these were. */
export async function pauseWebhooks(tx: Tx, userId: string, now: Date): Promise<{ id: string; url: string }[]> {
  const webhooks = await tx
    .selectFrom('webhooks')
    .selectAll()
    .where('user_id', '=', userId)
    .where('active', '=', true)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  for (const webhook of webhooks) await changeWebhook(tx, webhook, { active: false }, now);
  return webhooks.map(({ id, url }) => ({ id, url }));
}

/** Gives a locked webhook a new secret; for a day the one before signs as well. */
export async function rotateSecret(
  tx: Tx,
  webhook: WebhookRow,
  now: Date,
): Promise<{ id: string; secret: string; previousSecretUntil: Date }> {
  const secret = createWebhookSecret();
  const previousSecretUntil = addMilliseconds(now, BOTH_SECRETS_MS);
  await tx
    .updateTable('webhooks')
    .set({ secret, previous_secret: webhook.secret, previous_secret_until: previousSecretUntil })
    .where('id', '=', webhook.id)
    .execute();
  return { id: webhook.id, secret, previousSecretUntil };
}
