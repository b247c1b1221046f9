import { randomInt } from 'node:crypto';
import { CompiledQuery, sql } from 'kysely';
import { prepared } from '../../db/prepared.ts';
import { addMilliseconds, DAY_MS, type Clock } from '../kit/clock.ts';
import { ServiceError } from '../kit/errors.ts';
import { recordEvents } from '../journal/events.ts';
import { newId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { consumeQuota } from '../profiles/quotas.ts';
import { locate } from '../places/locate.ts';
import type { Profile } from '../profiles/profile.ts';
import { listingsFrom, type ListingRow } from './card.ts';
import { contentHash } from './content-hash.ts';
import { toStoredImages, type NamedImage } from './images.ts';
import { listingEvent } from './listing-event.ts';
import { indexedFacts, type ListingFields } from './rules.ts';
import { slugBase, uniqueSlug } from './slug.ts';
import type { Attributes } from './attributes.ts';
import type { Moderation } from '../moderation/moderate.ts';

export const LISTING_LIFE_MS = 30 * DAY_MS;

/** A listing that passed every rule, ready to be stored. */
export type NewListing = Omit<ListingFields, 'images' | 'attributes'> & {
  attributes: Attributes;
  images: NamedImage[];
  source: string;
  language: string;
  moderation: Moderation;
};

type Seller = { userId: string; ip: string; admin: boolean };
type Dependencies = { jobs: Pick<Jobs, 'enqueue'>; clock: Clock; profile: Profile; quotaMultiplier: number };

const SLUG_TRIES = 5;
const SUFFIX_LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Six letters and digits that set a slug apart. */
export function slugSuffix(): string {
  return Array.from({ length: 6 }, () => SUFFIX_LETTERS[randomInt(SUFFIX_LETTERS.length)]).join('');
}

/**
 * Stores a draft with its event and the job that fetches its images, and uses the seller's quota, all in the caller's
 * transaction; answers it. Nobody finds a draft by searching, so that it needs no place in the index yet.
 * The unique indexes settle races: the same text of the same seller is a 409 duplicate_listing that names the listing there
 * is, a slug that is taken gets a suffix. The quota comes last, so that whatever fails before uses none of it.
 */
export async function storeNewListing(
  tx: Tx,
  deps: Dependencies,
  seller: Seller,
  listing: NewListing,
): Promise<ListingRow> {
  const now = deps.clock.now();
  const stored = await insertListing(tx, seller.userId, listing, now);
  const { id } = stored;
  await insertImages(tx, id, listing.images, now);
  await recordEvents(tx, now, [listingEvent('listing.created', stored)]);
  if (listing.images.some(({ sha256 }) => sha256 === null))
    await deps.jobs.enqueue(tx, 'localize-images', { listing_id: id }, { key: id });
  const { userId: user, ip, admin } = seller;
  const rules = deps.profile.quotas.listing_creation;
  await consumeQuota(
    tx,
    { quota: 'listing_creation', rules, subjects: { user, ip, admin }, multiplier: deps.quotaMultiplier },
    now,
  );
  return stored;
}

async function insertListing(tx: Tx, sellerId: string, listing: NewListing, now: Date): Promise<ListingRow> {
  const { price, location } = listing;
  const base = slugBase(listing.title);
  const hash = contentHash(listing.title, listing.description);
  for (let attempt = 0; attempt < SLUG_TRIES; attempt += 1) {
    const insert = tx
      .insertInto('listings')
      .values({
        id: newId('listing'),
        slug: attempt === 0 ? base : uniqueSlug(base, slugSuffix()),
        seller_id: sellerId,
        category_id: listing.category_id,
        status: 'draft',
        type: listing.type ?? 'sale',
        condition: listing.condition,
        title: listing.title,
        description: listing.description,
        price_amount: price.amount,
        price_currency: price.currency,
        price_negotiable: price.negotiable,
        price_vat_included: price.vat_included ?? null,
        price_vat_rate: price.vat_rate ?? null,
        country: location.country,
        country_name: location.country_name ?? null,
        region: location.region ?? null,
        city: location.city,
        marina: location.marina ?? null,
        postal_code: location.postal_code ?? null,
        ...locate(location),
        shipping: location.shipping,
        ...indexedFacts(listing.attributes),
        source: listing.source,
        language: listing.language,
        created_at: now,
        updated_at: now,
        expires_at: addMilliseconds(now, LISTING_LIFE_MS),
        content_hash: hash,
        tags: listing.tags ?? [],
        attributes: JSON.stringify(listing.attributes),
        images: JSON.stringify(
          toStoredImages(listing.images.flatMap(({ sha256, alt }) => (sha256 === null ? [] : { sha256, alt }))),
        ),
        boat: listing.boat ? JSON.stringify(listing.boat) : null,
        moderation: listing.moderation.verdict === 'accept' ? null : JSON.stringify(listing.moderation),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .compile();
    const { parameters } = insert;
    // One round trip stores the row and reads it as readers do.
    const text = `with stored as (${insert.sql}) ${listingsFrom('stored', `$${parameters.length + 1}`)}`;
    const query = CompiledQuery.raw(text, [...parameters, '']) as CompiledQuery<ListingRow>;
    const [stored] = (await tx.executeQuery(prepared(query))).rows;
    if (stored) return stored;
    await refuseDuplicate(tx, sellerId, hash);
  }
  throw new Error(`no free slug for '${base}' in ${SLUG_TRIES} tries`);
}

/** A 409 that names the seller's listing with that text, if there is one that is not deleted. */
export async function refuseDuplicate(tx: Tx, sellerId: string, hash: Buffer): Promise<void> {
  const existing = await tx
    .selectFrom('listings')
    .select('id')
    .where('seller_id', '=', sellerId)
    .where('content_hash', '=', hash)
    .where('status', '<>', 'deleted')
    .executeTakeFirst();
  if (!existing) return;
  throw new ServiceError('duplicate_listing', 'You already have a listing with this title and description.', {
    details: { listing_id: existing.id },
  });
}

async function insertImages(tx: Tx, listingId: string, images: readonly NamedImage[], now: Date): Promise<void> {
  if (images.length === 0) return;
  const rows = JSON.stringify(images.map(({ url, alt, sha256 }, position) => ({ url, alt, sha256, position })));
  const insert = sql`
    insert into listing_images (listing_id, source_url, position, alt, status, sha256, updated_at)
    select ${listingId}, url, position, alt, case when sha256 is null then 'pending' else 'stored' end, sha256, ${now}
    from jsonb_to_recordset(${rows}::jsonb) as e (url text, alt text, sha256 text, position int)`.compile(tx);
  await tx.executeQuery(prepared(insert));
}
