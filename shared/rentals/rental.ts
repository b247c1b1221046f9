import type { Database } from '../../db/client.ts';
import { prepared } from '../../db/prepared.ts';
import { forbidden, notFound } from '../kit/errors.ts';
import { recordEvents } from '../journal/events.ts';
import { isId } from '../kit/ids.ts';
import type { Tx } from '../queues/jobs.ts';
import type { StoredImage } from '../listings/card.ts';
import type { Period } from './dates.ts';

/**
 * One image as rentals.images holds it: shown once it has a `key`; `url` is where it came from, or is to be fetched from
 * unless that has failed.
 */
export type RentalImage = StoredImage & { failed?: true };

/** A rental as the database has it. Days are 'YYYY-MM-DD'. */
export type RentalRow = {
  id: string;
  slug: string;
  owner_id: string;
  title: string;
  description: string;
  boat_type: string;
  price_per_day: number;
  currency: string;
  country: string;
  city: string;
  region: string | null;
  available_from: string;
  available_to: string;
  images: RentalImage[];
  status: string;
  created_at: Date;
  updated_at: Date;
};

/** The names of its columns, for `returning` and `select`. */
export const rentalColumns = [
  'id',
  'slug',
  'owner_id',
  'title',
  'description',
  'boat_type',
  'price_per_day',
  'currency',
  'country',
  'city',
  'region',
  'available_from',
  'available_to',
  'images',
  'status',
  'created_at',
  'updated_at',
] as const satisfies (keyof RentalRow)[];

const hidden = new Set(['deleted', 'suspended']);

/** The rental by id or slug, whatever its status; undefined when there is none. */
export async function findRental(db: Database, idOrSlug: string): Promise<RentalRow | undefined> {
  const { rows } = await db.executeQuery(prepared(selectRental(db, idOrSlug).compile()));
  return rows[0] as RentalRow | undefined;
}

/** The rental by id or slug; a deleted or unknown one, and one whose owner is suspended, is 404. */
export async function readRental(db: Database, idOrSlug: string): Promise<RentalRow> {
  const rental = await findRental(db, idOrSlug);
  if (!rental || hidden.has(rental.status)) throw notFound('rental', idOrSlug);
  return rental;
}

/**
 * The rental by id or slug, locked until the transaction ends: `change` lets changes of it and of its bookings come one after
 * the other, `keep` lets many look at it while nobody changes it. A deleted one is 404, unless `deletedToo`.
 */
export async function lockRental(
  tx: Tx,
  idOrSlug: string,
  { lock, deletedToo = false }: { lock: 'change' | 'keep'; deletedToo?: boolean },
): Promise<RentalRow> {
  const query = selectRental(tx, idOrSlug);
  const rental = await (lock === 'change' ? query.forNoKeyUpdate() : query.forShare()).executeTakeFirst();
  if (!rental || (rental.status === 'deleted' && !deletedToo)) throw notFound('rental', idOrSlug);
  return rental as RentalRow;
}

/** 403 when the rental of that id or slug is not this user's; nothing when there is none. */
export async function assertRentalOwner(db: Database, idOrSlug: string, userId: string): Promise<void> {
  const rental = await db
    .selectFrom('rentals')
    .select('owner_id')
    .where(isId('rental', idOrSlug) ? 'id' : 'slug', '=', idOrSlug)
    .where('status', '<>', 'deleted')
    .executeTakeFirst();
  if (rental) requireRentalOwner(rental, userId);
}

/** 403 unless the rental is this user's. */
export function requireRentalOwner(rental: Pick<RentalRow, 'owner_id'>, userId: string): void {
  if (rental.owner_id !== userId) throw forbidden('Only the owner can do this with a rental.');
}

/** The times that are booked, in order, as far as they touch the period, which need not end. */
export async function readBooked(
  db: Database,
  rentalId: string,
  { from, to }: { from: string; to?: string },
): Promise<Period[]> {
  const query = db
    .selectFrom('bookings')
    .select(['date_from as from', 'date_to as to'])
    .where('rental_id', '=', rentalId)
    .where('status', '=', 'confirmed')
    .where('date_to', '>', from)
    .orderBy('date_from');
  const { rows } = await db.executeQuery(
    prepared((to === undefined ? query : query.where('date_from', '<', to)).compile()),
  );
  return rows;
}

/**
 * Tells readers in every process, in the transaction of a change, that what they have kept of a rental is old. The event is
 * nobody's: it is for caches alone.
 */
export async function recordRentalChange(tx: Tx, now: Date, rentalId: string): Promise<void> {
  await recordEvents(tx, now, [
    { type: 'rental.changed', subject: rentalId, ownerId: null, data: { rental_id: rentalId } },
  ]);
}

const selectRental = (db: Database, idOrSlug: string) =>
  db
    .selectFrom('rentals')
    .select(rentalColumns)
    .where(isId('rental', idOrSlug) ? 'id' : 'slug', '=', idOrSlug);
