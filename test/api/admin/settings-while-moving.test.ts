import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeApps, startApp, type Client, type TestApp } from '../../support/app.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { storeListings } from '../listings/search-fixture.ts';

const LISTINGS = 3_000;

let app: TestApp;
let admin: Client;
let workers: TestWorkers;
beforeAll(async () => {
  app = await startApp();
  admin = app.as(await app.createUser({ role: 'admin' }));
  workers = await startWorkers(app);
});
afterAll(async () => {
  await workers.close();
  await closeApps();
});

test('while thousands of listings are moved, no answer fails, and every one finds all of them by either id', async () => {
  await storeListings(
    app,
    await app.createUser(),
    Array.from({ length: LISTINGS }, (_, n) => ({ title: `Racer number ${n}`, category_id: 'racing' })),
  );
  const names = {
    en: 'Regatta',
    es: 'Regata',
    fr: 'Régate',
    de: 'Regatta',
    it: 'Regata',
    ko: '레가타',
    ja: 'レガッタ',
  };
  const wish = { id: 'regatta', name: names, parent_id: 'sailboats' };
  const readers = ['racing', 'regatta', 'sailboats'];
  let isMoving = true;
  const answers: [status: number, total: number][] = [];
  async function read(category: string): Promise<void> {
    while (isMoving) {
      const { status, body } = await app.as().get(`/api/listings?category=${category}&facets=category&limit=5`);
      answers.push([status, body.pagination?.total]);
    }
  }
  expect((await admin.put('/api/admin/categories/racing', wish)).body.run_id).toMatch(/^run_/);
  const reading = readers.map(read);
  await workers.work('move-listings');
  isMoving = false;
  await Promise.all(reading);
  expect(answers.length).toBeGreaterThan(0);
  expect(answers.filter(([status, total]) => status !== 200 || total !== LISTINGS)).toEqual([]);
  const { rows } = await app.database.pool.query('select category_id, count(*)::int as n from listings group by 1');
  expect(rows).toEqual([{ category_id: 'regatta', n: LISTINGS }]);
}, 120_000);
