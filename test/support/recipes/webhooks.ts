import { sql } from 'kysely';
import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { createWebhookSecret } from '../../../shared/webhooks/secret.ts';
import { secretOf, type Person } from '../openapi-cases-things.ts';
import type { Recipe } from './recipe.ts';

/** A webhook of that person; what is posted to it is refused before it leaves. */
export async function createWebhookOf({ db, clock }: Services, { id: user_id }: Person): Promise<string> {
  const id = newId('webhook');
  await db
    .insertInto('webhooks')
    .values({
      id,
      user_id,
      url: 'http://127.0.0.1:9/hook',
      events: ['*'],
      description: secretOf({ id: user_id }),
      secret: createWebhookSecret(),
      created_at: clock.now(),
    })
    .execute();
  return id;
}

/** A delivery that has failed. */
export async function createDeliveryOf({ db, clock }: Services, webhookId: string): Promise<string> {
  const id = newId('webhook_delivery');
  const now = clock.now();
  const payload = { id, type: 'listing.sold', created_at: now.toISOString(), data: { title: 'Kestrel' } };
  await db
    .insertInto('webhook_deliveries')
    .values({
      id,
      webhook_id: webhookId,
      event_type: payload.type,
      payload: JSON.stringify(payload),
      status: 'failed',
      attempts: 8,
      status_code: 500,
      error: 'The server answered 500.',
      created_at: now,
    })
    .execute();
  return id;
}

const ofWebhook: Recipe = async ({ services, owner }) => ({
  params: { id: await createWebhookOf(services, owner) },
});

export const webhookRecipes: Partial<Record<OperationId, Recipe>> = {
  // Nobody has more than twenty: most of those made for other requests make room.
  createWebhook: async ({ services }) => {
    await services.db
      .deleteFrom('webhooks as w')
      .where(
        sql<boolean>`(select count(*) from webhooks o where o.user_id = w.user_id) > 15
          and w.id > (select id from webhooks o where o.user_id = w.user_id order by id offset 4 limit 1)`,
      )
      .execute();
    return {};
  },
  getAnyWebhook: ofWebhook,
  switchAnyWebhook: ofWebhook,
  listAnyWebhookDeliveries: ofWebhook,
  redeliverAny: async ({ services, owner }) => {
    const id = await createWebhookOf(services, owner);
    return { params: { id, deliveryId: await createDeliveryOf(services, id) } };
  },
  getWebhook: ofWebhook,
  updateWebhook: ofWebhook,
  deleteWebhook: ofWebhook,
  testWebhook: ofWebhook,
  rotateWebhookSecret: ofWebhook,
  listWebhookDeliveries: ofWebhook,
  retryWebhookDelivery: async ({ services, owner }) => {
    const id = await createWebhookOf(services, owner);
    return { params: { id, deliveryId: await createDeliveryOf(services, id) } };
  },
};
