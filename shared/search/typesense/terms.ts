import type { Pool } from 'pg';
import { addMilliseconds, DAY_MS, dayOf } from '../../kit/clock.ts';
import { isFitToSuggest, MIN_SEARCHES, TERM_DAYS } from '../terms.ts';
import { readLines, TypesenseError } from './client.ts';
import type { SearchIndex } from './collections.ts';
import { exactKey, toJson } from './encode.ts';
import { TOKEN_SEPARATORS, type Field } from './schema.ts';

const FIELDS: Field[] = [
  { name: 'query', type: 'string' },
  { name: 'searches', type: 'int32' },
  { name: 'written_at', type: 'int64' },
];
const BATCH = 2_000;
/** The most frequent queries that are suggested. */
const MAX_TERMS = 100_000;

/** The collection of frequent queries beside an index. */
export const termsCollection = (alias: string) => `${alias}_terms`;

/** Writes the frequent queries of the last days, with how often each was asked, and takes out all others. */
export async function writeTerms(pool: Pool, { client, alias }: SearchIndex, now: Date): Promise<number> {
  const name = termsCollection(alias);
  try {
    await client.ask((typesense) =>
      typesense.collections().create({ name, fields: FIELDS, token_separators: TOKEN_SEPARATORS }),
    );
  } catch (error) {
    if (!(error instanceof TypesenseError && error.status === 409)) throw error;
  }
  const { rows } = await pool.query<{ query: string; searches: number }>(
    `select query, sum(searches)::int as searches from search_queries where day > $1::date
     group by query having sum(searches) >= ${MIN_SEARCHES} order by searches desc, query limit ${MAX_TERMS}`,
    [dayOf(addMilliseconds(now, -TERM_DAYS * DAY_MS))],
  );
  const terms = rows.filter(({ query }) => isFitToSuggest(query));
  for (let start = 0; start < terms.length; start += BATCH) {
    const lines = terms
      .slice(start, start + BATCH)
      .map(({ query, searches }) =>
        toJson({ id: exactKey('query', query), query, searches, written_at: now.getTime() }),
      );
    const answer = await client.ask((typesense) =>
      typesense.collections(name).documents().import(lines.join('\n'), { action: 'upsert' }),
    );
    const failed = readLines<{ success: boolean; error?: string }>(answer).find(({ success }) => !success);
    if (failed) throw new TypesenseError(503, failed.error ?? 'a frequent query was refused');
  }
  const old = { filter_by: `written_at:<${now.getTime()}` };
  await client.ask((typesense) => typesense.collections(name).documents().delete(old));
  return terms.length;
}
