import { readTexts } from '../../shared/rewriting/read-texts.ts';
import { paginationOf } from '../http/pagination.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';

type Text = Result<'listRewrites', 200>['results'][number];

/** The rewritten texts of a listing, or of all, beside the words that they were made from, the one touched last first. */
export const listRewrites: Handler<'listRewrites'> = async ({ db }, { query }) => {
  const { listing_id: listing, status, locale, page = 1, limit = 20 } = query;
  const { rows, total } = await readTexts(db, { listing, status, locale }, { offset: (page - 1) * limit, limit });
  const results = rows.map((row) => ({
    ...row,
    listing: row.listing as Text['listing'],
    status: row.status as Text['status'],
    updated_at: row.updated_at.toISOString(),
  }));
  return { status: 200, body: { results, pagination: paginationOf(page, limit, total) } };
};
