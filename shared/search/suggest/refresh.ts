import { sql, type Kysely } from 'kysely';
import type { DB } from '../../../db/types.gen.ts';
import { createPrefixCollector, type FrequentPrefix, type Completion } from './frequent-prefixes.ts';

const suggestionSources = {
  titles: { table: 'suggestion_titles', subject: 'listing_id' },
  terms: { table: 'suggestion_terms', subject: 'query' },
} as const;
type SuggestionSource = keyof typeof suggestionSources;

const PAGE = 10_000;
const WRITTEN = 2_000;
const PAST = '\u{10FFFF}';

/**
 * Rebuilds the top completions of frequent prefixes and answers their number. Reads and writes in small batches and can be
 * stopped between two; readers see each prefix before or after its update.
 */
export async function refreshSuggestions(
  db: Kysely<DB>,
  kind: SuggestionSource,
  beforeEach: () => void = () => {},
): Promise<number> {
  const finder = createPrefixCollector();
  let group: FrequentPrefix[] = [];
  let letter = '';
  let written = '';
  let total = 0;

  /** Replaces the stored prefixes up to the last complete one. */
  async function write(past: string): Promise<void> {
    await replacePrefixes(db, kind, { from: written, past }, group);
    total += group.length;
    group = [];
    written = past;
  }

  for await (const start of readStarts(db, kind, beforeEach)) {
    const first = String.fromCodePoint(start.start.codePointAt(0) ?? 0);
    group.push(...finder.add(start));
    if (letter !== '' && first !== letter) await write(first);
    letter = first;
  }
  group.push(...finder.end());
  await write(PAST);
  return total;
}

async function* readStarts(db: Kysely<DB>, kind: SuggestionSource, beforeEach: () => void): AsyncGenerator<Completion> {
  const { table, subject } = suggestionSources[kind];
  let last: Completion = { subject: '', place: 0, start: '', popularity: 0 };
  for (let count = PAGE; count === PAGE;) {
    beforeEach();
    const { rows } = await sql<Completion>`
      select ${sql.ref(subject)} as subject, place, start, popularity from ${sql.table(table)}
      where start >= ${last.start} and start <> ''
        and (start, ${sql.ref(subject)}, place) > (${last.start}, ${last.subject}, ${last.place})
      order by start, ${sql.ref(subject)}, place limit ${PAGE}`.execute(db);
    yield* rows;
    count = rows.length;
    last = rows.at(-1) ?? last;
  }
}

async function replacePrefixes(
  db: Kysely<DB>,
  kind: SuggestionSource,
  { from, past }: { from: string; past: string },
  frequent: readonly FrequentPrefix[],
): Promise<void> {
  const prefixes = frequent.map(({ prefix }) => prefix);
  await sql`delete from suggestion_heads where kind = ${kind} and prefix >= ${from} and prefix < ${past}
    and not exists (select from unnest(${prefixes}::text[]) as kept (prefix) where kept.prefix = suggestion_heads.prefix)`.execute(
    db,
  );
  for (let at = 0; at < frequent.length; at += WRITTEN) {
    const rows = frequent.slice(at, at + WRITTEN).map(({ prefix, best }) => ({
      prefix,
      subjects: best.map(({ subject }) => subject),
      places: best.map(({ place }) => place),
    }));
    await sql`insert into suggestion_heads as h (kind, prefix, subjects, places)
      select ${kind}, prefix, ranked.subjects, ranked.places
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as t (prefix text, subjects text[], places smallint[])
      cross join lateral (
        select array_agg(subject order by coalesce(v.views, 0) desc, rank) as subjects,
          array_agg(place order by coalesce(v.views, 0) desc, rank) as places
        from unnest(t.subjects, t.places) with ordinality as each (subject, place, rank)
        left join listing_views v on v.listing_id = subject) as ranked
      on conflict (kind, prefix) do update set subjects = excluded.subjects, places = excluded.places
        where (h.subjects, h.places) is distinct from (excluded.subjects, excluded.places)`.execute(db);
  }
}
