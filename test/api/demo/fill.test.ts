import { afterAll, describe, expect, test } from 'vitest';
import { createDemo } from '../../../api/demo/demo.ts';
import { fillMarketplace, findObjection } from '../../../api/demo/fill.ts';
import { serveHarbourBoard } from '../../../api/demo/harbour-board.ts';
import { createMovableClock } from '../../../api/demo/past.ts';
import { readDemoStock } from '../../../api/demo/stock.ts';
import { findShowpiece, tell } from '../../../api/demo/tell.ts';
import { systemClock } from '../../../shared/kit/clock.ts';
import { closeApps, startApp } from '../../support/app.ts';

afterAll(closeApps);

const EVERY = 8;

/** A marketplace with an administrator, and the demo that fills it with every eighth listing and few visitors. */
async function openDemo(profile: 'nautical' | 'general') {
  const clock = createMovableClock(systemClock);
  const app = await startApp({ profile, clock, env: { FETCH_ALLOW: '127.0.0.1' } });
  const admin = await app.createUser({ role: 'admin' });
  const stock = readDemoStock(profile).filter((_, n) => n % EVERY === 0);
  const filling = { stock, crowd: 0.05, origin: 'http://127.0.0.1:9', scrapeWaitMs: 0, print: () => {} };
  return { app, admin, demo: createDemo(app.services, clock), filling };
}

describe.each(['nautical', 'general'] as const)('the demo of the %s marketplace', (profile) => {
  test(
    'shows thirty days of life on pages and in the console, and a second run adds nothing',
    { timeout: 300_000 },
    async () => {
      const { app, admin, demo, filling } = await openDemo(profile);
      expect(await findObjection(demo)).toBeUndefined();
      await fillMarketplace(demo, filling);

      const page = async (path: string) => {
        const response = await fetch(app.url + path, { headers: { Accept: 'text/html' } });
        expect(response.status, path).toBe(200);
        return response.text();
      };
      const home = await page('/');
      expect(home.match(/<article|class="card/g)?.length ?? 0).toBeGreaterThanOrEqual(12);
      const listing = await findShowpiece(demo);
      expect(await page(`/listings/${listing!.slug}`)).toContain('.webp');
      expect(await page('/rentals')).toContain('.webp');

      const client = app.as(admin);
      const countEverything = async () => {
        const [stats, kpis, analytics, flagged] = await Promise.all(
          ['stats', 'kpis', 'analytics', 'flagged'].map((path) => client.get(`/api/admin/${path}`)),
        );
        return {
          stats: stats!.body.listings,
          kpis: kpis!.body.totals,
          analytics: analytics!.body,
          flagged: flagged!.body,
        };
      };
      const counted = await countEverything();
      expect(counted.stats.total).toBeGreaterThanOrEqual(filling.stock.length);
      expect(counted.stats.by_status.active).toBeGreaterThan(filling.stock.length * 0.4);
      expect(counted.stats.by_status.sold).toBeGreaterThan(5);
      expect(counted.flagged.results.length).toBeGreaterThan(0);
      expect(counted.kpis.contacts).toBeGreaterThan(10);
      expect(
        counted.analytics.pageViews.byDay.filter(({ count }: { count: number }) => count > 0).length,
      ).toBeGreaterThan(25);
      expect(counted.analytics.searches.zeroHits.length).toBeGreaterThan(0);
      expect(counted.analytics.listingViews.total).toBeGreaterThan(100);
      const scrapers = await client.get('/api/admin/scrapers');
      expect(scrapers.body.results).toMatchObject([{ name: 'Harbour board', schedule: '0 4 * * *' }]);

      expect(await findObjection(demo)).toBeUndefined();
      expect(await fillMarketplace(demo, filling)).toBeUndefined();
      const again = await countEverything();
      expect(again.stats).toEqual(counted.stats);
      expect(again.analytics.pageViews).toEqual(counted.analytics.pageViews);
      expect(await tell(demo, undefined)).toMatch(/nothing was added[\s\S]*\/listings\/[\s\S]*seller1@demo\.example/);
    },
  );
});

test('refuses to fill a marketplace that has content of its own, and one without an administrator', async () => {
  const app = await startApp();
  const demo = createDemo(app.services, createMovableClock(systemClock));
  expect(await findObjection(demo)).toMatch(/administrator/);
  await app.createUser({ role: 'admin' });
  expect(await findObjection(demo)).toBeUndefined();
  await app.createUser();
  expect(await findObjection(demo)).toMatch(/content of its own/);
});

test('goes on with what is missing after it was cut off, and lists nothing twice', { timeout: 300_000 }, async () => {
  const { app, demo, filling } = await openDemo('nautical');
  const cutOff = {
    ...filling,
    print: (line: string) => {
      if (line.includes('10 of 30 days')) throw new Error('cut off');
    },
  };
  await expect(fillMarketplace(demo, cutOff)).rejects.toThrow('cut off');
  expect(await findObjection(demo)).toBeUndefined();
  await fillMarketplace(demo, filling);
  const { rows } = await app.services.pool.query<{ n: number }>(
    'select count(*)::int as n from listings group by seller_id, title having count(*) > 1',
  );
  expect(rows).toEqual([]);
});

test('the harbour board gives a scraper its notices, and a feed of them', async () => {
  const site = await serveHarbourBoard('nautical', 0);
  const { port } = site.address() as { port: number };
  const board = `http://127.0.0.1:${port}`;
  const text = async (path: string) => (await fetch(board + path)).text();
  expect(await text('/robots.txt')).toContain('Allow');
  expect(await text('/')).toContain('/page-2');
  expect(await text('/notices/contessa-32-merry-dance')).toContain('£ 21,500');
  expect((await fetch(`${board}/notices/contessa-32-merry-dance.jpg`)).headers.get('content-type')).toBe('image/jpeg');
  expect((await text('/stock.csv')).split('\n')).toHaveLength(10);
  expect((await fetch(`${board}/nothing`)).status).toBe(404);
  site.close();
});
