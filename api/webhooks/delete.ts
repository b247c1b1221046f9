import { inTransaction } from '../../db/client.ts';
import { lockOwnWebhook } from '../../shared/webhooks/subscriptions.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** Deletes a webhook with its log; nothing is posted to it from now on. */
export const deleteWebhook: AuthenticatedHandler<'deleteWebhook'> = async ({ db }, { params, caller }) => {
  await inTransaction(db, async (tx) => {
    const { id } = await lockOwnWebhook(tx, params.id, caller.userId);
    await tx.deleteFrom('webhooks').where('id', '=', id).execute();
  });
  return { status: 200, body: { id: params.id, deleted: true } };
};
