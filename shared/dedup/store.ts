import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';
import { MAX_BLOCK_SIZE, blockingKeysOf } from './blocking.ts';
import { distinctWords } from './features.ts';
import { copyKeyOf, makeFingerprint, scanOrderKey, type Fingerprint } from './fingerprint.ts';
import { readSubjects } from './read-subjects.ts';

/** From this document frequency on a word is no longer counted, nor its row locked. */
const COMMON = 5_000;
/** From this document frequency on a word is no blocking key. */
const NO_KEY_FROM = 2 * MAX_BLOCK_SIZE;

type Stale = { id: string; version: number; known: number | null };

/**
 * Renews the fingerprints and blocking keys of these listings, as far as they are offered or drafts, and removes those of
 * others. Answers how many have changed.
 */
export async function refreshFingerprints(tx: Tx, listingIds: readonly string[]): Promise<number> {
  const stale = await readStale(tx, listingIds);
  await sql`delete from dedup_prints p using listings l where p.listing_id = any(${listingIds}::text[]) and l.id = p.listing_id
    and l.status not in ('draft', 'active', 'paused')`.execute(tx);
  if (stale.length === 0) return 0;
  const versions = new Map(stale.map(({ id, version }) => [id, version]));
  const prints = (await readSubjects(tx, [...versions.keys()])).map(makeFingerprint);
  const unknown = new Set(stale.filter(({ known }) => known === null).map(({ id }) => id));
  await countWords(
    tx,
    prints.filter(({ id }) => unknown.has(id)),
  );
  const written = await writeFingerprints(tx, prints, versions);
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

/** Writes the fingerprints of listings that still exist, and locks these until the transaction ends; answers their ids. */
async function writeFingerprints(
  tx: Tx,
  prints: readonly Fingerprint[],
  versions: ReadonlyMap<string, number>,
): Promise<ReadonlySet<string>> {
  const rows = prints.map((print) => {
    const { id, type, serial, year, length_m } = print;
    const [shelf, copy] = [scanOrderKey(print), copyKeyOf(print)];
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

/** Keys are deleted with their fingerprint. */
async function writeKeys(tx: Tx, prints: readonly Fingerprint[]): Promise<void> {
  const common = await findCommon(
    tx,
    prints.flatMap(({ title }) => title.words),
  );
  await sql`delete from dedup_keys where listing_id = any(${prints.map(({ id }) => id)}::text[])`.execute(tx);
  const keys = prints.flatMap((print) =>
    blockingKeysOf(print).flatMap((key) => (common.has(key) ? [] : [{ key, listing_id: print.id }])),
  );
  await sql`insert into dedup_keys (key, listing_id)
    select key, listing_id from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as k (key text, listing_id text)
    order by key collate "C", listing_id collate "C" on conflict do nothing`.execute(tx);
}

async function countWords(tx: Tx, prints: readonly Fingerprint[]): Promise<void> {
  const uses = new Map<string, number>();
  for (const print of prints) for (const word of distinctWords(print)) uses.set(word, (uses.get(word) ?? 0) + 1);
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
