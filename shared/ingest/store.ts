import { CompiledQuery } from 'kysely';
import { addMilliseconds, HOUR_MS, type Clock } from '../clock.ts';
import { recordEvents, type NewEvent } from '../events.ts';
import { newId } from '../ids.ts';
import type { Jobs, Tx } from '../jobs.ts';
import { replaceBoat, withEarlierPrice, type Boat } from '../listings/boat.ts';
import type { StoredImage } from '../listings/card.ts';
import { LISTING_LIFE_MS, slugSuffix } from '../listings/create.ts';
import { listingEvent } from '../listings/listing-event.ts';
import { slugBase, uniqueSlug } from '../listings/slug.ts';
import type { MappedRecord } from './map-record.ts';
import { insertListings, lockKnown, lockListings, touchSources, updateListings } from './store-columns.ts';
import { nameImages, planImages, writeImages, type ImagePlan } from './store-images.ts';

/** Who ingests: the owner of what is created; an admin may also update what belongs to others. */
export type Ingester = { userId: string; admin: boolean; scraperId: string | null };

export type Stored =
  | { outcome: 'created' | 'updated' | 'unchanged'; record: MappedRecord; listingId: string }
  | { outcome: 'skipped'; record: MappedRecord; reason: string };

export type StoreDependencies = { jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>; clock: Clock; staticUrl: string };

type Known = {
  normalized_url: string;
  listing_id: string;
  content_hash: Buffer;
  scraped_at: Date;
  interval_hours: number;
  seller_id: string;
  status: string;
};

type KnownListing = {
  id: string;
  slug: string;
  seller_id: string;
  status: string;
  title: string;
  category_id: string;
  condition: string;
  price_amount: number;
  price_currency: string;
  boat: Boat | null;
  images: StoredImage[];
};

type Update = { record: MappedRecord; known: Known };

/** A page is looked at again after a day to two weeks: sooner when it has changed, later when it has not. */
const INTERVAL_HOURS = { min: 24, max: 14 * 24 };
const CLAIM_ROUNDS = 3;

/**
 * Stores records, each with another URL, in the caller's transaction: a handful of statements, however many there are. A
 * page that is known is updated or left alone, a new one becomes a draft, also when another transaction stores the same
 * page at the same time. Events and jobs belong to the transaction.
 */
export async function storeRecords(
  tx: Tx,
  deps: StoreDependencies,
  ingester: Ingester,
  records: readonly MappedRecord[],
): Promise<Stored[]> {
  const now = deps.clock.now();
  const stored: Stored[] = [];
  let open = records;
  for (let round = 0; open.length > 0; round += 1) {
    if (round === CLAIM_ROUNDS) throw new Error('pages vanish as fast as they are looked up');
    const known = await run<Known>(tx, lockKnown, [open.map(({ normalizedUrl }) => normalizedUrl)]);
    const byUrl = new Map(known.map((row) => [row.normalized_url, row]));
    const updates: Update[] = [];
    const unchanged: Update[] = [];
    const fresh: MappedRecord[] = [];
    for (const record of open) {
      const row = byUrl.get(record.normalizedUrl);
      const objection = row && findObjection(row, ingester);
      if (!row) fresh.push(record);
      else if (objection !== undefined) stored.push({ outcome: 'skipped', record, reason: objection });
      else if (row.content_hash.equals(record.hash)) unchanged.push({ record, known: row });
      else updates.push({ record, known: row });
    }
    await touch(tx, ingester, updates, unchanged, now);
    await update(tx, deps, updates, now);
    const created = await create(tx, deps, ingester, fresh, now);
    stored.push(
      ...updates.map(({ record, known }) => ({ outcome: 'updated' as const, record, listingId: known.listing_id })),
    );
    stored.push(
      ...unchanged.map(({ record, known }) => ({ outcome: 'unchanged' as const, record, listingId: known.listing_id })),
    );
    stored.push(...created);
    const done = new Set(created.map(({ record }) => record));
    open = fresh.filter((record) => !done.has(record));
  }
  return stored;
}

function findObjection(known: Known, { userId, admin }: Ingester): string | undefined {
  if (known.seller_id !== userId && !admin) return 'The page is a listing of somebody else.';
  if (known.status === 'deleted') return 'The listing of this page was deleted.';
  return undefined;
}

async function touch(
  tx: Tx,
  { scraperId }: Ingester,
  updates: readonly Update[],
  unchanged: readonly Update[],
  now: Date,
): Promise<void> {
  const row = ({ record, known }: Update, hours: number) => ({
    listing_id: known.listing_id,
    url: record.url,
    scraped_at: record.scrapedAt,
    due_at: dueAt(record, hours, now),
    interval_hours: hours,
  });
  const rows = [
    ...unchanged.map((item) => row(item, Math.min(INTERVAL_HOURS.max, item.known.interval_hours * 2))),
    ...updates.map((item) => ({
      ...row(item, Math.max(INTERVAL_HOURS.min, Math.round(item.known.interval_hours / 2))),
      raw_record: item.record.raw,
      content_hash: item.record.hash.toString('hex'),
    })),
  ];
  if (rows.length > 0) await run(tx, touchSources, [JSON.stringify(rows), now, scraperId]);
}

async function update(tx: Tx, deps: StoreDependencies, updates: readonly Update[], now: Date): Promise<void> {
  if (updates.length === 0) return;
  const ids = updates.map(({ known }) => known.listing_id);
  const listings = new Map((await run<KnownListing>(tx, lockListings, [ids])).map((row) => [row.id, row]));
  const pairs = updates.flatMap(({ record, known }) => {
    const listing = listings.get(known.listing_id);
    return listing ? [{ record, known, listing }] : [];
  });
  const images = await planImages(tx, deps.staticUrl, pairs);
  const rows = pairs.map(({ record, known, listing }) => ({
    id: listing.id,
    ...record.listing,
    boat: boatAfter(record, known, listing),
    images: images.get(listing.id)?.images ?? null,
  }));
  await run(tx, updateListings, [JSON.stringify(rows), now]);
  await writeImages(tx, [...images.values()], now);
  const events = pairs.map(({ record, listing }): NewEvent =>
    listingEvent('listing.updated', { ...listing, ...record.listing }, whatChanged(record, listing)),
  );
  await finish(tx, deps, ids, [...images.values()], events, now);
}

async function create(
  tx: Tx,
  deps: StoreDependencies,
  { userId, scraperId }: Ingester,
  records: readonly MappedRecord[],
  now: Date,
): Promise<Extract<Stored, { listingId: string }>[]> {
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
    due_at: dueAt(record, INTERVAL_HOURS.min, now),
  }));
  const expiry = addMilliseconds(now, LISTING_LIFE_MS);
  const claimed = new Set(
    (await run<{ id: string }>(tx, insertListings, [JSON.stringify(rows), now, userId, expiry, scraperId])).map(
      ({ id }) => id,
    ),
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
  await finish(tx, deps, [...claimed], images, events, now);
  return created.map(({ row, record }) => ({ outcome: 'created', record, listingId: row.id }));
}

async function finish(
  tx: Tx,
  { jobs }: StoreDependencies,
  listingIds: string[],
  images: readonly ImagePlan[],
  events: NewEvent[],
  now: Date,
): Promise<void> {
  await recordEvents(tx, now, events);
  if (listingIds.length > 0) await jobs.enqueue(tx, 'index-listing', { listing_ids: listingIds });
  await jobs.enqueueAll(
    tx,
    'localize-images',
    images
      .filter(({ named }) => named.length > 0)
      .map(({ listingId }) => ({ payload: { listing_id: listingId }, options: { key: listingId } })),
  );
}

/** What a page showed earlier is kept with the day it was last seen; "on request" is no price. */
function boatAfter(record: MappedRecord, known: Known, listing: KnownListing): Boat | null {
  const boat = replaceBoat(listing.boat, record.boat);
  if (!hasNewPrice(record, listing) || listing.price_amount === 0) return boat;
  const date = known.scraped_at.toISOString().slice(0, 10);
  return withEarlierPrice(boat, { date, amount: listing.price_amount, currency: listing.price_currency });
}

function whatChanged(record: MappedRecord, listing: KnownListing): Record<string, unknown> {
  const previous: Record<string, unknown> = {};
  if (hasNewPrice(record, listing))
    previous['price'] = { amount: listing.price_amount, currency: listing.price_currency };
  for (const field of ['title', 'category_id', 'condition'] as const) {
    if (record.listing[field] !== listing[field]) previous[field] = listing[field];
  }
  return previous;
}

const hasNewPrice = ({ listing: now }: MappedRecord, before: KnownListing) =>
  now.price_amount !== before.price_amount || now.price_currency !== before.price_currency;

/** Counted from the reading of the page, or from now when its clock is ahead. */
function dueAt({ scrapedAt }: MappedRecord, hours: number, now: Date): Date {
  return addMilliseconds(scrapedAt < now ? scrapedAt : now, hours * HOUR_MS);
}

async function run<Row>(tx: Tx, text: string, values: unknown[]): Promise<Row[]> {
  const { rows } = await tx.executeQuery<Row>(CompiledQuery.raw(text, values));
  return rows;
}
