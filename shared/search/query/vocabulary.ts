import { sql, type Kysely } from 'kysely';
import type { DB } from '../../../db/types.gen.ts';
import { distinctWords } from '../../dedup/features.ts';
import { makeFingerprint } from '../../dedup/fingerprint.ts';
import { readSubjects } from '../../dedup/read-subjects.ts';
import type { Tx } from '../../queues/jobs.ts';

/** Shorter words are not in the vocabulary: they are no half of a word that lacks a space. */
export const MIN_KNOWN_LENGTH = 3;
/** A word this common needs no more counting, and its row no more locking. */
const COMMON = 1_000;

/** Each word of these listings, once for each that has it. */
const wordsOf = (listingIds: readonly string[]) => sql`
  select distinct l.id, l.status, word from listings l cross join lateral unnest(tsvector_to_array(to_tsvector('quayside_words',
    concat_ws(' ', l.title, array_to_string(l.tags, ' '), l.attributes->>'brand', l.attributes->>'model', left(l.description, 20000))))) as word
  where l.id = any(${listingIds}::text[]) and char_length(word) between ${MIN_KNOWN_LENGTH} and 40 and word ~ '[[:alpha:]]'`;

/**
 * Adds the words of these active listings to the vocabulary of spelling correction. Its document frequencies are
 * approximate: naming a listing again counts it again.
 */
export async function addToVocabulary(db: Kysely<DB>, listingIds: readonly string[]): Promise<void> {
  if (listingIds.length === 0) return;
  await sql`
    with used as (
      select word, count(*)::int as listings from (${wordsOf(listingIds)}) as words
      where status = 'active'
        and (char_length(word) > ${MIN_KNOWN_LENGTH} or numnode(plainto_tsquery('quayside', word)) > 0) group by word)
    insert into search_words as known (word, listings)
    select word, listings from used
    where not exists (select 1 from search_words w where w.word = used.word and w.listings >= ${COMMON})
    order by word
    on conflict (word) do update set listings = known.listings + excluded.listings`.execute(db);
}

/**
 * The words of listings that are about to be deleted, in whatever status, as spelling correction and the search for duplicates have
 * counted them; of titles also those of before, as far as the journal goes back.
 */
export async function readVocabulary(tx: Tx, listingIds: readonly string[]): Promise<string[]> {
  const [subjects, { rows: former }, { rows: known }] = [
    await readSubjects(tx, listingIds),
    await sql<{ id: string; title: string }>`
      select distinct subject as id, previous->>'title' as title from events
      where subject = any(${listingIds}::text[]) and previous ? 'title'`.execute(tx),
    await sql<{ word: string }>`
      select word from (${wordsOf(listingIds)}) as words
      union
      select word from events e cross join lateral unnest(tsvector_to_array(to_tsvector('quayside_words', e.previous->>'title'))) as word
      where e.subject = any(${listingIds}::text[]) and e.previous ? 'title'`.execute(tx),
  ];
  const renamed = former.flatMap(({ id, title }) =>
    subjects.filter((subject) => subject.id === id).map((subject) => ({ ...subject, title })),
  );
  const compared = [...subjects, ...renamed].flatMap((subject) => distinctWords(makeFingerprint(subject)));
  return [...new Set([...known.map(({ word }) => word), ...compared])];
}

/** Forgets those of these words that no listing has any more, and answers which these were. */
export async function forgetUnusedWords(tx: Tx, words: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`
    with asked as materialized (
      select word, plainto_tsquery('quayside', word) as query from unnest(${words}::text[]) as word),
    unused as materialized (
      select word from asked a
      where numnode(query) > 0
        and not exists (select from listing_search s where s.status = 'active' and searchable(s.words) @@ a.query)
        and not exists (select from listing_search s where s.status <> 'active' and searchable(s.words) @@ a.query)),
    known as (delete from search_words w using unused u where w.word = u.word),
    counted as (delete from dedup_words w using unused u where w.word = u.word)
    select word from unused`.execute(tx);
  return rows.map(({ word }) => word);
}
