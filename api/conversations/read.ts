import { findConversation, findMessages } from '../../shared/conversations/page.ts';
import { notFound } from '../../shared/kit/errors.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { paginationOf } from '../http/pagination.ts';
import { presentDetail } from './present.ts';

/** A conversation of the caller with one page of its messages; nothing is marked as read. 404 for everybody but its two parties. */
export const getConversation: AuthenticatedHandler<'getConversation'> = async ({ pool }, request) => {
  const { params, query, caller } = request;
  const { page = 1, limit = 20, sort = 'oldest' } = query;
  const conversation = await findConversation(pool, params.id, caller.userId);
  if (!conversation) throw notFound('conversation', params.id);
  const { rows, total } = await findMessages(pool, {
    conversationId: conversation.id,
    newestFirst: sort === 'newest',
    offset: (page - 1) * limit,
    limit,
  });
  const pagination = paginationOf(page, limit, total);
  return { status: 200, body: presentDetail(conversation, rows, pagination) };
};
