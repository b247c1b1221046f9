import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';
import type { StoredImage } from './card.ts';
import { findStoredImages, imageKeyOf, MAX_IMAGES, ownImageOf, toStoredImages } from './images.ts';
import { runInBatches } from './statements.ts';

/** An image as a record names it. */
export type NamedImage = { url: string; alt: string | null };

type Row = {
  listing_id: string;
  source_url: string;
  position: number;
  alt: string | null;
  status: string;
  sha256: string | null;
};

/** The changes to a listing's images: rows to name, rows to drop, and what it shows now. */
export type ImagePlan = {
  listingId: string;
  named: Row[];
  dropped: string[];
  /** Null leaves listings.images as it is. */
  images: StoredImage[] | null;
};

/** The rows for the images of new listings; ours are there already, all others wait to be fetched. */
export async function nameImages(
  tx: Tx,
  staticUrl: string,
  listings: readonly { listingId: string; images: readonly NamedImage[] }[],
): Promise<ImagePlan[]> {
  const own = new Map(
    listings.flatMap(({ images }) => images.map(({ url }) => [url, ownImageOf(url, staticUrl)] as const)),
  );
  const stored = await findStoredImages(
    tx,
    [...own.values()].filter((sha256) => sha256 !== undefined),
  );
  return listings.map(({ listingId, images }) => ({
    listingId,
    named: images.map(({ url, alt }, position) => {
      const sha256 = own.get(url);
      const isStored = sha256 !== undefined && stored.has(sha256);
      const status = isStored ? 'stored' : 'pending';
      return { listing_id: listingId, source_url: url, position, alt, status, sha256: isStored ? sha256 : null };
    }),
    dropped: [],
    images: null,
  }));
}

/** As nameImages, for listings that exist: only those whose record names other images, or in another order, are in the answer. */
export async function planImages(
  tx: Tx,
  staticUrl: string,
  pairs: readonly { record: { images: NamedImage[] | undefined }; listing: { id: string; images: StoredImage[] } }[],
): Promise<Map<string, ImagePlan>> {
  const telling = pairs.flatMap(({ record, listing }) => (record.images ? [{ listing, images: record.images }] : []));
  const ids = telling.map(({ listing }) => listing.id);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Row>`
    select listing_id, source_url, position, alt, status, sha256 from listing_images
    where listing_id = any(${ids}::text[]) order by listing_id, position`.execute(tx);
  const known = Map.groupBy(rows, (row) => row.listing_id);
  const changed = telling.filter(({ listing, images }) => !isSame(known.get(listing.id) ?? [], images));
  const plans = await nameImages(
    tx,
    staticUrl,
    changed.map(({ listing, images }) => ({ listingId: listing.id, images })),
  );
  return new Map(
    plans.map((plan, index) => {
      const { listing } = changed[index]!;
      const before = known.get(listing.id) ?? [];
      const urls = new Set(plan.named.map((row) => row.source_url));
      const dropped = before.filter((row) => !urls.has(row.source_url)).map((row) => row.source_url);
      return [listing.id, { ...plan, dropped, images: imagesAfter(plan.named, before, listing.images) }];
    }),
  );
}

/** Images of the page in its order, then those that the seller added. */
function imagesAfter(named: readonly Row[], before: readonly Row[], current: readonly StoredImage[]): StoredImage[] {
  const fetched = new Map(
    before.flatMap(({ source_url: url, sha256 }) => (sha256 === null ? [] : [[url, sha256] as const])),
  );
  const fromPage = named.flatMap(({ source_url: url, alt, sha256: own }) => {
    const sha256 = own ?? fetched.get(url);
    return sha256 === undefined ? [] : [{ sha256, alt }];
  });
  const ofPages = new Set([...fetched.values()].map(imageKeyOf));
  const added = current.filter(({ key }) => key === undefined || !ofPages.has(key));
  return [...toStoredImages(fromPage), ...added].slice(0, MAX_IMAGES);
}

function isSame(known: readonly Row[], images: readonly NamedImage[]): boolean {
  return (
    known.length === images.length &&
    known.every((row, index) => row.source_url === images[index]?.url && row.alt === images[index]?.alt)
  );
}

/** Writes the rows of the plans; an image that could not be fetched before is tried again. */
export async function writeImages(tx: Tx, plans: readonly ImagePlan[], now: Date): Promise<void> {
  const dropped = plans.flatMap(({ listingId, dropped: urls }) =>
    urls.map((url) => ({ listing_id: listingId, source_url: url })),
  );
  if (dropped.length > 0) {
    await sql`
      delete from listing_images i using jsonb_to_recordset(${JSON.stringify(dropped)}::jsonb) as d (listing_id text, source_url text)
      where i.listing_id = d.listing_id and i.source_url = d.source_url`.execute(tx);
  }
  const named = plans.flatMap((plan) => plan.named);
  await runInBatches(tx, upsertImages, named, [now]);
}

/** $1 recordset, $2 now. */
const upsertImages = `
  insert into listing_images as i (listing_id, source_url, position, alt, status, sha256, updated_at)
  select listing_id, source_url, position, alt, status, sha256, $2
  from jsonb_to_recordset($1::jsonb) as n (listing_id text, source_url text, position smallint, alt text, status text, sha256 text)
  on conflict (listing_id, source_url) do update set position = excluded.position, alt = excluded.alt, updated_at = excluded.updated_at,
    status = case when i.status = 'failed' then 'pending' else i.status end,
    attempts = case when i.status = 'failed' then 0 else i.attempts end`;
