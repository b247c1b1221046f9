import type { CompiledQuery } from 'kysely';

/** PostgreSQL keeps the plan of each per connection. */
const MOST_PREPARED = 100;
const names = new Map<string, string>();

/**
 * The same query as a named prepared statement: its text is parsed and planned once per connection. For statements of hot
 * paths that Kysely runs, whose text is one of a few; those beyond the first hundred are run as they are.
 */
export function prepared<Row>(query: CompiledQuery<Row>): CompiledQuery<Row> {
  let name = names.get(query.sql);
  if (name === undefined) {
    if (names.size >= MOST_PREPARED) return query;
    name = `prepared-${names.size + 1}`;
    names.set(query.sql, name);
  }
  // Kysely hands `sql` to pg as it is, and pg takes a text or an object that names it.
  return { ...query, sql: { name, text: query.sql } as unknown as string };
}
