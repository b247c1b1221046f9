import { findConversations } from '../../shared/conversations/page.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { paginationOf } from '../http/pagination.ts';
import { presentConversation } from './present.ts';

/** One page of the caller's conversations, as buyer and as seller, the one written in last first; or of those about one listing. */
export const listConversations: AuthenticatedHandler<'listConversations'> = async ({ pool }, { query, caller }) => {
  const { page = 1, limit = 20, listing_id: listing } = query;
  const asked = { userId: caller.userId, listing, offset: (page - 1) * limit, limit };
  const { rows, total } = await findConversations(pool, asked);
  const pagination = paginationOf(page, limit, total);
  return { status: 200, body: { results: rows.map(presentConversation), pagination } };
};
