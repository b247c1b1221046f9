import { sql } from 'kysely';
import { codeRules, isCurrency } from '../kit/codes.ts';
import { addMilliseconds, type Clock } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';
import { conflict, invalid, type FieldError } from '../kit/errors.ts';
import { rememberDeletedSources } from './deleted-sources.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { Profile } from '../profiles/profile.ts';
import { changeListing } from './change.ts';
import { LISTING_LIFE_MS } from './create.ts';
import type { EventListing } from './listing-event.ts';
import { imageHashesOf } from './replace-images.ts';
import { moderateListing, readModerated } from './publish.ts';
import { requireAccepted } from './rules.ts';
import { mailStatus } from './status-mail.ts';

type Dependencies = {
  jobs: Pick<Jobs, 'enqueue'>;
  clock: Clock;
  profile: Pick<Profile, 'sendsStatusEmails' | 'deleteMode' | 'moderation'>;
  config: Pick<Config, 'site'>;
};

/** What an owner may tell about a sale; a price without a currency is in the listing's. */
export type Sale = { sale_price?: number; currency?: string; buyer_id?: string };

const sellable = new Set(['active', 'paused']);
const renewable = new Set(['expired', 'active', 'paused']);
/** Where PATCH leads from each status; from any other it leads nowhere. */
const moves = new Map([
  ['active', ['paused', 'sold']],
  ['paused', ['active', 'sold']],
  ['sold', ['active']],
]);

/** The columns of a sale, for a listing that is on the market again. */
export const notSold = { sold_at: null, sale_price: null, sale_currency: null, buyer_id: null };

/**
 * Moves a locked listing to a status that its owner may choose; the one it has is no change. A sale that is taken back
 * leaves no trace, and what is active again has time left. 409 for a move that its present status does not allow.
 */
export async function moveListing(
  tx: Tx,
  services: Dependencies,
  listing: EventListing,
  status: 'active' | 'paused' | 'sold',
): Promise<void> {
  if (listing.status === status) return;
  if (!moves.get(listing.status)?.includes(status))
    throw conflict(`A listing cannot go from ${listing.status} to ${status}.`);
  if (status === 'sold') return sellListing(tx, services, listing);
  const now = services.clock.now();
  const expires_at = sql<Date>`case when expires_at > ${now} then expires_at else ${addMilliseconds(now, LISTING_LIFE_MS)} end`;
  const set = status === 'active' ? { status, expires_at, ...notSold } : { status };
  await changeListing(tx, services, listing, { event: 'listing.updated', set });
}

/** Marks a locked listing as sold, with what is told of the sale, and mails the owner where the profile does. */
export async function sellListing(
  tx: Tx,
  services: Dependencies,
  listing: EventListing,
  sale: Sale = {},
): Promise<void> {
  if (!sellable.has(listing.status)) throw conflict(`A listing that is ${listing.status} cannot be marked as sold.`);
  await checkSale(tx, listing, sale);
  const sold_at = services.clock.now();
  const { sale_price = null, currency, buyer_id = null } = sale;
  const sale_currency = sale_price === null ? null : (currency ?? listing.price_currency);
  const set = { status: 'sold', sold_at, sale_price, sale_currency, buyer_id };
  await changeListing(tx, services, listing, { event: 'listing.sold', set });
  await mailStatus(tx, services, listing, 'listing-sold', { occasion: sold_at });
}

async function checkSale(tx: Tx, listing: EventListing, { sale_price, currency, buyer_id }: Sale): Promise<void> {
  const errors: FieldError[] = [];
  if (currency !== undefined && !isCurrency(currency))
    errors.push({ path: '/body/currency', message: codeRules.currency });
  else if (currency !== undefined && sale_price === undefined)
    errors.push({ path: '/body/currency', message: 'needs a sale_price' });
  if (buyer_id === listing.seller_id) errors.push({ path: '/body/buyer_id', message: 'is the seller' });
  else if (buyer_id !== undefined && !(await isUser(tx, buyer_id)))
    errors.push({ path: '/body/buyer_id', message: 'is not a user' });
  if (errors.length > 0) throw invalid('The sale has fields that are wrong.', errors);
}

async function isUser(tx: Tx, id: string): Promise<boolean> {
  return (await tx.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/**
 * Makes a locked listing active for 30 days from now; its place among the newest stays. One that was never public needs the
 * judgement that publishing needs. 409 unless it is expired, active or paused.
 */
export async function renewListing(tx: Tx, services: Dependencies, listing: EventListing): Promise<void> {
  if (!renewable.has(listing.status)) throw conflict(`A listing that is ${listing.status} cannot be renewed.`);
  const text = await readModerated(tx, listing.id);
  const isNew = text.published_at === null;
  if (isNew) requireAccepted(moderateListing(text, services.profile.moderation));
  const now = services.clock.now();
  const set = {
    status: 'active',
    expires_at: addMilliseconds(now, LISTING_LIFE_MS),
    published_at: text.published_at ?? now,
  };
  await changeListing(tx, services, listing, { event: isNew ? 'listing.published' : 'listing.updated', set });
}

/**
 * Deletes a locked listing as the profile does: softly, with a status that nobody finds any more, or for good, with all that
 * hangs on it but conversations and reviews, and with the images that nothing else shows.
 */
export async function removeListing(tx: Tx, services: Dependencies, listing: EventListing): Promise<void> {
  const { jobs, clock, profile } = services;
  const set = { status: 'deleted', deleted_at: clock.now() };
  await changeListing(tx, services, listing, { event: 'listing.deleted', set });
  if (profile.deleteMode === 'soft') return;
  const sha256 = await imageHashesOf(tx, listing.id);
  await rememberDeletedSources(tx, [listing.id], clock.now());
  await tx.deleteFrom('listings').where('id', '=', listing.id).execute();
  if (sha256.length > 0) await jobs.enqueue(tx, 'delete-pictures', { sha256 });
}
