import { addMilliseconds } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';
import type { Tx } from '../queues/jobs.ts';
import { replaceBoat } from '../listings/boat.ts';
import { LISTING_LIFE_MS, slugSuffix } from '../listings/create.ts';
import { listingEvent } from '../listings/listing-event.ts';
import { slugBase, uniqueSlug } from '../listings/slug.ts';
import type { MappedRecord } from './map-record.ts';
import { saysSold } from './page-state.ts';
import { findDeleted, insertListings, lockKnownSources } from './store-columns.ts';
import { nameImages, writeImages } from '../listings/store-images.ts';
import { runStatement, runInBatches } from '../listings/statements.ts';
import { nextVisitAt, recordWrites, INTERVAL_HOURS, type StoreDependencies } from './store-rows.ts';
import { SOLD, updateKnownListings, type KnownSource, type Update } from './store-updates.ts';

/**
 * Who ingests: `userId` sells what is created, `owner` is whose pages they are (see page-owner.ts). `takes: 'price'` updates
 * nothing but prices: for a page that is read again by weaker eyes than those that found it.
 */
export type Ingester = { userId: string; owner: string; scraperId: string | null; takes?: 'all' | 'price' };

export type StoredRecord =
  | { outcome: 'created' | 'updated' | 'unchanged'; record: MappedRecord; listingId: string }
  | { outcome: 'skipped'; record: MappedRecord; reason: string };

const CLAIM_ROUNDS = 3;

/**
 * Stores records, each with another URL, in the caller's transaction: a handful of statements, however many there are. A page
 * that its owner knows is updated or left alone, a new one becomes a draft, also when another transaction stores the same page
 * at the same time; one that says its thing is gone withdraws its listing. What others know of the page is not touched. Events
 * and jobs belong to the transaction.
 */
export async function storeRecords(
  tx: Tx,
  deps: StoreDependencies,
  ingester: Ingester,
  records: readonly MappedRecord[],
): Promise<StoredRecord[]> {
  const now = deps.clock.now();
  const stored: StoredRecord[] = [];
  let open = records;
  for (let round = 0; open.length > 0; round += 1) {
    if (round === CLAIM_ROUNDS) throw new Error('pages vanish as fast as they are looked up');
    const known = await runStatement<KnownSource>(tx, lockKnownSources, [
      open.map(({ normalizedUrl }) => normalizedUrl),
      ingester.owner,
    ]);
    const byUrl = new Map(known.map((row) => [row.normalized_url, row]));
    const updates: Update[] = [];
    const fresh: MappedRecord[] = [];
    for (const record of open) {
      const row = byUrl.get(record.normalizedUrl);
      const objection = row ? findObjection(row) : saysSold(record.raw) ? SOLD : undefined;
      if (objection !== undefined) stored.push({ outcome: 'skipped', record, reason: objection });
      else if (row) updates.push({ record, known: row, takes: takenFrom(record, row, ingester) });
      else fresh.push(record);
    }
    stored.push(...(await updateKnownListings(tx, deps, ingester.scraperId, updates, now)));
    const created = await create(tx, deps, ingester, fresh, now);
    const done = new Set<MappedRecord>(created.map(({ record }) => record));
    open = fresh.filter((record) => !done.has(record));
    const deleted = await findGoneForGood(tx, ingester, open);
    stored.push(...created, ...deleted);
    if (deleted.length > 0) open = open.filter((record) => !deleted.some((item) => item.record === record));
  }
  return stored;
}

const findObjection = ({ status, merged_into }: KnownSource): string | undefined =>
  status === 'deleted' ? deletedReason(merged_into) : undefined;

const deletedReason = (mergedInto: string | null) =>
  mergedInto === null
    ? 'The listing of this page was deleted.'
    : `The listing of this page was merged into ${mergedInto}.`;

const takenFrom = (record: MappedRecord, known: KnownSource, { takes = 'all' }: Ingester): Update['takes'] =>
  known.content_hash.equals(record.hash) ? 'none' : takes;

/** Of the pages that could not be claimed, those whose listing was deleted for good. */
async function findGoneForGood(tx: Tx, { owner }: Ingester, open: readonly MappedRecord[]): Promise<StoredRecord[]> {
  if (open.length === 0) return [];
  const urls = open.map(({ normalizedUrl }) => normalizedUrl);
  const rows = await runStatement<{ normalized_url: string; merged_into: string | null }>(tx, findDeleted, [
    urls,
    owner,
  ]);
  const mergedInto = new Map(rows.map((row) => [row.normalized_url, row.merged_into]));
  return open.flatMap((record) => {
    const target = mergedInto.get(record.normalizedUrl);
    return target === undefined ? [] : [{ outcome: 'skipped' as const, record, reason: deletedReason(target) }];
  });
}

async function create(
  tx: Tx,
  deps: StoreDependencies,
  { userId, owner, scraperId }: Ingester,
  records: readonly MappedRecord[],
  now: Date,
): Promise<Extract<StoredRecord, { listingId: string }>[]> {
  if (records.length === 0) return [];
  // Pages of one site repeat their titles so often that a suffix is given at once rather than after a collision.
  const rows = records.map((record) => ({
    id: newId('listing'),
    slug: uniqueSlug(slugBase(record.listing.title), slugSuffix()),
    ...record.listing,
    boat: replaceBoat(null, record.boat),
    url: record.url,
    normalized_url: record.normalizedUrl,
    site: record.site,
    raw_record: record.raw,
    content_hash: record.hash.toString('hex'),
    scraped_at: record.scrapedAt,
    due_at: nextVisitAt(record, INTERVAL_HOURS.min),
  }));
  const expiry = addMilliseconds(now, LISTING_LIFE_MS);
  const claimed = new Set(
    (
      await runInBatches<{ id: string }>(tx, insertListings, rows.toSorted(byUrl), [
        now,
        userId,
        expiry,
        scraperId,
        owner,
      ])
    ).map(({ id }) => id),
  );
  const created = rows.flatMap((row, index) => (claimed.has(row.id) ? [{ row, record: records[index]! }] : []));
  const images = await nameImages(
    tx,
    deps.staticUrl,
    created.map(({ row, record }) => ({ listingId: row.id, images: record.images ?? [] })),
  );
  await writeImages(tx, images, now);
  const events = created.map(({ row }) =>
    listingEvent('listing.created', { ...row, seller_id: userId, status: 'draft' }),
  );
  await recordWrites(tx, deps, [...claimed], images, events, now);
  return created.map(({ row, record }) => ({ outcome: 'created', record, listingId: row.id }));
}

/** Pages are claimed in the order of their URLs, so that parallel batches cannot deadlock. */
const byUrl = (a: { normalized_url: string }, b: { normalized_url: string }) =>
  a.normalized_url < b.normalized_url ? -1 : 1;
