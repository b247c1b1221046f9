import { findOwnNotices } from '../../shared/notices/find-notices.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { paginationOf } from '../http/pagination.ts';
import { presentNotice } from './present.ts';

/** What moderation has restricted of the caller's, and why, the newest first. */
export const listMyNotices: AuthenticatedHandler<'listMyNotices'> = async (
  { db, clock },
  { query, caller, locale },
) => {
  const { page = 1, limit = 20 } = query;
  const { rows, total } = await findOwnNotices(db, { userId: caller.userId, offset: (page - 1) * limit, limit });
  const results = rows.map((row) => presentNotice(row, locale, clock.now()));
  return {
    status: 200,
    body: { results, pagination: paginationOf(page, limit, total) },
    headers: { 'Content-Language': locale },
  };
};
