import type { BookingRow } from '../../shared/rentals/booking.ts';
import { daysIn, type Period } from '../../shared/rentals/dates.ts';
import type { RentalRow } from '../../shared/rentals/rental.ts';
import type { Links } from '../http/links.ts';
import type { Result } from '../http/types.ts';
import { presentImage } from '../listings/present.ts';

export type Rental = Result<'createRental', 201>;
export type RentalItem = Result<'listMyRentals', 200>['results'][number];
type Booking = Result<'createBooking', 201>;

/** A rental as lists show it: RentalItem of openapi.yaml. Images that are still to be fetched are left out. */
export function presentRentalItem(row: RentalRow, links: Links): RentalItem {
  return {
    id: row.id,
    slug: row.slug,
    title: row.title,
    boat_type: row.boat_type,
    price_per_day: row.price_per_day,
    currency: row.currency,
    location: { country: row.country, city: row.city, region: row.region ?? undefined },
    availability: { available_from: row.available_from, available_to: row.available_to },
    images: row.images.filter(({ key }) => key !== undefined).map((image) => presentImage(image, links)),
    status: row.status as RentalItem['status'],
    created_at: row.created_at.toISOString(),
  };
}

/** A rental in full: Rental of openapi.yaml, with the times that are booked. */
export function presentRental(
  row: RentalRow,
  { owner, unavailable, links }: { owner: string; unavailable: Period[]; links: Links },
): Rental {
  return {
    ...presentRentalItem(row, links),
    description: row.description,
    owner: { id: row.owner_id, name: owner },
    unavailable,
    updated_at: row.updated_at.toISOString(),
  };
}

/** Booking of openapi.yaml, for the two sides of it. */
export function presentBooking(row: BookingRow): Booking {
  return {
    id: row.id,
    rental_id: row.rental_id,
    rental: { id: row.rental_id, slug: row.rental_slug, title: row.rental_title },
    renter: { id: row.renter_id, name: row.renter_name },
    date_from: row.date_from,
    date_to: row.date_to,
    days: daysIn({ from: row.date_from, to: row.date_to }),
    total_price: row.total_price,
    currency: row.currency,
    message: row.message,
    status: row.status as Booking['status'],
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
