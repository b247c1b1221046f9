import type { Pool } from 'pg';
import { cardColumns, cardJoins, cardTypes, type CardRow } from '../../listings/card.ts';

/** A listing as lists show it, with the number of its last change. */
export type VersionedCard = CardRow & { version: number };

const text = `select ${cardColumns}, l.version from listings l ${cardJoins('$2')} where l.id = any($1::text[])`;

/** The cards of listings by primary key, with the texts of a locale, by their ids. */
export async function readVersionedCards(
  pool: Pool,
  ids: readonly string[],
  locale: string,
): Promise<ReadonlyMap<string, VersionedCard>> {
  if (ids.length === 0) return new Map();
  const { rows } = await pool.query<VersionedCard>({ name: 'cards', text, values: [ids, locale], types: cardTypes });
  return new Map(rows.map((row) => [row.id, row]));
}
