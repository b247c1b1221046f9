import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';
import { HOT_KEY } from './blocking.ts';
import { wordsOf } from './features.ts';
import { keysOf } from './keys.ts';
import { copyOf, printOf, scanOrderKey, type Print } from './print.ts';
import { readSubjects } from './read-subjects.ts';

/** A word of so many listings needs no more counting, and its row no more locking. */
const COMMON = 5_000;
/** A word of so many listings is no key: it would find nobody. */
const NO_KEY_FROM = 2 * HOT_KEY;

type Stale = { id: string; version: number; known: number | null };

/**
 * Brings the prints and keys of these listings up to date, as far as they are offered or drafts; those of others are removed,
 * and a listing that is deleted for good meanwhile has none. Answers how many have changed.
 */
export async function refreshPrints(tx: Tx, listingIds: readonly string[]): Promise<number> {
  const stale = await readStale(tx, listingIds);
  await sql`delete from dedup_prints p using listings l where p.listing_id = any(${listingIds}::text[]) and l.id = p.listing_id
    and l.status not in ('draft', 'active', 'paused')`.execute(tx);
  if (stale.length === 0) return 0;
  const versions = new Map(stale.map(({ id, version }) => [id, version]));
  const prints = (await readSubjects(tx, [...versions.keys()])).map(printOf);
  const unknown = new Set(stale.filter(({ known }) => known === null).map(({ id }) => id));
  await countWords(
    tx,
    prints.filter(({ id }) => unknown.has(id)),
  );
  const written = await writePrints(tx, prints, versions);
  await writeKeys(
    tx,
    prints.filter(({ id }) => written.has(id)),
  );
  return written.size;
}

async function readStale(tx: Tx, listingIds: readonly string[]): Promise<Stale[]> {
  const { rows } = await sql<Stale>`
    select l.id, l.version, p.version as known from listings l left join dedup_prints p on p.listing_id = l.id
    where l.id = any(${listingIds}::text[]) and l.status in ('draft', 'active', 'paused') and p.version is distinct from l.version`.execute(
    tx,
  );
  return rows;
}

/** Writes the prints of the listings that are still there, which stay until the transaction ends; answers their ids. */
async function writePrints(
  tx: Tx,
  prints: readonly Print[],
  versions: ReadonlyMap<string, number>,
): Promise<ReadonlySet<string>> {
  const rows = prints.map((print) => {
    const { id, type, serial, year, length_m } = print;
    const [shelf, copy] = [scanOrderKey(print), copyOf(print)];
    return { listing_id: id, version: versions.get(id), print, type, serial, year, length_m, shelf, copy };
  });
  const { rows: written } = await sql<{ listing_id: string }>`
    with still as materialized (
      select id from listings where id = any(${prints.map(({ id }) => id)}::text[]) order by id for key share)
    insert into dedup_prints (listing_id, version, print, type, serial, year, length_m, shelf, copy)
    select listing_id, version, print, type, serial, year, length_m, shelf, copy from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as p (listing_id text, version int, print jsonb, type text, serial text, year int, length_m float8, shelf text, copy text)
      join still on still.id = p.listing_id
    order by listing_id collate "C"
    on conflict (listing_id) do update set (version, print, type, serial, year, length_m, shelf, copy) =
      (excluded.version, excluded.print, excluded.type, excluded.serial, excluded.year, excluded.length_m, excluded.shelf, excluded.copy)
    returning listing_id`.execute(tx);
  return new Set(written.map(({ listing_id }) => listing_id));
}

/** Keys go with the print that they are made from. */
async function writeKeys(tx: Tx, prints: readonly Print[]): Promise<void> {
  const common = await findCommon(
    tx,
    prints.flatMap(({ title }) => title.words),
  );
  await sql`delete from dedup_keys where listing_id = any(${prints.map(({ id }) => id)}::text[])`.execute(tx);
  const keys = prints.flatMap((print) =>
    keysOf(print).flatMap((key) => (common.has(key) ? [] : [{ key, listing_id: print.id }])),
  );
  await sql`insert into dedup_keys (key, listing_id)
    select key, listing_id from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as k (key text, listing_id text)
    order by key collate "C", listing_id collate "C" on conflict do nothing`.execute(tx);
}

async function countWords(tx: Tx, prints: readonly Print[]): Promise<void> {
  const uses = new Map<string, number>();
  for (const print of prints) for (const word of wordsOf(print)) uses.set(word, (uses.get(word) ?? 0) + 1);
  const counted = [...uses].map(([word, listings]) => ({ word, listings }));
  await sql`insert into dedup_words as known (word, listings)
    select u.word, u.listings from jsonb_to_recordset(${JSON.stringify(counted)}::jsonb) as u (word text, listings int)
    where not exists (select 1 from dedup_words k where k.word = u.word and k.listings >= ${COMMON})
    order by u.word collate "C"
    on conflict (word) do update set listings = known.listings + excluded.listings`.execute(tx);
}

/** The keys of words that are in too many listings. */
async function findCommon(tx: Tx, words: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ word: string }>`
    select word from dedup_words where word = any(${[...new Set(words)]}::text[]) and listings > ${NO_KEY_FROM}`.execute(
    tx,
  );
  return new Set(rows.map(({ word }) => `w:${word}`));
}
