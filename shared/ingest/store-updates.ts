import type { NewEvent } from '../journal/events.ts';
import { dayOf } from '../kit/clock.ts';
import type { Tx } from '../queues/jobs.ts';
import { replaceBoat, withEarlierPrice, type Boat } from '../listings/boat.ts';
import { listingEvent } from '../listings/listing-event.ts';
import { yieldOften } from '../kit/turns.ts';
import { mappedColumnsOf, diffListing, type NextListing, type StandingListing } from './diff.ts';
import type { MappedListing, MappedRecord } from './map-record.ts';
import {
  goneEvidence,
  restoreListing,
  readStockStatement,
  withdrawListing,
  type StatusTransition,
} from './page-state.ts';
import { lockListings, touchSources, updateListings } from './store-columns.ts';
import { planImages, writeImages, type ImagePlan } from '../listings/store-images.ts';
import { runStatement, runInBatches } from '../listings/statements.ts';
import { nextVisitAt, recordWrites, INTERVAL_HOURS, type StoreDependencies } from './store-rows.ts';

/** A source known to its owner, with its state. */
export type KnownSource = {
  normalized_url: string;
  listing_id: string;
  content_hash: Buffer;
  scraped_at: Date;
  interval_hours: number;
  withdrawn_from: string | null;
  availability: string | null;
  availability_evidence: string | null;
  /** When the page was first read to print that its thing is sold; null once that is confirmed or refuted. */
  gone_claimed_at: Date | null;
  status: string;
  merged_into: string | null;
};

/** What a record updates of its listing: everything, the price, or nothing when the page is unchanged. */
export type Update = { record: MappedRecord; known: KnownSource; takes: 'all' | 'price' | 'none' };

/** Why a page that says its thing is sold makes no listing, or keeps none on show. */
export const SOLD = 'The page says that its thing is sold.';
const CLAIMED = 'The page prints that its thing is sold; a second visit is to confirm it.';

/** Whether a page says the same as before, so that its listing need not be read. */
const isQuiet = ({ record, known, takes }: Update): boolean =>
  takes === 'none' &&
  known.withdrawn_from === null &&
  known.status !== 'expired' &&
  known.gone_claimed_at === null &&
  (goneEvidence(readStockStatement(record.raw)) === undefined) === !saidGone(known);

/**
 * Updates the listings of known pages, with one event for each that differs, and notes that the pages were read. Answers
 * for each whether it changed.
 */
export async function updateKnownListings(
  tx: Tx,
  deps: StoreDependencies,
  scraperId: string | null,
  updates: readonly Update[],
  now: Date,
): Promise<{ outcome: 'updated' | 'unchanged'; record: MappedRecord; listingId: string }[]> {
  const telling = updates.filter((item) => !isQuiet(item));
  const plans = await planUpdates(tx, deps, telling, now);
  const changed = await writePlans(tx, deps, plans, now);
  await touch(tx, scraperId, updates, new Map(plans.map((plan) => [plan.listing.id, plan])), now);
  const ids = new Set(changed.map(({ listing }) => listing.id));
  return updates.map(({ record, known }) => ({
    outcome: ids.has(known.listing_id) ? ('updated' as const) : ('unchanged' as const),
    record,
    listingId: known.listing_id,
  }));
}

/** What an update makes of a listing, and what of it differs. */
export type UpdatePlan = {
  listing: StandingListing;
  next: NextListing;
  images: ImagePlan | undefined;
  transition: StatusTransition;
  previous: Record<string, unknown>;
};

/** Writes the plans that change anything: listings, images, one event each, and jobs. Answers those that did. */
export async function writePlans(
  tx: Tx,
  deps: StoreDependencies,
  plans: readonly UpdatePlan[],
  now: Date,
): Promise<UpdatePlan[]> {
  const changed = plans.filter(({ previous }) => Object.keys(previous).length > 0);
  if (changed.length === 0) return [];
  const rows = changed.map(({ listing, next, images, transition }) => ({
    id: listing.id,
    ...next.columns,
    boat: next.boat,
    images: images?.images ?? null,
    status: transition.status,
    expires_at: transition.expires_at,
  }));
  await runInBatches(tx, updateListings, rows, [now]);
  const events = changed.map(({ listing, next, previous }): NewEvent =>
    listingEvent(
      next.status === 'expired' && listing.status !== 'expired' ? 'listing.expired' : 'listing.updated',
      { ...listing, ...next.columns, status: next.status },
      previous,
    ),
  );
  const images = changed.flatMap((plan) => plan.images ?? []);
  await writeImages(tx, images, now);
  await recordWrites(
    tx,
    deps,
    changed.map(({ listing }) => listing.id),
    images,
    events,
    now,
  );
  return changed;
}

async function planUpdates(
  tx: Tx,
  { staticUrl }: StoreDependencies,
  updates: readonly Update[],
  now: Date,
): Promise<UpdatePlan[]> {
  if (updates.length === 0) return [];
  const ids = updates.map(({ known }) => known.listing_id);
  const listings = new Map((await runStatement<StandingListing>(tx, lockListings, [ids])).map((row) => [row.id, row]));
  const pairs = updates.flatMap((item) => {
    const listing = listings.get(item.known.listing_id);
    return listing ? [{ ...item, listing }] : [];
  });
  const images = await planImages(
    tx,
    staticUrl,
    pairs.filter(({ takes }) => takes === 'all'),
  );
  const goOn = yieldOften();
  const made: UpdatePlan[] = [];
  for (const pair of pairs) {
    await goOn();
    const { listing } = pair;
    const plan = images.get(listing.id);
    const transition = transitionOf(pair, listing, now);
    const next = {
      columns: columnsAfter(pair, listing),
      boat: boatAfter(pair, listing),
      images: plan?.images ?? null,
      status: transition.status ?? listing.status,
    };
    const previous = diffListing(listing, next);
    // Other images are news before they are fetched.
    if (plan) previous['images'] ??= listing.images.length;
    made.push({ listing, next, images: plan, transition, previous });
  }
  return made;
}

/** Whether the last record of a page said that its thing is gone. */
const saidGone = ({ availability, availability_evidence: evidence }: KnownSource): boolean =>
  goneEvidence({ availability, evidence }) !== undefined;

/** Whether this is new: a page that has said so for long does not override whoever renewed its listing. */
const isNews = (known: KnownSource): boolean =>
  known.withdrawn_from === null && (known.gone_claimed_at !== null || !saidGone(known));

/** Since when a page claims that its thing is sold: null for one that does not, and once another visit has found the same. */
function claimOf({ record, known }: Update, now: Date): Date | null {
  const isClaim = goneEvidence(readStockStatement(record.raw)) === 'claim' && isNews(known);
  if (!isClaim) return null;
  if (known.gone_claimed_at === null) return record.scrapedAt < now ? record.scrapedAt : now;
  return record.scrapedAt > known.gone_claimed_at ? null : known.gone_claimed_at;
}

function transitionOf(update: Update, { status }: StandingListing, now: Date): StatusTransition {
  const { record, known } = update;
  if (goneEvidence(readStockStatement(record.raw)) === undefined)
    return restoreListing(status, now, known.withdrawn_from);
  if (isNews(known) && claimOf(update, now) === null) return withdrawListing(status, now, known.withdrawn_from);
  return { status: null, expires_at: null, withdrawn_from: known.withdrawn_from };
}

/** A page without a price says nothing about the price that somebody found there. */
function columnsAfter({ record, takes }: Update, listing: StandingListing): MappedListing {
  if (takes === 'all') return record.listing;
  const { price_amount, price_currency } = record.listing;
  const price = takes === 'price' && price_amount > 0 ? { price_amount, price_currency } : {};
  return { ...mappedColumnsOf(listing), ...price };
}

async function touch(
  tx: Tx,
  scraperId: string | null,
  updates: readonly Update[],
  plans: ReadonlyMap<string, UpdatePlan>,
  now: Date,
): Promise<void> {
  const rows = updates.map((update) => {
    const { record, known, takes } = update;
    const claimedAt = claimOf(update, now);
    const plan = plans.get(known.listing_id);
    const hasChanged = plan !== undefined && Object.keys(plan.previous).length > 0;
    const hours = hasChanged
      ? Math.max(INTERVAL_HOURS.min, Math.round(known.interval_hours / 2))
      : Math.min(INTERVAL_HOURS.max, known.interval_hours * 2);
    return {
      listing_id: known.listing_id,
      url: record.url,
      scraped_at: record.scrapedAt,
      due_at: claimedAt === null ? nextVisitAt(record, hours) : now,
      gone_claimed_at: claimedAt,
      interval_hours: hours,
      has_changed: hasChanged,
      raw_record: plan && takes !== 'price' ? record.raw : null,
      content_hash: plan ? record.hash.toString('hex') : null,
      withdrawn_from: plan ? plan.transition.withdrawn_from : known.withdrawn_from,
      last_error: claimedAt !== null ? CLAIMED : plan?.transition.withdrawn_from === null || !plan ? null : SOLD,
    };
  });
  await runInBatches(tx, touchSources, rows, [now, scraperId]);
}

/** What a page showed earlier is kept with the day it was last seen; "on request" is no price. */
function boatAfter({ record, known, takes }: Update, listing: StandingListing): Boat | null {
  const boat = takes === 'all' ? replaceBoat(listing.boat, record.boat) : listing.boat;
  const { price_amount: amount, price_currency: currency } = columnsAfter({ record, known, takes }, listing);
  const isNewPrice = amount !== listing.price_amount || currency !== listing.price_currency;
  if (!isNewPrice || listing.price_amount === 0) return boat;
  const date = dayOf(known.scraped_at);
  return withEarlierPrice(boat, { date, amount: listing.price_amount, currency: listing.price_currency });
}
