import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BoatRecord } from '../bench/boat-rows.ts';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import {
  countHarm,
  ingestAll,
  makeDealerRows,
  makersText,
  photoPath,
  readDealerRows,
  recordOf,
  runMergingJob,
  stockPhoto,
  type StockRow,
} from '../support/dealer-stock.ts';
import { forgetDuplicates } from '../support/dedup-setup.ts';
import { isSoak } from '../support/lane.ts';
import { startSite, type Site } from '../support/site-server.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

// Every row comes in through POST /api/ingest, its photo through the job that fetches it, and is merged by the background job.
const rows = makeDealerRows();
// Real rows from the shared data folder; skipped, and said so on stderr, where it is absent.
const real = commonest(readDealerRows());
let app: TestApp;
let workers: TestWorkers;
let admin: TestUser;
let site: Site;

beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app, { env: { fetchAllow: ['127.0.0.1'] } });
  admin = await app.createUser({ role: 'admin' });
  const photos = rows.map(async (row) => [photoPath(row), await stockPhoto(row)] as const);
  site = await startSite(Object.fromEntries(await Promise.all(photos)));
});
afterAll(async () => {
  await workers.close();
  await app.close();
  await site.close();
});
beforeEach(() => forgetDuplicates(app));

const portal = 'www.boattrader.com';
const told = (row: StockRow) => ({ description: makersText(row), images: [`${site.url}${photoPath(row)}`] });
const ways: [string, (row: StockRow) => BoatRecord][] = [
  ['from the sites of their dealers, with nothing but facts', (row) => recordOf(row)],
  ['from the sites of their dealers, with the text and the photo of the maker', (row) => recordOf(row, told(row))],
  [
    'from one portal, with the text and the photo of the maker',
    (row) => recordOf(row, { ...told(row), url: row['url'], site: portal }),
  ],
];

describe('boats of dealers', () => {
  test.each(ways)('%s, are neither merged nor shown as duplicates', async (_, toRecord) => {
    await ingestAll(app, admin, rows.map(toRecord));
    await workers.work('localize-images');
    const job = await runMergingJob(app, workers, admin);
    expect(job).toMatchObject({ state: 'completed', groups_merged: 0, listings_scanned: rows.length });
    expect(await countHarm(app)).toEqual({ gone: 0, suggested: 0 });
  });

  test('from two portals that do not say who sells are never merged, and shown only where price, year and town are one', async () => {
    await ingestAll(
      app,
      admin,
      rows.map((row, index) => {
        const { sellerId: _, ...raw_record } = row;
        const url = `https://portal${index % 2}.example.com/${row['id']}`;
        return recordOf(row, { ...told(row), url, site: undefined, raw_record });
      }),
    );
    await workers.work('localize-images');
    expect(await runMergingJob(app, workers, admin)).toMatchObject({ groups_merged: 0 });
    const { rows: groups } = await app.database.pool.query(`
      select count(*)::int as members, count(distinct (price_amount, year, city))::int as facts, count(distinct condition)::int as conditions
      from dedup_members m join listings l on l.id = m.listing_id where m.open group by group_id`);
    expect(new Set(groups.map((group) => JSON.stringify(group)))).toEqual(
      new Set([JSON.stringify({ members: 2, facts: 1, conditions: 1 })]),
    );
  });

  test('of members are neither merged nor shown, at the lowest threshold there is', async () => {
    const dealers = new Map<string, TestUser>();
    for (const row of rows) {
      const dealer = dealers.get(row['sellerId']!) ?? (await app.createUser());
      dealers.set(row['sellerId']!, dealer);
      const { url: _, category_hint: _hint, raw_record: _raw, site: _site, price, ...body } = recordOf(row);
      const location = { country: 'US', city: row['city'] || 'Detroit', shipping: false };
      const text = { title: `${body.title} #${row['id']}`, description: makersText(row) };
      const created = await app.as(dealer).post('/api/listings', {
        ...body,
        ...text,
        location,
        price: { ...(price as object), negotiable: false },
        category_id: 'motorboats',
      });
      expect(created.status, created.text).toBe(201);
    }
    expect(await runMergingJob(app, workers, admin, 0.5)).toMatchObject({ groups_merged: 0 });
    expect(await countHarm(app)).toEqual({ gone: 0, suggested: 0 });
  });
});

/** In lane `test` the rows of the ten models that most dealers have: those are most alike. */
function commonest(all: StockRow[] | undefined): StockRow[] | undefined {
  if (!all || isSoak) return all;
  const models = [...Map.groupBy(all, ({ make, model }) => `${make} ${model}`).values()];
  return models
    .toSorted((a, b) => b.length - a.length)
    .slice(0, 10)
    .flat();
}

/** One stock photo per model, as if it had been fetched for every row: ten thousand fetches would tell no more. */
async function showStockPhotos(): Promise<void> {
  await app.database.pool.query(`
    with models as (
      select distinct md5(coalesce(attributes->>'brand', '') || ' ' || coalesce(attributes->>'model', '')) as name from listings),
    stored as (
      insert into images (sha256, storage_key, thumbnail_key, width, height, bytes, dhash, created_at)
      select name || name, 'images/' || name || '.webp', 'images/' || name || '.webp', 640, 480, 1000,
        ('x' || substr(name, 1, 16))::bit(64)::bigint, now() from models
      on conflict do nothing)
    select 1`);
  await app.database.pool.query(`
    update listings set version = version + 1, images = jsonb_build_array(jsonb_build_object('key', 'images/' ||
      md5(coalesce(attributes->>'brand', '') || ' ' || coalesce(attributes->>'model', '')) || '.webp'))`);
}

describe.skipIf(!real)('rows of boats-boattrader-2019', () => {
  test.each([
    { how: 'with nothing but facts', isTold: false },
    { how: "with one maker's text and one stock photo per model", isTold: true },
  ])(
    '$how: no listing is merged, and at most 1 % of them stand in a group that waits for a decision',
    async ({ isTold }) => {
      const all = real ?? [];
      await ingestAll(
        app,
        admin,
        all.map((row) => recordOf(row, isTold ? { description: makersText(row) } : {})),
      );
      if (isTold) await showStockPhotos();
      const job = await runMergingJob(app, workers, admin);
      const { gone, suggested } = await countHarm(app);
      console.log(
        `boats-boattrader-2019 ${isTold ? 'told' : 'bare'}: ${all.length} rows, ${gone} gone, ${suggested} suggested`,
      );
      expect(job).toMatchObject({ state: 'completed', groups_merged: 0 });
      expect(gone).toBe(0);
      expect(suggested / all.length).toBeLessThanOrEqual(0.01);
    },
  );
});
