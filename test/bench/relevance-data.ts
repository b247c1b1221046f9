import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Pool } from 'pg';
import { createDatabase } from '../../db/client.ts';
import { newId } from '../../shared/kit/ids.ts';
import { addToVocabulary } from '../../shared/search/query/vocabulary.ts';
import { dataFile } from '../support/data.ts';
import { readBoats } from './dataset-rows.ts';
import { hashOf, type Judged } from './relevance-measures.ts';

export type Document = { id: string; title: string; description: string };
/** Documents with judged queries; `isHeldOut` tells by its place whether weights were fitted without a query. */
export type Collection = {
  name: string;
  documents: Document[];
  judged: Judged[];
  isHeldOut: (index: number) => boolean;
};

const BATCH = 2_000;
const DAY_MS = 86_400_000;
/** As of when the listings of a collection are searched. */
export const NOW = new Date('2026-06-01T00:00:00Z');
const SELLER = newId('user');

/** Makes active listings of documents, in a category, and answers the document of each listing. */
export async function storeDocuments(pool: Pool, documents: readonly Document[]): Promise<Map<string, string>> {
  const documentOf = new Map<string, string>();
  const db = createDatabase(pool);
  const { rows } = await pool.query<{ id: string }>('select id from categories order by id limit 1');
  await pool.query(
    `insert into users (id, email, name, created_at, updated_at) values ($1, 'a@example.com', 'Anna', now(), now()) on conflict do nothing`,
    [SELLER],
  );
  for (let from = 0; from < documents.length; from += BATCH) {
    const listings = documents.slice(from, from + BATCH).map(({ id, title, description }) => {
      const listing = newId('listing');
      documentOf.set(listing, id);
      const hash = hashOf(id);
      const published = new Date(NOW.getTime() - (hash % 180) * DAY_MS - (hash % 86_400) * 1_000).toISOString();
      return {
        id: listing,
        slug: id,
        title,
        description,
        price: hash % 10 === 0 ? 0 : 1 + (hash % 500),
        published,
        views: hash % 7 === 0 ? hash % 3_000 : hash % 50,
      };
    });
    await pool.query(
      `insert into listings (id, slug, seller_id, category_id, status, type, condition, title, price_amount, price_currency, country, city, source, language,
          created_at, updated_at, published_at, expires_at, description)
        select id, slug, $2, $3, 'active', 'sale', 'new', title, price, 'USD', 'US', 'Miami', 'seed', 'en', published, published, published, '2099-01-01', description
        from jsonb_to_recordset($1::jsonb) as d (id text, slug text, title text, description text, price float8, published timestamptz)`,
      [JSON.stringify(listings), SELLER, rows[0]?.id],
    );
    await pool.query(
      'insert into listing_views select id, views from jsonb_to_recordset($1::jsonb) as d (id text, views int)',
      [JSON.stringify(listings)],
    );
    await addToVocabulary(
      db,
      listings.map(({ id }) => id),
    );
  }
  await pool.query('vacuum (analyze)');
  return documentOf;
}

/** The judged queries of CrowdFlower; undefined where the data is absent. */
export function readCrowdflower(): Collection | undefined {
  const [documents, judgments] = readFiles('search-crowdflower/docs.csv.gz', 'search-crowdflower/qrels.dev.csv');
  if (!documents || !judgments) return undefined;
  return {
    name: 'search-crowdflower',
    documents: documents.map((row) => ({ id: row.doc_id!, title: row.title!, description: row.description ?? '' })),
    judged: judge(judgments, 'doc_id'),
    isHeldOut: (index) => index % 2 === 1,
  };
}

/** The first `n` judged queries of Home Depot, in the order of the file; undefined where the data is absent. */
export function readHomeDepot(n: number): Collection | undefined {
  const [documents, judgments] = readFiles('search-homedepot/docs.csv.gz', 'search-homedepot/qrels.dev.csv.gz');
  if (!documents || !judgments) return undefined;
  return {
    name: 'search-homedepot',
    documents: documents.map((row) => ({ id: row.product_uid!, title: row.title!, description: '' })),
    judged: judge(judgments, 'product_uid').slice(0, n),
    isHeldOut: (index) => index < 600,
  };
}

/** The rows of these files of real data, each undefined where it is absent. */
export function readFiles(...names: string[]): (Record<string, string>[] | undefined)[] {
  return names.map((name) => {
    const file = dataFile(name);
    if (!file) return undefined;
    const bytes = readFileSync(file);
    return readBoats((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
  });
}

function judge(rows: Record<string, string>[], column: string): Judged[] {
  const queries = new Map<string, Map<string, number>>();
  for (const { query = '', relevance, [column]: id = '' } of rows) {
    const grades = queries.get(query) ?? new Map<string, number>();
    queries.set(query, grades.set(id, Number(relevance)));
  }
  return [...queries].map(([query, grades]) => ({ query, grades }));
}
