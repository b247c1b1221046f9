import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { cardColumns, cardJoins, type CardRow } from '../listings/card.ts';
import { MAX_OFFSET } from './search.ts';
import { COUNT_LIMIT } from './postgres/total.ts';

type Filter = {
  statuses: readonly string[];
  source?: string | undefined;
  categoryIds?: readonly string[] | undefined;
  site?: string | undefined;
};

const fits = ({ statuses, source, categoryIds, site }: Filter) => sql<boolean>`
  l.status = any(${statuses}::text[]) and (${source ?? null}::text is null or l.source = ${source ?? null})
  and (${categoryIds ?? null}::text[] is null or l.category_id = any(${categoryIds ?? null}::text[]))
  and (${site ?? null}::text is null or exists (select from listing_sources s where s.listing_id = l.id and s.site = ${site ?? null}))`;

/** One page of everybody's listings, the last created first, and how many there are on all pages: exact up to COUNT_LIMIT. */
export async function findListingsOfAll(
  db: Database,
  filter: Filter,
  { offset, limit, locale }: { offset: number; limit: number; locale: string },
): Promise<{ rows: CardRow[]; total: number }> {
  const isTooFar = offset + limit > MAX_OFFSET;
  const [{ rows }, { rows: counts }] = await Promise.all([
    sql<CardRow>`
      with page as (
        select l.id from listings l where ${fits(filter)} order by l.id desc limit ${isTooFar ? 0 : limit} offset ${isTooFar ? 0 : offset})
      select ${sql.raw(cardColumns)} from (select ${locale}::text as locale) as wanted cross join page join listings l on l.id = page.id
      ${sql.raw(cardJoins('wanted.locale'))}
      order by page.id desc`.execute(db),
    sql<{ total: number }>`
      select count(*)::int as total from (select 1 from listings l where ${fits(filter)} limit ${COUNT_LIMIT}) as counted`.execute(
      db,
    ),
  ]);
  return { rows, total: counts[0]?.total ?? 0 };
}
