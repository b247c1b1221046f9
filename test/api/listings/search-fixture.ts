import type { TestApp, TestUser } from '../../support/app.ts';
import { addToVocabulary } from '../../../shared/search/query/vocabulary.ts';
import { newId } from '../../../shared/kit/ids.ts';

/** What a test says about a listing; everything else has a plain default. */
export type Fields = Partial<{
  id: string;
  title: string;
  description: string;
  category_id: string;
  status: string;
  type: string;
  condition: string;
  price_amount: number;
  country: string;
  city: string;
  lat: number | undefined;
  lng: number | undefined;
  updated_at: string;
  shipping: boolean;
  attributes: Record<string, unknown>;
  year: number | null;
  length_m: number | null;
  tags: string[];
  images: unknown[];
  boat: unknown;
  long_description: string;
  language: string;
  published_at: string | null;
  created_at: string;
  premium_type: string;
  premium_until: string;
}>;

export type StoredListing = Required<Pick<Fields, 'id' | 'title'>> & Fields & { slug: string; seller_id: string };

const MIN_DESCRIPTION = 20;
let made = 0;

/** Stores listings of a seller as they are told, past all rules; the vocabulary learns their words. */
export async function storeListings(
  app: Pick<TestApp, 'database'>,
  seller: Pick<TestUser, 'id'>,
  all: Fields[],
): Promise<StoredListing[]> {
  const rows = all.map((fields) => {
    made += 1;
    const created = fields.created_at ?? new Date(Date.UTC(2025, 0, 1) + made * 60_000).toISOString();
    const { year, length } = fields.attributes ?? {};
    return {
      id: newId('listing'),
      slug: `listing-${made}`,
      seller_id: seller.id,
      title: `Listing number ${made}`,
      description: 'A plain thing with nothing to say about itself.',
      category_id: 'cruising',
      status: 'active',
      type: 'sale',
      condition: 'good',
      price_amount: 1_000,
      price_currency: 'EUR',
      price_negotiable: false,
      country: 'DE',
      city: 'Kiel',
      shipping: false,
      attributes: {},
      year: typeof year === 'number' ? year : null,
      length_m: typeof length === 'number' ? length : null,
      tags: [],
      images: [],
      source: 'api',
      language: 'en',
      version: 1,
      updated_at: created,
      published_at: created,
      expires_at: '2099-01-01T00:00:00.000Z',
      ...fields,
      // Every answer has a description as long as the contract says; punctuation is found by no word.
      ...(fields.description !== undefined && { description: fields.description.padEnd(MIN_DESCRIPTION, ' .') }),
      created_at: created,
    };
  });
  await app.database.pool.query(
    `insert into listings (${columns.join(', ')}) select ${columns.join(', ')} from jsonb_populate_recordset(null::listings, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
  await addToVocabulary(
    app.database.db,
    rows.map(({ id }) => id),
  );
  return rows;
}

const columns = [
  'id',
  'slug',
  'seller_id',
  'title',
  'description',
  'long_description',
  'category_id',
  'status',
  'type',
  'condition',
  'price_amount',
  'price_currency',
  'price_negotiable',
  'country',
  'city',
  'lat',
  'lng',
  'shipping',
  'attributes',
  'year',
  'length_m',
  'tags',
  'images',
  'boat',
  'source',
  'language',
  'version',
  'created_at',
  'updated_at',
  'published_at',
  'expires_at',
  'premium_type',
  'premium_until',
];
