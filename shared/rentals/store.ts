import { dayOf } from '../kit/clock.ts';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Clock } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';
import { conflict } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { slugSuffix } from '../listings/create.ts';
import { slugBase, uniqueSlug } from '../listings/slug.ts';
import { declinePendingRequests } from './answer.ts';
import { enqueueImageJobs, nameRentalImages } from './images.ts';
import { placeText } from './place.ts';
import { recordRentalChange, rentalColumns, type RentalRow } from './rental.ts';
import type { RentalFields } from './rules.ts';

type Dependencies = { jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>; clock: Clock; config: Pick<Config, 'staticUrl'> };

/** What an owner may change of a rental; all of it is optional. */
export type RentalRevision = Partial<RentalFields> & { status?: 'active' | 'paused' };

type Columns = Partial<RentalRow> & { place?: string };

const SLUG_TRIES = 5;

/** Stores a rental that passed every rule, with the jobs that fetch its images; a slug that is taken gets a suffix. */
export async function storeRental(
  tx: Tx,
  { jobs, clock, config }: Dependencies,
  ownerId: string,
  fields: RentalFields,
): Promise<RentalRow> {
  const now = clock.now();
  const images = await nameRentalImages(tx, fields.images ?? [], config.staticUrl);
  const base = slugBase(fields.title);
  for (let attempt = 0; attempt < SLUG_TRIES; attempt += 1) {
    const stored = await tx
      .insertInto('rentals')
      .values({
        id: newId('rental'),
        slug: attempt === 0 ? base : uniqueSlug(base, slugSuffix()),
        owner_id: ownerId,
        title: fields.title,
        description: fields.description,
        boat_type: fields.boat_type,
        price_per_day: fields.price_per_day,
        currency: fields.currency,
        ...placeColumns(fields.location),
        ...fields.availability,
        images: JSON.stringify(images),
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.column('slug').doNothing())
      .returning(rentalColumns)
      .executeTakeFirst();
    if (!stored) continue;
    const rental = stored as RentalRow;
    await enqueueImageJobs(tx, jobs, rental);
    await recordRentalChange(tx, now, rental.id);
    return rental;
  }
  throw new Error(`no free slug for '${base}' in ${SLUG_TRIES} tries`);
}

/**
 * Changes what is sent of a locked rental and answers it; what is sent as it stands already changes nothing. 409 for a season
 * that leaves out a confirmed booking which is not over.
 */
export async function reviseRental(
  tx: Tx,
  { jobs, clock, config }: Dependencies,
  rental: RentalRow,
  { location, availability, images, ...plain }: RentalRevision,
): Promise<RentalRow> {
  const now = clock.now();
  const wanted: Columns = {
    ...plain,
    ...(location && placeColumns(location)),
    ...availability,
    ...(images && { images: await nameRentalImages(tx, images, config.staticUrl, rental.images) }),
  };
  const names = rentalColumns.filter((name) => name in wanted && !isDeepStrictEqual(rental[name], wanted[name]));
  if (names.length === 0) return rental;
  if (availability) await requireSeasonHoldsBookings(tx, rental.id, availability, now);
  const changed = await tx
    .updateTable('rentals')
    .set({ ...wanted, ...(wanted.images && { images: JSON.stringify(wanted.images) }), updated_at: now })
    .where('id', '=', rental.id)
    .returning(rentalColumns)
    .executeTakeFirstOrThrow();
  const after = changed as RentalRow;
  await enqueueImageJobs(tx, jobs, after, rental.images);
  await recordRentalChange(tx, now, rental.id);
  return after;
}

/**
 * Takes a locked rental away with its images: nobody finds it any more. Requests that wait are declined; its row stays for
 * the bookings that are confirmed.
 */
export async function removeRental(tx: Tx, { jobs, clock }: Dependencies, rental: RentalRow): Promise<void> {
  const now = clock.now();
  await tx
    .updateTable('rentals')
    .set({ status: 'deleted', images: '[]', updated_at: now })
    .where('id', '=', rental.id)
    .execute();
  await declinePendingRequests(tx, { jobs, clock }, rental.id);
  await enqueueImageJobs(tx, jobs, { id: rental.id, images: [] }, rental.images);
  await recordRentalChange(tx, now, rental.id);
}

async function requireSeasonHoldsBookings(
  tx: Tx,
  rentalId: string,
  { available_from: first, available_to: last }: RentalFields['availability'],
  now: Date,
): Promise<void> {
  const outside = await tx
    .selectFrom('bookings')
    .select(['date_from as from', 'date_to as to'])
    .where('rental_id', '=', rentalId)
    .where('status', '=', 'confirmed')
    .where('date_to', '>', dayOf(now))
    .where(sql<boolean>`not (date_from >= ${first}::date and date_to - 1 <= ${last}::date)`)
    .orderBy('date_from')
    .limit(20)
    .execute();
  if (outside.length > 0)
    throw conflict('A confirmed booking is outside of this season; cancel it first.', { conflicts: outside });
}

const placeColumns = ({ country, city, region }: RentalFields['location']) => ({
  country,
  city,
  region: region ?? null,
  place: placeText({ country, city, region }),
});
