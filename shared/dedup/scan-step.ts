import { sql } from 'kysely';
import type { Catalog } from '../catalog/tree.ts';
import type { Tx } from '../queues/jobs.ts';
import type { StepDone } from '../runs/long-run.ts';
import { findGroups } from './find-groups.ts';
import { compareCandidates } from './scan.ts';
import { countScanned, nextScanned, nextStale, pickScanned, type Scope } from './scope.ts';
import type { ScanCounts, ScanCursor, ScanWish } from './runs.ts';
import { refreshFingerprints } from './store.ts';
import { storeGroups } from './stored-groups.ts';

/** Where a run stands, with what it has counted and out of how much. */
type Standing = { cursor: ScanCursor; params: ScanWish; counters: ScanCounts; total: number | null };
type Step = StepDone<ScanCursor, keyof ScanCounts>;

/** Listings per transaction, each well under a second. */
export const batchSizes = { refresh: 500, compare: 250, group: 250 } as const;
/** Listings scanned per batch for stale fingerprints. */
const LOOKED_AT = 5_000;
/** From so many scanned listings on, the planner's statistics are renewed between phases. */
const WORTH_ANALYSING = 1_000;

/**
 * One batch of a scan, in three phases: renew stale fingerprints of all listings; compare the listings in scope with their
 * candidates, in the sorted-neighbourhood order so that those that read alike share a batch; cluster their links into
 * groups.
 */
export async function takeStep(tx: Tx, { catalog }: { catalog: Catalog }, run: Standing, now: Date): Promise<Step> {
  const scope = scopeOf(run.params, catalog);
  const measured = run.total === null ? await measure(tx, scope) : {};
  const listings = measured.count?.listings ?? run.counters.listings;
  const step = await takePhase(tx, run, { scope, listings, now });
  return { ...measured, ...step, count: { ...measured.count, ...step.count } };
}

type PhaseInput = { scope: Scope; listings: number; now: Date };

function takePhase(tx: Tx, run: Standing, input: PhaseInput): Promise<Step> {
  if (run.cursor.phase === 'refresh') return refresh(tx, run.cursor, input);
  if (run.cursor.phase === 'compare') return compare(tx, run.cursor, input);
  return group(tx, run, input);
}

function scopeOf({ category, since }: ScanWish, catalog: Catalog): Scope {
  return {
    ...(category !== undefined && { categories: catalog.descendantIds(category) }),
    ...(since !== undefined && { since: new Date(since) }),
  };
}

async function measure(tx: Tx, scope: Scope): Promise<Pick<Step, 'total' | 'count'>> {
  const { all, scanned } = await countScanned(tx, scope);
  return { total: all + 2 * scanned, count: { listings: scanned } };
}

async function refresh(tx: Tx, cursor: ScanCursor, { listings }: PhaseInput): Promise<Step> {
  const { ids, seen, next } = await nextStale(tx, cursor.after, batchSizes.refresh, LOOKED_AT);
  if (next !== null) {
    if (ids.length > 0) await refreshFingerprints(tx, ids);
    return { cursor: { ...cursor, after: next }, count: { done: seen } };
  }
  if (listings >= WORTH_ANALYSING) await sql`analyze dedup_prints, dedup_keys, dedup_words`.execute(tx);
  return { cursor: { ...cursor, phase: 'compare', after: '' } };
}

async function compare(tx: Tx, cursor: ScanCursor, { scope, listings }: PhaseInput): Promise<Step> {
  const { ids, seen, next } = await nextScanned(tx, scope, cursor.after, batchSizes.compare);
  if (next !== null) {
    const compared = await compareCandidates(tx, ids);
    const count = { done: seen, listings_scanned: seen, pairs_compared: compared };
    return { cursor: { ...cursor, after: next }, count };
  }
  if (listings >= WORTH_ANALYSING) await sql`analyze dedup_pairs`.execute(tx);
  return { cursor: { ...cursor, phase: 'group', after: '' } };
}

async function group(tx: Tx, { cursor, params }: Standing, { scope, now }: PhaseInput): Promise<Step> {
  const { threshold, mergeFrom } = params;
  const { ids, seen, next } = await nextScanned(tx, scope, cursor.after, batchSizes.group);
  if (next === null) return { end: 'succeeded' };
  const found = await findGroups(tx, ids, threshold);
  const members = found.flatMap((each) => each.members);
  // A group that reaches back was found with the first of its listings that is scanned.
  const behind = new Set(cursor.after === '' ? [] : await pickScanned(tx, scope, cursor.after, members));
  const groups = found.filter((each) => !each.members.some((id) => behind.has(id)));
  await storeGroups(tx, groups, now);
  const grouped = groups.flatMap((each) => each.members);
  const merging = mergeFrom === null ? [] : await findMergeable(tx, grouped, mergeFrom);
  return { cursor: { ...cursor, after: next, merging }, count: { done: seen, groups_detected: groups.length } };
}

/** The undecided groups of these listings that are sure enough to be merged, and that nobody has unmerged. */
async function findMergeable(tx: Tx, listingIds: readonly string[], mergeFrom: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select g.id from dedup_groups g where g.status = 'detected' and g.unmerged_at is null and g.confidence >= ${Math.fround(mergeFrom)}::float8
      and g.id in (select group_id from dedup_members m where m.open and m.listing_id = any(${[...listingIds]}::text[]))
    order by g.id`.execute(tx);
  return rows.map(({ id }) => id);
}
