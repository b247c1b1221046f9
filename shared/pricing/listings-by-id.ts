import type { Pool } from 'pg';
import { cardColumns, cardJoins, cardTypes, type CardRow } from '../listings/card.ts';

const text = `select ${cardColumns}
  from unnest($1::text[]) with ordinality as page (id, place) join listings l on l.id = page.id ${cardJoins('$3')}
  where l.status = any($2::text[]) order by page.place`;

/** The listings of these ids as lists show them, in the order of the ids; those in other statuses are left out. */
export async function findListingsById(
  pool: Pool,
  ids: readonly string[],
  { statuses, locale }: { statuses: readonly string[]; locale: string },
): Promise<CardRow[]> {
  if (ids.length === 0) return [];
  const values = [ids, statuses, locale];
  const { rows } = await pool.query<CardRow>({ name: 'listings-by-id', text, values, types: cardTypes });
  return rows;
}
