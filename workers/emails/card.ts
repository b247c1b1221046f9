import { sql } from 'kysely';
import { z } from 'zod';
import type { StoredImage } from '../../shared/listings/card.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import type { Card } from './layout.ts';
import { savedSearchWords } from './saved-search-words.ts';

/** A listing or rental as the data of a mail have it. */
export const cardFields = z.object({
  title: z.string(),
  image_url: z.url({ protocol: /^https?$/ }).optional(),
  /** 0 is a price on request. */
  amount: z.number(),
  currency: z.string().length(3),
  place: z.string().optional(),
});

type CardFields = z.infer<typeof cardFields>;

/** The card of a listing; undefined when it is gone. */
export async function loadListingCard(
  { db, config }: Pick<WorkerServices, 'db' | 'config'>,
  listingId: string,
): Promise<CardFields | undefined> {
  const row = await db
    .selectFrom('listings')
    .select(['title', 'price_amount as amount', 'price_currency as currency', 'city as place'])
    .select(sql<StoredImage[]>`images`.as('images'))
    .where('id', '=', listingId)
    .where('status', '<>', 'deleted')
    .executeTakeFirst();
  if (!row) return undefined;
  const { images, ...card } = row;
  return { ...card, image_url: imageUrlOf(images, config) };
}

/** The address of the first photo that is kept here: a mail fetches nothing from other sites. */
export function imageUrlOf(
  images: readonly StoredImage[],
  { staticUrl }: Pick<WorkerServices['config'], 'staticUrl'>,
  size: 'full' | 'thumbnail' = 'full',
): string | undefined {
  const key = images.find((image) => image.key !== undefined)?.key;
  if (key === undefined) return undefined;
  return `${staticUrl}/${size === 'full' ? key : key.replace(/\.webp$/, '-thumb.webp')}`;
}

/** The data of a mail that names its listing, with the card of that listing where there still is one. */
export async function loadWithCard(
  services: Pick<WorkerServices, 'db' | 'config'>,
  data: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { listing_id: id } = z.object({ listing_id: z.string().optional() }).parse(data);
  return id === undefined ? data : { ...data, card: await loadListingCard(services, id) };
}

/** A card in words of the locale. */
export function toCard({ title, image_url: imageUrl, amount, currency, place }: CardFields, locale: Locale): Card {
  const price = amount === 0 ? savedSearchWords[locale].onRequest : formatAmount(locale, amount, currency);
  return { title: title.replaceAll(/\s+/g, ' ').trim(), imageUrl, price, place };
}

/** An amount of money as people of the locale write it; whole amounts without decimals. */
export const formatAmount = (locale: Locale, amount: number, currency: string): string =>
  new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    ...(Number.isInteger(amount) && { maximumFractionDigits: 0 }),
  }).format(amount);

/** What previews and tests show; previews have a drawing in its place. */
export const sampleImage = 'https://boats.example.com/static/images/ha/hallberg-rassy.webp';

export const sampleCard = {
  title: 'Hallberg-Rassy 36 Mk II',
  image_url: sampleImage,
  amount: 118_000,
  currency: 'EUR',
  place: 'Flensburg',
};
