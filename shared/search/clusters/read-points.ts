import type { Pool } from 'pg';
import { fromMatches } from '../postgres/filter-first.ts';
import { createParameters } from '../postgres/statement.ts';
import type { Search } from '../postgres/statement.ts';
import { renderTypedQuery, textMatches } from '../postgres/text-search.ts';

/** Points per row of the answer: each row is read at once, and others get their turn between two. */
const CHUNK = 20_000;

/** A statement that reads the points of a search, and a key that is the same for the same points. */
export type PointsQuery = { text: string; values: unknown[]; key: string };

/** The points of all matches of a search, whatever its page: those that have coordinates, in the order of their ids. */
export function pointsOf(search: Search): PointsQuery {
  const parameter = createParameters();
  const matches =
    search.filters.q === undefined
      ? `select l.id, l.lng, l.lat from ${fromMatches(search, parameter)}`
      : `select l.id, l.lng, l.lat ${textMatches(search, parameter, renderTypedQuery(search, parameter, search.corrected), true)}`;
  const text = `select string_agg(id || ' ' || lng || ' ' || lat, E'\\n' order by id) as points from (
      select id, lng, lat, (row_number() over (order by id) - 1) / ${CHUNK} as chunk from (${matches}) as found
      where lng is not null and lat is not null) as placed
    group by chunk order by chunk`;
  return { text, values: [...parameter.values], key: JSON.stringify([text, parameter.values]) };
}

/** Reads them, as texts of lines `id lng lat`. Unprepared: filters make too many texts to keep plans for. */
export async function readPoints(pool: Pool, { text, values }: PointsQuery): Promise<string[]> {
  const { rows } = await pool.query<{ points: string }>(text, values);
  return rows.map(({ points }) => points);
}
