import { z } from 'zod';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Listing, ListingItem } from '../listings/present.ts';
import type { ToolContext } from './tool.ts';

const MAX_TITLE = 60;
const MAX_TITLE_IN_LINE = 40;
const MAX_CITY = 30;

/** A listing in a list: what is needed to choose; with its line of Markdown about 140 tokens. */
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

/** The output of a tool that answers one page of a list. */
export const listOf = <Item extends z.ZodType>(item: Item) => z.object({ ...pageFields, results: z.array(item) });

/** One page of a list, in words too: `empty` where nothing is on it. */
export const answerList = <Item>(
  pagination: Parameters<typeof toPageFields>[0],
  results: Item[],
  text: string,
  empty: string,
) => ({ data: { ...toPageFields(pagination), results }, text: text || empty });

export function toListingRow({
  id,
  title,
  price,
  attributes = {},
  condition,
  location,
  status,
}: ListingItem | Listing): ListingRow {
  const { year, length, brand } = attributes as Record<string, unknown>;
  return {
    id,
    title: cutText(title, MAX_TITLE),
    price: price.amount > 0 ? price.amount : null,
    currency: price.currency,
    ...(typeof year === 'number' && { year }),
    ...(typeof length === 'number' && { length_m: length }),
    ...(typeof brand === 'string' && { make: cutText(brand, 40) }),
    condition,
    place: `${cutText(location.city, MAX_CITY)}, ${location.country}`,
    ...(status !== 'active' && { status }),
  };
}

/** Listings as a numbered list of Markdown: what is needed to choose without the data, and the id. */
export function renderRows(rows: ListingRow[], start = 1): string {
  return rows
    .map(
      (row, index) =>
        `${start + index}. ${cutText(row.title, MAX_TITLE_IN_LINE)}: ${renderPrice(row)}${renderFacts(row)} \`${row.id}\``,
    )
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

/** The address of a listing's page for people: at the address that the request came in by, unless another front end has it. */
export const pageOf = ({ services: { config }, links }: ToolContext, slug: string): string =>
  urlTo(config.site.isOwn ? { ...config.site, url: links.base } : config.site, 'listing', { slug });
