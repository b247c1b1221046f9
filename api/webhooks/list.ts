import type { AuthenticatedHandler } from '../handler.ts';
import { paginationOf } from '../http/pagination.ts';
import { presentWebhook, shownColumns } from './present.ts';

/** One page of the caller's webhooks, newest first. */
export const listWebhooks: AuthenticatedHandler<'listWebhooks'> = async ({ db }, { query, caller }) => {
  const { page = 1, limit = 20 } = query;
  const rows = await db
    .selectFrom('webhooks')
    .select(shownColumns)
    .where('user_id', '=', caller.userId)
    .orderBy('id', 'desc')
    .execute();
  const shown = rows.slice((page - 1) * limit, page * limit);
  const total = rows.length;
  return {
    status: 200,
    body: { results: shown.map(presentWebhook), pagination: paginationOf(page, limit, total) },
  };
};
