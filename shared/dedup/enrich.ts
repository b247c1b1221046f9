import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';
import { replaceBoat, type Boat, type PricePoint } from '../listings/boat.ts';
import type { StoredImage } from '../listings/card.ts';
import { MAX_IMAGES } from '../listings/images.ts';
import { NEAR_BITS, nearestImages } from './image-hashes.ts';

/** The columns of a listing that a merge may add to. */
export type Enrichable = { id: string; images: StoredImage[]; boat: Boat | null };

/** What a merge changed of the kept listing: before and after. */
export type Enrichment = {
  images: StoredImage[];
  boat: { before: Boat | null; after: Boat | null };
  /** As PostgreSQL writes it. */
  updated_at: string;
  version: number;
};

type Member = Enrichable & { price: PricePoint; isPrivate: boolean };

/**
 * Adds images and price history of the merged listings to the kept one: images that look like none it shows, ten in all,
 * and prices unlike its own. Drafts that were never public add nothing.
 */
export async function enrich(
  tx: Tx,
  keptId: string,
  memberIds: readonly string[],
): Promise<{ kept: Enrichable; added: StoredImage[] }> {
  const rows = await readMembers(tx, [keptId, ...memberIds]);
  const kept = rows.get(keptId);
  if (!kept) throw new Error(`the listing ${keptId} is locked and not there`);
  const others = memberIds.flatMap((id) => rows.get(id) ?? []).filter(({ isPrivate }) => !isPrivate);
  const images = await addUnlike(
    tx,
    kept.images,
    others.flatMap((other) => other.images),
  );
  const prices = others.flatMap(({ price, boat }) => [...((boat?.['price_history'] ?? []) as PricePoint[]), price]);
  const isNews = ({ amount, currency }: PricePoint) =>
    amount > 0 && (amount !== kept.price.amount || currency !== kept.price.currency);
  const boat = replaceBoat(kept.boat, undefined, prices.filter(isNews));
  return { kept: { id: kept.id, images, boat }, added: images.slice(kept.images.length) };
}

/** Reverts `enrich`; whatever was changed since stays changed. */
export function revertEnrichment({ images, boat }: Enrichable, gain: Enrichment): Pick<Enrichable, 'images' | 'boat'> {
  const added = new Set(gain.images.map(({ key }) => key));
  return {
    images: images.filter(({ key }) => key === undefined || !added.has(key)),
    boat: isDeepStrictEqual(boat, gain.boat.after) ? gain.boat.before : withoutPrices(boat, gain.boat),
  };
}

function withoutPrices(boat: Boat | null, { before, after }: Enrichment['boat']): Boat | null {
  const pricesOf = (each: Boat | null) => (each?.['price_history'] ?? []) as PricePoint[];
  const own = new Set(pricesOf(before).map(nameOf));
  const given = new Set(
    pricesOf(after)
      .map(nameOf)
      .filter((name) => !own.has(name)),
  );
  const price_history = pricesOf(boat).filter((point) => !given.has(nameOf(point)));
  if (boat === null || price_history.length > 0 || before?.['price_history'] !== undefined)
    return boat && { ...boat, price_history };
  const { price_history: _, ...rest } = boat;
  return Object.keys(rest).length === 0 ? null : rest;
}

const nameOf = ({ date, amount, currency }: PricePoint) => `${date} ${amount} ${currency}`;

async function readMembers(tx: Tx, ids: readonly string[]): Promise<Map<string, Member>> {
  const { rows } = await sql<Member>`
    select id, images, boat, published_at is null and source <> 'scraped' as "isPrivate",
      jsonb_build_object('date', to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD'), 'amount', price_amount, 'currency', price_currency) as price
    from listings where id = any(${ids}::text[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

async function addUnlike(
  tx: Tx,
  shown: readonly StoredImage[],
  offered: readonly StoredImage[],
): Promise<StoredImage[]> {
  const keys = [...shown, ...offered].flatMap(({ key }) => key ?? []);
  const { rows } = await sql<{ key: string; hash: string }>`
    select storage_key as key, lpad(to_hex(dhash), 16, '0') as hash from images
    where storage_key = any(${keys}::text[]) order by sha256 for key share`.execute(tx);
  const hashes = new Map(rows.map(({ key, hash }) => [key, hash]));
  const images = [...shown];
  for (const image of offered) {
    const hash = hashes.get(image.key ?? '');
    const isShown = images.some(({ key }) => key === image.key);
    if (hash === undefined || isShown || images.length >= MAX_IMAGES) continue;
    const known = images.flatMap(({ key = '' }) => hashes.get(key) ?? []);
    if ((nearestImages(known, [hash]) ?? 64) > NEAR_BITS) images.push(image);
  }
  return images;
}
