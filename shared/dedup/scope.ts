import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { Tx } from '../queues/jobs.ts';

/** Which listings are scanned: those of these categories, and those that have changed since. All that are offered when empty. */
export type Scope = { categories?: readonly string[]; since?: Date };

/**
 * A batch of a keyset scan: the ids found, how many listings were read for them, and the position after the last (null at
 * the end).
 */
export type ScopeBatch = { ids: string[]; seen: number; next: string | null };

const within = ({ categories, since }: Scope) => sql`
  l.status in ('draft', 'active', 'paused') ${categories ? sql`and l.category_id = any(${[...categories]}::text[])` : sql``}
  ${since ? sql`and l.updated_at >= ${since}` : sql``}`;

/** The next listings by id whose fingerprint is missing, stale or needless; reads no more than `most` listings. */
export async function nextStale(tx: Tx, after: string, limit: number, most: number): Promise<ScopeBatch> {
  const { rows } = await sql<ScopeBatch>`
    with seen as materialized (select id, status, version from listings where id > ${after} order by id limit ${most}),
    stale as materialized (
      select l.id from seen l left join dedup_prints p on p.listing_id = l.id
      where case when l.status in ('draft', 'active', 'paused') then p.version is distinct from l.version else p.listing_id is not null end
      order by l.id limit ${limit}),
    till as (
      select case when (select count(*) from stale) = ${limit}::int then (select max(id) from stale) else (select max(id) from seen) end as id)
    select array(select id from stale order by id) as ids, (select count(*)::int from seen s where s.id <= till.id) as seen, till.id as next
    from till`.execute(tx);
  return rows[0] ?? { ids: [], seen: 0, next: null };
}

/** The next listings in scope behind a position, in the sorted-neighbourhood order. */
export async function nextScanned(tx: Tx, scope: Scope, after: string, limit: number): Promise<ScopeBatch> {
  const { shelf, id } = readPlace(after);
  const { rows } = await sql<{ id: string; shelf: string }>`
    select p.listing_id as id, p.shelf from dedup_prints p join listings l on l.id = p.listing_id
    where (p.shelf, p.listing_id) > (${shelf}, ${id}) and ${within(scope)} order by p.shelf, p.listing_id limit ${limit}`.execute(
    tx,
  );
  const last = rows.at(-1);
  return { ids: rows.map((row) => row.id), seen: rows.length, next: last ? placeOf(last) : null };
}

/** Those of these listings that are in scope and not behind a position. */
export async function pickScanned(tx: Tx, scope: Scope, till: string, ids: readonly string[]): Promise<string[]> {
  const { shelf, id } = readPlace(till);
  const { rows } = await sql<{ id: string }>`
    select p.listing_id as id from dedup_prints p join listings l on l.id = p.listing_id
    where p.listing_id = any(${[...ids]}::text[]) and (p.shelf, p.listing_id) <= (${shelf}, ${id}) and ${within(scope)}`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/** A position is the sort key and the id, which holds no space. */
const placeOf = ({ shelf, id }: { shelf: string; id: string }) => `${shelf} ${id}`;

function readPlace(place: string): { shelf: string; id: string } {
  const at = place.lastIndexOf(' ');
  return { shelf: place.slice(0, Math.max(0, at)), id: place.slice(at + 1) };
}

/** How many listings there are in whatever state, and how many of them are scanned. */
export async function countScanned(db: Database | Tx, scope: Scope): Promise<{ all: number; scanned: number }> {
  const { rows } = await sql<{ all: number; scanned: number }>`
    select (select count(*)::int from listings) as all, (select count(*)::int from listings l where ${within(scope)}) as scanned`.execute(
    db,
  );
  return rows[0] ?? { all: 0, scanned: 0 };
}
