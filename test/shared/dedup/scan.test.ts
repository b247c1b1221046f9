import { beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { findCandidatePairs } from '../../../shared/dedup/candidates.ts';
import { findGroups } from '../../../shared/dedup/find-groups.ts';
import { DETECTED_FROM } from '../../../shared/dedup/cap-score.ts';
import { compareCandidates, createLinkFinder } from '../../../shared/dedup/scan.ts';
import { refreshFingerprints } from '../../../shared/dedup/store.ts';
import { storeGroups } from '../../../shared/dedup/stored-groups.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';

const now = '2026-05-04T09:00:00Z';
const told =
  'One owner from new, kept in a berth in Kiel and serviced every spring by the same yard. The sails are from 2019, the ' +
  'engine has run 1,240 hours, and the standing rigging was renewed two winters ago; the survey can be seen at any time.';
let database: TestDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
  await add('users', [
    { id: 'usr_a', email: 'a@example.com', name: 'A' },
    { id: 'usr_b', email: 'b@example.com', name: 'B' },
  ]);
  await add('listings', [
    listing('lst_one', { seller_id: 'usr_a' }),
    listing('lst_two', { seller_id: 'usr_b', title: 'Bavaria 37 Cruiser, Seestern (2004)' }),
    listing('lst_year', { seller_id: 'usr_b', year: 2005 }),
    listing('lst_sold', { seller_id: 'usr_b', status: 'sold' }),
    ...Array.from({ length: 30 }, (_, index) =>
      listing(`lst_other${index}`, {
        seller_id: 'usr_a',
        title: `Zodiac number${index}x tender`,
        description: `Nothing like the others, ${index}.`,
        attributes: {},
        year: null,
        length_m: null,
      }),
    ),
  ]);
});

const ids = [
  'lst_one',
  'lst_two',
  'lst_year',
  'lst_sold',
  ...Array.from({ length: 30 }, (_, index) => `lst_other${index}`),
];

function listing(id: string, fields: Record<string, unknown>) {
  return {
    id,
    slug: id.replace('lst_', 'slug-'),
    category_id: 'cruising',
    status: 'active',
    type: 'sale',
    condition: 'good',
    title: 'Bavaria 37 Cruiser 2004 Seestern',
    description: told,
    price_amount: 79_000,
    price_currency: 'EUR',
    country: 'DE',
    city: 'Kiel',
    year: 2004,
    length_m: 11.35,
    source: 'web',
    language: 'en',
    created_at: now,
    updated_at: now,
    published_at: now,
    expires_at: now,
    version: 1,
    tags: [],
    images: [],
    attributes: { brand: 'Bavaria', model: '37 Cruiser' },
    ...fields,
  };
}

/** Rows with these columns; what they do not name has its default. */
async function add(table: 'users' | 'listings', rows: Record<string, unknown>[]): Promise<void> {
  const defaults = { type: 'human', role: 'user', verified: true, session_epoch: 0, created_at: now, updated_at: now };
  const full =
    table === 'users' ? rows.map((row) => ({ ...defaults, email_notifications: true, language: 'en', ...row })) : rows;
  for (const row of full) {
    const columns = Object.keys(row).join(', ');
    await database.pool.query(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1::jsonb)`,
      [JSON.stringify(row)],
    );
  }
}

const refresh = (...of: string[]) => inTransaction(database.db, (tx) => refreshFingerprints(tx, of));
const judge = (...of: string[]) => inTransaction(database.db, (tx) => compareCandidates(tx, of));
const keysOf = async (id: string) =>
  (await database.pool.query<{ key: string }>('select key from dedup_keys where listing_id = $1 order by key', [id]))
    .rows;

describe('a scan', () => {
  test('keeps prints and keys of what is offered, and makes none anew that is up to date', async () => {
    expect(await refresh(...ids)).toBe(33);
    expect(await keysOf('lst_sold')).toEqual([]);
    expect(await refresh(...ids)).toBe(0);
  });

  test('finds as candidates what shares rare keys, from either side', async () => {
    const pairs = await findCandidatePairs(database.db, ['lst_two']);
    expect(pairs).toContainEqual(['lst_one', 'lst_two']);
    expect(await findCandidatePairs(database.db, ['lst_one'])).toContainEqual(['lst_one', 'lst_two']);
    expect(pairs.flat().some((id) => id.startsWith('lst_other'))).toBe(false);
  });

  test('links the same boat of two sellers with its evidence, and not the one of another year', async () => {
    await judge(...ids);
    const [link, ...others] = await createLinkFinder(database.db)(['lst_one', 'lst_year'], DETECTED_FROM);
    expect(link).toMatchObject({ first: 'lst_one', second: 'lst_two', by: ['nothing_unique'] });
    expect(link?.reasons.map(({ signal }) => signal)).toContain('letters');
    expect(link?.score).toBeGreaterThanOrEqual(DETECTED_FROM);
    expect(others).toEqual([]);
  });

  test('repeated on the same listings leaves the same pairs', async () => {
    const pairs = () =>
      database.pool.query('select * from dedup_pairs order by first_id, second_id').then(({ rows }) => rows);
    const before = await pairs();
    await judge(...ids);
    await judge('lst_two');
    expect(await pairs()).toEqual(before);
    expect(before.length).toBeGreaterThan(0);
  });

  test('closes one group over however many copies of an ad, also where their keys are too common to be followed', async () => {
    const copies = Array.from({ length: 60 }, (_, index) => `lst_copy${String(index).padStart(2, '0')}`);
    const told =
      'A dinghy with a road trailer, two sets of sails and a cover, raced every summer and dry in the winter.';
    await add(
      'listings',
      copies.map((id, index) =>
        listing(id, { seller_id: index % 2 ? 'usr_a' : 'usr_b', title: 'Laser Radial regatta', description: told }),
      ),
    );
    await refresh(...copies);
    for (const half of [copies.slice(0, 30), copies.slice(30)]) await judge(...half);
    const groups = await inTransaction(database.db, (tx) => findGroups(tx, ['lst_copy07'], DETECTED_FROM));
    expect(groups.map(({ members }) => members)).toEqual([copies]);
    const stored = await inTransaction(database.db, (tx) => storeGroups(tx, groups, new Date(now)));
    expect(stored).toBe(1);
    const { rows } = await database.pool.query('select count(*)::int as n from dedup_members group by group_id');
    expect(rows).toEqual([{ n: 60 }]);
  });

  test('sees a changed listing as it is now, and forgets one that is no longer offered', async () => {
    await database.pool.query(`update listings set title = 'Kajak', version = version + 1 where id = 'lst_two'`);
    await database.pool.query(`update listings set status = 'sold', version = version + 1 where id = 'lst_year'`);
    expect(await refresh(...ids)).toBe(1);
    expect(await keysOf('lst_two')).toContainEqual({ key: 'w:kajak' });
    expect(await keysOf('lst_two')).not.toContainEqual({ key: 'w:bavaria' });
    expect(await keysOf('lst_year')).toEqual([]);
  });

  test('leaves nothing behind when a listing is deleted', async () => {
    await database.pool.query(`delete from listings where id = 'lst_one'`);
    const { rows } = await database.pool.query(`select listing_id from dedup_prints where listing_id = 'lst_one'
      union all select listing_id from dedup_keys where listing_id = 'lst_one' union all select first_id from dedup_pairs where first_id = 'lst_one'`);
    expect(rows).toEqual([]);
  });
});
