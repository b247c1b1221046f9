import { z } from 'zod';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Listing, ListingItem } from '../listings/present.ts';
import type { ToolContext } from './tool.ts';

const MAX_TITLE = 80;

/** A listing in a list: what is needed to choose, in about 70 tokens with its line of Markdown. */
export const listingRow = z.object({
  id: z.string(),
  title: z.string(),
  price: z.number().nullable().describe('null: on request'),
  currency: z.string(),
  year: z.number().optional(),
  length_m: z.number().optional(),
  make: z.string().optional(),
  condition: z.string(),
  place: z.string(),
  image: z.string().optional(),
  status: z.string().optional().describe('absent: active'),
});
export type ListingRow = z.output<typeof listingRow>;

/** The page of a list that an answer is, and whether there is more. */
export const pageFields = { total: z.number(), page: z.number(), has_more: z.boolean() };

/** The fields of a page's answer from the pagination of the API. */
export const toPageFields = (pagination: { total: number; page: number; limit: number }) => ({
  total: pagination.total,
  page: pagination.page,
  has_more: pagination.page * pagination.limit < pagination.total,
});

export function toListingRow({
  id,
  title,
  price,
  attributes = {},
  condition,
  location,
  images,
  status,
}: ListingItem | Listing): ListingRow {
  const { year, length, brand } = attributes as Record<string, unknown>;
  const image = images[0]?.thumbnail_url ?? images[0]?.url;
  return {
    id,
    title: cutText(title, MAX_TITLE),
    price: price.amount > 0 ? price.amount : null,
    currency: price.currency,
    ...(typeof year === 'number' && { year }),
    ...(typeof length === 'number' && { length_m: length }),
    ...(typeof brand === 'string' && { make: cutText(brand, 40) }),
    condition,
    place: `${cutText(location.city, 40)}, ${location.country}`,
    ...(image !== undefined && { image }),
    ...(status !== 'active' && { status }),
  };
}

/** Listings as a numbered list of Markdown; their ids are in the data. */
export function renderRows(rows: ListingRow[], start = 1): string {
  return rows
    .map((row, index) => `${start + index}. ${row.title}: ${renderPrice(row)}${renderFacts(row)} \`${row.id}\``)
    .join('\n');
}

const renderFacts = ({ year, length_m: length, place }: ListingRow) =>
  [year, length === undefined ? undefined : `${length} m`, place]
    .filter((fact) => fact !== undefined)
    .map((fact) => `, ${fact}`)
    .join('');

export const renderPrice = ({ price, currency }: Pick<ListingRow, 'price' | 'currency'>): string =>
  price === null ? 'price on request' : `${price} ${currency}`;

export const cutText = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).trimEnd()}…`;

/** The address of a listing's page for people. */
export const pageOf = ({ services }: ToolContext, slug: string): string =>
  urlTo(services.config.site, 'listing', { slug });
