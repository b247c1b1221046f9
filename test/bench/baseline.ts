import { Pool } from 'pg';
import { writeCursor } from '../../api/listings/cursor.ts';
import { identifySearch } from '../../api/listings/search.ts';
import { presentCard, presentListing, type View } from '../../api/listings/present.ts';
import { buildCatalog } from '../../shared/catalog/tree.ts';
import {
  cardColumns,
  cardJoins,
  cardTypes,
  listingById,
  type CardRow,
  type ListingRow,
} from '../../shared/listings/card.ts';
import { planOrderedScan } from '../../shared/search/postgres/ordered-scan.ts';
import { toPosition, type Hit, type Search } from '../../shared/search/search.ts';
import { profileOf } from '../../shared/profiles/read-profile.ts';
import { serveBare } from './bare-server.ts';

const nautical = profileOf('nautical');

// What the API is measured against: node:http and pg alone. It runs the same prepared statements and answers the same bytes,
// but knows only the shapes that the benchmark asks for, trusts its input, and has no middleware of any kind.

const catalog = buildCatalog(nautical);
const base = process.env.BASE_URL ?? '';
const secret = process.env.JWT_SECRET ?? '';
const links = { base, path: '', static: `${base}/static` };
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
pool.on('error', () => {});

/** The statement of a shape of list, and where in its values the numbers of a request go. */
function listStatement(shape: string) {
  const marks = { min: 11, max: 22, limit: 33, offset: 44 };
  const [category, condition, country] = [['?'], ['?condition'], ['?country']];
  const { text, values } = planOrderedScan({
    ...plain,
    filters: {
      category,
      price: shape.includes('price') ? { min: marks.min, max: marks.max, unpriced: false } : undefined,
      condition: shape.includes('condition') ? condition : undefined,
      country: shape.includes('country') ? country : undefined,
      impossible: false,
    },
    offset: marks.offset,
    limit: marks.limit,
  });
  return {
    name: `list ${shape}`,
    text: `with page as (${text}) select ${cardColumns}, page.total, page.featured, page.key from page
      join listings l on l.id = page.id ${cardJoins(`'en'`)} order by page.featured desc, l.sort_at desc, l.id desc`,
    bind: (query: URLSearchParams, offset: number, limit: number) =>
      values.map((value) => {
        if (value === category) return catalog.descendantIds(query.get('category') ?? '');
        if (value === marks.min) return query.get('min_price');
        if (value === marks.max) return query.get('max_price');
        if (value === condition) return [query.get('condition')];
        if (value === country) return [query.get('country')];
        if (value === marks.limit) return limit;
        if (value === marks.offset) return offset;
        if (value === marks.limit + marks.offset) return offset + limit;
        return value instanceof Date ? new Date() : value;
      }),
  };
}

/** What every list here is: of active listings, newest first. */
const plain: Search = {
  filters: { impossible: false },
  scope: { everyone: ['active'] },
  sort: 'newest',
  seed: '',
  offset: 0,
  limit: 20,
  locale: 'en',
  now: new Date(0),
};

const lists = new Map<string, ReturnType<typeof listStatement>>();

async function list(query: URLSearchParams): Promise<string> {
  const shape = ['price', 'condition', 'country']
    .filter((filter) => query.has(filter === 'price' ? 'min_price' : filter))
    .join(' ');
  let statement = lists.get(shape);
  if (!statement) lists.set(shape, (statement = listStatement(shape)));
  const [page, limit] = [Number(query.get('page') ?? 1), 20];
  const offset = (page - 1) * limit;
  const { name, text, bind } = statement;
  const { rows } = await pool.query<CardRow & Hit & { total: number | null }>({
    name,
    text,
    values: bind(query, offset, limit),
    types: cardTypes,
  });
  const view: View = { catalog, links, locale: 'en', now: new Date() };
  const seen = offset + rows.length;
  const total = Math.max(rows[0]?.total ?? 0, seen);
  const search = { ...plain, offset, limit, now: new Date(Math.floor(Date.now() / 60_000) * 60_000) };
  const next = total > seen ? toPosition(rows, search, { seen, total }) : undefined;
  const filters = Object.fromEntries(
    [...query]
      .filter(([name]) => name !== 'page')
      .map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value]),
  );
  const cursor = next
    ? writeCursor(next, identifySearch({ include_unpriced: false, status: 'active', ...filters }, 'newest'), [secret])
    : null;
  return JSON.stringify({
    results: rows.map((row) => presentCard(row, view)),
    pagination: { page, limit, total, pages: Math.ceil(total / limit), next_cursor: cursor },
  });
}

async function read(id: string): Promise<string | undefined> {
  const { rows } = await pool.query<ListingRow>({
    name: 'detail',
    text: listingById,
    values: [id, 'en'],
    types: cardTypes,
  });
  return rows[0] && JSON.stringify(presentListing(rows[0], { catalog, links, locale: 'en', now: new Date() }));
}

serveBare(async (request) => {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  const answer =
    path === '/api/listings' ? list(new URLSearchParams(query)) : read(path.slice('/api/listings/'.length));
  return (await answer) ?? '{}';
});
