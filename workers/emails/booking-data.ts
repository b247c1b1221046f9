import { sql } from 'kysely';
import { z } from 'zod';
import type { StoredImage } from '../../shared/listings/card.ts';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import { imageUrlOf } from './card.ts';
import type { Message, Wording } from './layout.ts';

const reference = z.object({ booking_id: z.string() });
const url = z.url({ protocol: /^https?$/ });
const fields = z.object({
  title: z.string(),
  renter: z.string(),
  date_from: z.iso.date(),
  date_to: z.iso.date(),
  total_price: z.number(),
  currency: z.string(),
  message: z.string().nullable(),
  url,
  list_url: url,
  bookings_url: url,
});

/** What mails about a booking say: `terms` is its time and price as the language writes them. */
export type BookingValues = {
  title: string;
  renter: string;
  terms: string;
  message: string | null;
  url: string;
  list_url: string;
  bookings_url: string;
};

/** What there is to say of `{booking_id}`; undefined when the booking is gone, null when nobody need know. */
export async function loadBooking(
  { db, config }: Pick<WorkerServices, 'db' | 'config'>,
  data: Record<string, unknown>,
): Promise<Record<string, unknown> | undefined | null> {
  const { booking_id: id } = reference.parse(data);
  const row = await db
    .selectFrom('bookings as b')
    .innerJoin('rentals as r', 'r.id', 'b.rental_id')
    .innerJoin('users as u', 'u.id', 'b.renter_id')
    .select([
      'r.title',
      'r.slug',
      'r.status',
      'u.name as renter',
      'u.disabled_at as renter_suspended_at',
      'b.status as booking_status',
      'b.date_from',
      'b.date_to',
      'b.total_price',
      'b.currency',
      'b.message',
    ])
    .select(sql<StoredImage[]>`r.images`.as('images'))
    .where('b.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const { slug, status, images, booking_status, renter_suspended_at, ...facts } = row;
  // What a suspended person asks for is not carried to others.
  if (booking_status === 'requested' && renter_suspended_at) return null;
  const { title, total_price: amount, currency } = facts;
  const list_url = urlTo(config.site, 'rentals', {});
  return {
    ...facts,
    card: { title, amount, currency, image_url: imageUrlOf(images, config) },
    url: status === 'deleted' ? list_url : urlTo(config.site, 'rental', { slug }),
    list_url,
    bookings_url: urlTo(config.site, 'bookings', {}),
  };
}

/** The message of a wording about a booking. */
export function renderBooking(wording: Wording<BookingValues>, data: Record<string, unknown>, locale: Locale): Message {
  const { date_from, date_to, total_price, currency, renter, ...booking } = fields.parse(data);
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const price = new Intl.NumberFormat(locale, { style: 'currency', currency }).format(total_price);
  const values = {
    ...booking,
    renter: renter.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim(),
    terms: `${dates.formatRange(new Date(date_from), new Date(date_to))} · ${price}`,
  };
  return wording[locale](values);
}
