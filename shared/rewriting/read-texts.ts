import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { isId } from '../kit/ids.ts';
import { COUNT_LIMIT } from '../search/postgres/total.ts';

export type TextFilter = { listing?: string; status?: string; locale?: string };

/** A rewritten text as administrators see it, beside the words that it was made from. */
export type TextRow = {
  listing: { id: string; slug: string; status: string; title: string; description: string; language: string };
  locale: string;
  status: string;
  title: string | null;
  description: string | null;
  error: string | null;
  attempts: number;
  edited_by_human: boolean;
  updated_at: Date;
};

/** One page of the rewritten texts that the filter lets through, the one touched last first, and their number: exact up to COUNT_LIMIT. */
export async function readTexts(
  db: Database,
  { listing, status, locale }: TextFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: TextRow[]; total: number }> {
  let found = db.selectFrom('listing_rewrites as r');
  if (listing !== undefined)
    found = found.where('r.listing_id', 'in', (from) =>
      from
        .selectFrom('listings')
        .select('id')
        .where(isId('listing', listing) ? 'id' : 'slug', '=', listing),
    );
  if (status !== undefined) found = found.where('r.status', '=', status);
  if (locale !== undefined) found = found.where('r.locale', '=', locale);
  // Only the listings of the page are looked up, however many come before it.
  const page = found
    .select(['r.listing_id', 'r.locale', 'r.status', 'r.title', 'r.description', 'r.error', 'r.attempts'])
    .select(['r.edited_by_human', 'r.updated_at'])
    .orderBy('r.updated_at', 'desc')
    .orderBy('r.listing_id')
    .orderBy('r.locale')
    .offset(offset)
    .limit(limit);
  const counted = found.select(sql`1`.as('one')).limit(COUNT_LIMIT);
  const [rows, { total }] = await Promise.all([
    db
      .selectFrom(page.as('r'))
      .innerJoin('listings as l', 'l.id', 'r.listing_id')
      .select(['r.locale', 'r.status', 'r.title', 'r.description', 'r.error', 'r.attempts', 'r.edited_by_human'])
      .select('r.updated_at')
      .select(
        sql<TextRow['listing']>`jsonb_build_object('id', l.id, 'slug', l.slug, 'status', l.status, 'title', l.title,
          'description', l.description, 'language', l.language)`.as('listing'),
      )
      .orderBy('r.updated_at', 'desc')
      .orderBy('r.listing_id')
      .orderBy('r.locale')
      .execute(),
    db
      .selectFrom(counted.as('counted'))
      .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('total'))
      .executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}
