import { sql } from 'kysely';
import type { Catalog } from '../catalog/tree.ts';
import type { Tx } from '../queues/jobs.ts';
import { findGroups } from './find-groups.ts';
import { compareCandidates } from './scan.ts';
import { countScanned, nextScanned, nextStale, pickScanned, type Scope } from './scope.ts';
import type { Place, ScanCounts, ScanWish } from './runs.ts';
import { refreshFingerprints } from './store.ts';
import { storeGroups } from './stored-groups.ts';

/** Where a run stands, with what it has counted and out of how much. */
type Standing = { place: Place; counts: ScanCounts; total: number | null };
type Before = Standing & { wish: ScanWish };
/** Without a place when all is done. */
type After = Omit<Standing, 'place'> & { place: Place | undefined };

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
export async function takeStep(tx: Tx, { catalog }: { catalog: Catalog }, before: Before, now: Date): Promise<After> {
  const scope = scopeOf(before.wish, catalog);
  const standing = before.total === null ? await measure(tx, before, scope) : before;
  if (before.place.phase === 'refresh') return refresh(tx, standing);
  if (before.place.phase === 'compare') return compare(tx, standing, scope);
  return group(tx, standing, before.wish, scope, now);
}

function scopeOf({ category, since }: ScanWish, catalog: Catalog): Scope {
  return {
    ...(category !== undefined && { categories: catalog.descendantIds(category) }),
    ...(since !== undefined && { since: new Date(since) }),
  };
}

async function measure<S extends Standing>(tx: Tx, standing: S, scope: Scope): Promise<S> {
  const { all, scanned } = await countScanned(tx, scope);
  return { ...standing, total: all + 2 * scanned, counts: { ...standing.counts, listings: scanned } };
}

async function refresh(tx: Tx, { place, counts, total }: Standing): Promise<After> {
  const { ids, seen, next } = await nextStale(tx, place.after, batchSizes.refresh, LOOKED_AT);
  if (next !== null) {
    if (ids.length > 0) await refreshFingerprints(tx, ids);
    return { place: { ...place, after: next }, counts: { ...counts, done: counts.done + seen }, total };
  }
  if (counts.listings >= WORTH_ANALYSING) await sql`analyze dedup_prints, dedup_keys, dedup_words`.execute(tx);
  return { place: { ...place, phase: 'compare', after: '' }, counts, total };
}

async function compare(tx: Tx, { place, counts, total }: Standing, scope: Scope): Promise<After> {
  const { ids, seen, next } = await nextScanned(tx, scope, place.after, batchSizes.compare);
  if (next !== null) {
    const compared = await compareCandidates(tx, ids);
    const counted = {
      ...counts,
      done: counts.done + seen,
      listings_scanned: counts.listings_scanned + seen,
      pairs_compared: counts.pairs_compared + compared,
    };
    return { place: { ...place, after: next }, counts: counted, total };
  }
  if (counts.listings >= WORTH_ANALYSING) await sql`analyze dedup_pairs`.execute(tx);
  return { place: { ...place, phase: 'group', after: '' }, counts, total };
}

async function group(
  tx: Tx,
  { place, counts, total }: Standing,
  { threshold, mergeFrom }: ScanWish,
  scope: Scope,
  now: Date,
): Promise<After> {
  const { ids, seen, next } = await nextScanned(tx, scope, place.after, batchSizes.group);
  if (next === null) return { place: undefined, counts, total };
  const found = await findGroups(tx, ids, threshold);
  const members = found.flatMap((each) => each.members);
  // A group that reaches back was found with the first of its listings that is scanned.
  const behind = new Set(place.after === '' ? [] : await pickScanned(tx, scope, place.after, members));
  const groups = found.filter((each) => !each.members.some((id) => behind.has(id)));
  await storeGroups(tx, groups, now);
  const merging =
    mergeFrom === null
      ? []
      : await findMergeable(
          tx,
          groups.flatMap(({ members }) => members),
          mergeFrom,
        );
  const counted = { ...counts, done: counts.done + seen, groups_detected: counts.groups_detected + groups.length };
  return { place: { ...place, after: next, merging }, counts: counted, total };
}

/** The undecided groups of these listings that are sure enough to be merged, and that nobody has unmerged. */
async function findMergeable(tx: Tx, listingIds: readonly string[], mergeFrom: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select g.id from dedup_groups g where g.status = 'detected' and g.unmerged_at is null and g.confidence >= ${Math.fround(mergeFrom)}::float8
      and g.id in (select group_id from dedup_members m where m.open and m.listing_id = any(${[...listingIds]}::text[]))
    order by g.id`.execute(tx);
  return rows.map(({ id }) => id);
}
