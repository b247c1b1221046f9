import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { GreyImage } from '../adapters/image-windows.ts';
import { readGrey } from '../adapters/images.ts';
import type { Storage } from '../adapters/storage.ts';
import { yieldOften } from '../kit/turns.ts';
import type { ImageChange } from './evidence.ts';
import { bandsToLookUp, nearestProbe, probesOf, type Alignment } from './image-probes.ts';
import { isOnePhoto, matchBlocks } from './match-images.ts';

/** Whose older listings count as those of others. */
export type OfOthers = { id: string; seller_id: string; created_at: Date };
/** A stored image that another's listing shows, and how the listing's own image was made of it. */
export type FoundImage = { sha256: string; listing_id: string; changes: ImageChange[] };

/** A core hash that differs from every probe in more bits is of another photo. */
export const MAX_PROBE_BITS = 16;
/** So many stored images are read for one that is looked up, and of these so many compared with it. */
const MAX_READ = 5_000;
const MAX_COMPARED = 25;
const MAX_LISTINGS = 10;
/** What was trimmed less is no crop that anybody meant. */
const MIN_CROP = 0.04;

/**
 * Near-duplicate image search: for each image of the listing those of older listings of other sellers that show the same
 * photo, altered or not. Candidates by multi-probe LSH over core hashes, verified by block matching of their thumbnails.
 */
export async function findCopiedImages(
  { db, storage }: { db: Database; storage: Pick<Storage, 'get'> },
  listing: OfOthers,
): Promise<FoundImage[]> {
  const own = await db
    .selectFrom('picture_uses as u')
    .innerJoin('images as i', 'i.sha256', 'u.sha256')
    .select(['i.sha256', 'i.thumbnail_key'])
    .where('u.subject', '=', listing.id)
    .orderBy('i.sha256')
    .execute();
  const found: FoundImage[] = [];
  for (const { sha256, thumbnail_key: key } of own) {
    const image = await readThumbnail(storage, key);
    if (!image) continue;
    for (const each of await findOriginals(db, storage, image, listing)) found.push({ sha256, ...each });
  }
  return found;
}

async function findOriginals(
  db: Database,
  storage: Pick<Storage, 'get'>,
  image: GreyImage,
  listing: OfOthers,
): Promise<Omit<FoundImage, 'sha256'>[]> {
  const probes = probesOf(image);
  const { rows } = await sql<{ sha256: string; core: string }>`
    select sha256, core::text from image_cores
    where image_core_bands(core) && ${bandsToLookUp(probes)}::int[] limit ${MAX_READ}`.execute(db);
  const near = rows
    .map(({ sha256, core }) => ({ sha256, ...nearestProbe(probes, BigInt(core)) }))
    .filter(({ distance }) => distance <= MAX_PROBE_BITS);
  const uses = Map.groupBy(
    await readUses(
      db,
      near.map(({ sha256 }) => sha256),
      listing,
    ),
    ({ sha256 }) => sha256,
  );
  const candidates = near
    .filter(({ sha256 }) => uses.has(sha256))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MAX_COMPARED);
  const found: Omit<FoundImage, 'sha256'>[] = [];
  const goOn = yieldOften();
  for (const { sha256, alignment } of candidates) {
    await goOn();
    const listings = uses.get(sha256) ?? [];
    const original = await readThumbnail(storage, listings[0]?.thumbnail_key);
    if (!original || !isOnePhoto(matchBlocks(image, original, alignment))) continue;
    for (const { listing_id } of listings) found.push({ listing_id, changes: changesOf(alignment) });
  }
  return found;
}

/** The older listings of others that show these images: the oldest ones of each. */
async function readUses(db: Database, hashes: readonly string[], { id, seller_id, created_at }: OfOthers) {
  if (hashes.length === 0) return [];
  const { rows } = await sql<{ sha256: string; thumbnail_key: string; listing_id: string }>`
    select i.sha256, i.thumbnail_key, shown.id as listing_id from images i
    cross join lateral (
      select l.id from picture_uses u join listings l on l.id = u.subject
      where u.sha256 = i.sha256 and l.id <> ${id} and l.seller_id <> ${seller_id} and l.created_at < ${created_at}
        and l.status <> 'deleted'
      order by l.created_at, l.id limit ${MAX_LISTINGS}) as shown
    where i.sha256 = any(${[...hashes]}::text[])`.execute(db);
  return rows;
}

async function readThumbnail(storage: Pick<Storage, 'get'>, key: string | undefined): Promise<GreyImage | undefined> {
  const file = key === undefined ? undefined : await storage.get(key);
  return file && readGrey(file.body);
}

/** What was done to a photo, as far as its alignment tells. */
export function changesOf({ degrees, mirrored, part }: Alignment): ImageChange[] {
  const isCropped = 1 - (part.right - part.left) > MIN_CROP || 1 - (part.bottom - part.top) > MIN_CROP;
  return [
    ...(mirrored ? (['mirrored'] as const) : []),
    ...(isCropped ? (['cropped'] as const) : []),
    ...(degrees === 0 ? [] : (['rotated'] as const)),
  ];
}
