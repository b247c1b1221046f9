import type { Pool } from 'pg';
import { addMilliseconds, DAY_MS } from '../kit/clock.ts';

export type Counts = Record<string, number>;

const ages = ['under_7_days', '7_to_30_days', '30_to_90_days', '90_to_365_days', 'over_365_days'] as const;
const sources = ['api', 'web', 'seed', 'scraped'] as const;
type Age = (typeof ages)[number];
type Source = (typeof sources)[number];

export type Inventory = {
  total: number;
  by_category: Counts;
  by_country: Counts;
  by_source: Record<Source, number>;
  by_age: Record<Age, number>;
};

/** Active listings by category (its own alone), country, source and age since creation. No wide row is read. */
export async function readInventory(pool: Pool, now: Date): Promise<Inventory> {
  const [places, kinds] = await Promise.all([countOffered(pool), countKinds(pool, now)]);
  const none = <Key extends string>(keys: readonly Key[]) =>
    Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
  const inventory: Inventory = { ...places, total: 0, by_source: none(sources), by_age: none(ages) };
  for (const { source, age, n } of kinds) {
    inventory.total += n;
    inventory.by_source[source] += n;
    inventory.by_age[age] += n;
  }
  return inventory;
}

/** Active listings by category and by country, as the kept counters tell. */
export async function countOffered(pool: Pool): Promise<Pick<Inventory, 'by_category' | 'by_country'>> {
  const { rows } = await pool.query<{ category_id: string | null; country: string | null; n: number }>({
    name: 'offered',
    text: `select category_id, country, sum(n)::int as n
           from (select category_id, country, n from listing_facet_counts union all select category_id, country, n from listing_facet_deltas) as c
           group by grouping sets ((category_id), (country)) having sum(n) > 0 order by n desc, 1, 2`,
  });
  const by = (key: 'category_id' | 'country') =>
    Object.fromEntries(rows.flatMap((row) => (row[key] === null ? [] : [[row[key], row.n]])));
  return { by_category: by('category_id'), by_country: by('country') };
}

async function countKinds(pool: Pool, now: Date): Promise<{ source: Source; age: Age; n: number }[]> {
  const since = [7, 30, 90, 365].map((days) => addMilliseconds(now, -days * DAY_MS));
  const { rows } = await pool.query<{ source: Source; age: number; n: number }>({
    name: 'inventory-kinds',
    text: `select source, (created_at <= $1)::int + (created_at <= $2)::int + (created_at <= $3)::int + (created_at <= $4)::int as age, count(*)::int as n
           from listings where status = 'active' group by 1, 2`,
    values: since,
  });
  return rows.map(({ source, age, n }) => ({ source, age: ages[age] ?? 'over_365_days', n }));
}
