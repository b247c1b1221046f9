import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import { topCandidates, MAX_BLOCK_SIZE, addBlock, pairCandidates, type CandidateWeights } from './blocking.ts';
import { findContradiction, type Facts } from './agreement.ts';
import { featuresOf, createWordWeights, distinctWords, type Features } from './features.ts';
import type { Fingerprint, Traits } from './fingerprint.ts';

/** Uses of an image are counted up to here: one of more listings tells next to nothing. */
const MAX_COUNTED_USES = 1_000;
/** How many copies of an ad are searched for one of another seller. */
const MAX_REPRESENTATIVES = 200;

/**
 * Blocking: the pairs of these listings with their candidates that nothing contradicts, each once, the smaller id first.
 * Only index entries of their own keys are read, and of a key no more than MAX_BLOCK_SIZE + 1.
 */
export async function findCandidatePairs(db: Kysely<DB>, listingIds: readonly string[]): Promise<[string, string][]> {
  if (listingIds.length === 0) return [];
  const { rows } = await sql<{ owners: string; holders: string }>`
    with held as materialized (
      select key, array_agg(listing_id) as owners from dedup_keys where listing_id = any(${listingIds}::text[]) group by key),
    met as materialized (
      select key, owners, array(select listing_id from dedup_keys where key = held.key limit ${MAX_BLOCK_SIZE + 1}) as holders from held)
    select array_to_string(owners, ' ') as owners, array_to_string(holders, ' ') as holders
    from met where cardinality(holders) between 2 and ${MAX_BLOCK_SIZE} order by key`.execute(db);
  const met: CandidateWeights<string> = new Map();
  for (const { owners, holders } of rows) addBlock(met, owners.split(' '), holders.split(' '));
  const best = new Map(met.entries().map(([id, others]) => [id, topCandidates(others)]));
  const facts = await readFacts(db, [...new Set([...best].flatMap(([id, others]) => [id, ...others]))]);
  const pairs = pairCandidates(best, (one, other) => !findContradiction(facts.get(one) ?? {}, facts.get(other) ?? {}));
  const known = new Set(pairs.map((pair) => pair.join(' ')));
  return [...pairs, ...(await findCopies(db, listingIds)).filter((pair) => !known.has(pair.join(' ')))];
}

/**
 * Pairs that keep the copies of an ad connected, whatever their number: each copy with the first one, and with the first of
 * another seller.
 */
async function findCopies(db: Kysely<DB>, listingIds: readonly string[]): Promise<[string, string][]> {
  const { rows: own } = await sql<Copy>`
    select listing_id as id, copy, print->>'source' as source from dedup_prints
    where listing_id = any(${listingIds}::text[]) and copy is not null`.execute(db);
  if (own.length === 0) return [];
  const { rows: representatives } = await sql<Copy>`
    select h.id, c.copy, h.source from unnest(${[...new Set(own.map(({ copy }) => copy))]}::text[]) as c (copy)
    cross join lateral (
      select listing_id as id, print->>'source' as source from dedup_prints p where p.copy = c.copy
      order by listing_id limit ${MAX_REPRESENTATIVES}) as h
    order by h.id`.execute(db);
  const representativesOf = Map.groupBy(representatives, ({ copy }) => copy);
  const pairs = own.flatMap(({ id, copy, source }) => {
    const known = representativesOf.get(copy) ?? [];
    const met = [known[0]?.id, known.find((head) => head.source !== source)?.id];
    return met.flatMap((other): [string, string][] => {
      if (other === undefined || other === id) return [];
      return [id < other ? [id, other] : [other, id]];
    });
  });
  return [...new Map(pairs.map((pair) => [pair.join(' '), pair])).values()];
}

type Copy = { id: string; copy: string; source: string | null };

type FactsRow = { [Fact in keyof Facts]-?: Facts[Fact] | null } & { listing_id: string };

async function readFacts(db: Kysely<DB>, listingIds: readonly string[]): Promise<Map<string, Facts>> {
  const { rows } = await sql<FactsRow>`
    select listing_id, type, serial, year, length_m from dedup_prints where listing_id = any(${listingIds}::text[])`.execute(
    db,
  );
  return new Map(
    rows.map(({ listing_id: id, type, serial, year, length_m }) => [
      id,
      {
        type: type ?? undefined,
        serial: serial ?? undefined,
        year: year ?? undefined,
        length_m: length_m ?? undefined,
      },
    ]),
  );
}

/** The traits of these listings by id; those without a fingerprint are left out. */
export async function readTraits(db: Kysely<DB>, listingIds: readonly string[]): Promise<Map<string, Traits>> {
  const { rows } = await sql<{ traits: Traits }>`
    select print - '{title,description,codes,images}'::text[] as traits from dedup_prints
    where listing_id = any(${listingIds}::text[])`.execute(db);
  return new Map(rows.map(({ traits }) => [traits.id, traits]));
}

/** By id the copy key of these listings, where their text says enough, and where each is offered. */
export async function readStandings(
  db: Kysely<DB>,
  listingIds: readonly string[],
): Promise<Map<string, { copy?: string; source?: string }>> {
  const { rows } = await sql<Copy & { copy: string | null }>`
    select listing_id as id, copy, print->>'source' as source from dedup_prints where listing_id = any(${listingIds}::text[])`.execute(
    db,
  );
  return new Map(rows.map(({ id, copy, source }) => [id, { copy: copy ?? undefined, source: source ?? undefined }]));
}

/** The features of these listings by id; those without a fingerprint are left out. */
export async function readFeatures(db: Kysely<DB>, listingIds: readonly string[]): Promise<Map<string, Features>> {
  const { rows } = await sql<{ print: Fingerprint }>`
    select print from dedup_prints where listing_id = any(${listingIds}::text[])`.execute(db);
  const words = new Set<string>();
  for (const { print } of rows) for (const word of distinctWords(print)) words.add(word);
  const counted = await sql<{ word: string; listings: number }>`
    select word, listings from dedup_words where word = any(${[...words]}::text[])`.execute(db);
  const uses = new Map(counted.rows.map(({ word, listings }) => [word, listings]));
  const listings = await countFingerprints(db);
  const weigh = createWordWeights(listings, (word) => uses.get(word) ?? 1);
  const imageUses = await countImageUses(db, [...new Set(rows.flatMap(({ print }) => print.images ?? []))]);
  const countImage = (hash: string) => imageUses.get(hash) ?? 1;
  const weighImage = createWordWeights(listings, countImage);
  return new Map(rows.map(({ print }) => [print.id, featuresOf(print, weigh, weighImage, countImage)]));
}

/** In how many listings each image (by its hash) stands, counted up to MAX_COUNTED_USES. */
async function countImageUses(db: Kysely<DB>, hashes: readonly string[]): Promise<Map<string, number>> {
  if (hashes.length === 0) return new Map();
  const { rows } = await sql<{ hash: string; uses: number }>`
    select h.hash, used.uses from unnest(${[...hashes]}::text[]) as h (hash)
    cross join lateral (
      select count(*)::int as uses from (
        select from images i join picture_uses u using (sha256) where i.dhash = ('x' || h.hash)::bit(64)::bigint
        limit ${MAX_COUNTED_USES}) as few) as used`.execute(db);
  return new Map(rows.map(({ hash, uses }) => [hash, uses]));
}

/** The number of fingerprints: exact while small, the planner's estimate above. */
async function countFingerprints(db: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select case when c.reltuples > 20000 then c.reltuples::int else (select count(*)::int from (select 1 from dedup_prints limit 20000) as few) end as n
    from pg_class c where c.oid = 'dedup_prints'::regclass`.execute(db);
  return Math.max(1, rows[0]?.n ?? 1);
}
