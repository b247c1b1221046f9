import { notFound } from '../../shared/kit/errors.ts';
import type { WebhookRow } from '../../shared/webhooks/subscriptions.ts';
import type { Services } from '../services.ts';

/** The caller's webhook; 404 when there is none, or when it is somebody else's. */
export async function findOwnWebhook({ db }: Services, id: string, userId: string): Promise<WebhookRow> {
  const webhook = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (!webhook) throw notFound('webhook', id);
  return webhook;
}
