import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import type { Tx } from '../queues/jobs.ts';
import type { Signals } from './compare.ts';
import type { ComparedPair } from './detect.ts';
import type { ScoredPair } from './context.ts';

/** A stored pair; `fresh` while neither listing has changed since they were compared. */
export type StoredPair = { first: string; second: string; fresh: boolean };

type Row = {
  first: string;
  second: string;
  score: number;
  evidence: { picture: ScoredPair['picture']; signals: Partial<Signals> };
};

const touching = (listingIds: readonly string[]) => sql`
  from dedup_pairs p where p.first_id = any(${listingIds}::text[]) or p.second_id = any(${listingIds}::text[])`;

/** The stored pairs of these listings with their signals. */
export async function readComparedPairs(db: Kysely<DB>, listingIds: readonly string[]): Promise<ComparedPair[]> {
  const { rows } = await sql<Row>`
    select first_id as first, second_id as second, score, evidence ${touching(listingIds)}`.execute(db);
  return rows.map(({ evidence, ...pair }) => ({ ...pair, ...evidence }));
}

/** The scores of the pairs of these listings. */
export async function readScores(
  db: Kysely<DB>,
  listingIds: readonly string[],
): Promise<Pick<ScoredPair, 'first' | 'second' | 'score'>[]> {
  const { rows } = await sql<Pick<Row, 'first' | 'second' | 'score'>>`
    select first_id as first, second_id as second, score ${touching(listingIds)}`.execute(db);
  return rows;
}

/** The stored pairs of these listings, and which of them are fresh. */
export async function readStoredPairs(db: Kysely<DB>, listingIds: readonly string[]): Promise<StoredPair[]> {
  const { rows } = await sql<StoredPair>`
    select k.first_id as first, k.second_id as second,
      coalesce(one.version = k.first_version and other.version = k.second_version, false) as fresh
    from (select first_id, second_id, first_version, second_version ${touching(listingIds)}) as k
    left join dedup_prints one on one.listing_id = k.first_id
    left join dedup_prints other on other.listing_id = k.second_id`.execute(db);
  return rows;
}

/** Replaces the stored pairs of these listings by the compared ones; of those known before only fresh ones stay. */
export async function replacePairs(
  tx: Tx,
  known: readonly StoredPair[],
  judged: readonly ComparedPair[],
): Promise<void> {
  const kept = new Set(judged.map(({ first, second }) => `${first} ${second}`));
  const gone = known.filter(({ first, second, fresh }) => !fresh && !kept.has(`${first} ${second}`));
  if (gone.length > 0)
    await sql`delete from dedup_pairs p
      using jsonb_to_recordset(${JSON.stringify(gone)}::jsonb) as g (first text, second text)
      where p.first_id = g.first and p.second_id = g.second`.execute(tx);
  if (judged.length === 0) return;
  const rows = judged.map(({ picture, signals, ...pair }) => ({
    ...pair,
    evidence: { picture, signals: inShort(signals) },
  }));
  await sql`insert into dedup_pairs (first_id, second_id, score, evidence, first_version, second_version)
    select p.first, p.second, p.score, p.evidence, one.version, other.version
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as p (first text, second text, score real, evidence jsonb)
    join dedup_prints one on one.listing_id = p.first
    join dedup_prints other on other.listing_id = p.second
    order by first collate "C", second collate "C"
    on conflict (first_id, second_id) do update set (score, evidence, first_version, second_version) =
      (excluded.score, excluded.evidence, excluded.first_version, excluded.second_version)`.execute(tx);
}

/** Signals without zeros, rounded. */
const inShort = (signals: Partial<Signals>): Partial<Signals> =>
  Object.fromEntries(
    Object.entries(signals).flatMap(([name, value]) => (value === 0 ? [] : [[name, Math.round(value * 1e4) / 1e4]])),
  );
