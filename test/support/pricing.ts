import { storeListings, type Fields, type StoredListing } from '../api/listings/search-fixture.ts';
import type { TestApp, TestUser } from './app.ts';

export type Priced = Fields & {
  price_currency?: string;
  expires_at?: string;
  sale_price?: number;
  sale_currency?: string;
};

/** Stores listings with their prices and sales as they are told, past all rules. */
export async function storePriced(
  app: Pick<TestApp, 'database'>,
  seller: Pick<TestUser, 'id'>,
  all: Priced[],
): Promise<StoredListing[]> {
  const stored = await storeListings(app, seller, all);
  const sales = all.flatMap(({ sale_price, sale_currency }, index) =>
    sale_price === undefined ? [] : [{ id: stored[index]?.id, sale_price, sale_currency }],
  );
  await app.database.pool.query(
    `update listings l set status = 'sold', sale_price = s.sale_price, sale_currency = s.sale_currency
     from jsonb_to_recordset($1::jsonb) as s (id text, sale_price float8, sale_currency text) where l.id = s.id`,
    [JSON.stringify(sales)],
  );
  return stored;
}

/** One listing for each price. */
export const at = (prices: readonly number[], fields: Priced = {}): Priced[] =>
  prices.map((price_amount) => ({ ...fields, price_amount }));

/** Puts listings into one duplicate group. */
export async function storeGroup(app: Pick<TestApp, 'database'>, id: string, status: string, ids: readonly string[]) {
  const { pool } = app.database;
  await pool.query(
    `insert into dedup_groups (id, status, confidence, detected_at) values ($1, $2, 0.9, '2025-01-01T00:00:00Z')`,
    [id, status],
  );
  await pool.query(
    `insert into dedup_members (group_id, listing_id, score, evidence, open) select $1, unnest($2::text[]), 0.9, '{}', $3`,
    [id, ids, status === 'detected'],
  );
}
