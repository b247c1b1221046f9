import { Pool } from 'pg';
import { serveBare } from './bare-server.ts';

// What prices are measured against: node:http, pg, and one prepared query for the percentiles of the prices of a currency's
// active listings in some categories. It reads all of them from the listings, knows no duplicates, and trusts its input.

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
pool.on('error', () => {});

async function measure(categories: string[], currency: string): Promise<string> {
  const { rows } = await pool.query<{ n: number; at: number[] }>({
    name: 'percentiles',
    text: `select count(*)::int as n, percentile_cont(array[0.1, 0.25, 0.5, 0.75, 0.9]) within group (order by price_amount) as at
           from listings where status = 'active' and category_id = any($1) and price_currency = $2 and price_amount > 0`,
    values: [categories, currency],
  });
  return JSON.stringify(rows[0]);
}

serveBare((request) => {
  const query = new URLSearchParams((request.url ?? '').split('?', 2)[1]);
  return measure((query.get('categories') ?? '').split(','), query.get('currency') ?? '');
});
