import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath } from '../../support/browser.ts';
import { openConsole, type ConsolePage } from '../../support/console-page.ts';
import { offer } from '../../support/dedup-groups.ts';
import { ingestBody } from '../../support/listing-bodies.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

describe.skipIf(browserPath === undefined)('in a browser', () => {
  let app: TestApp;
  let workers: TestWorkers;
  let admin: TestUser;
  let open: ConsolePage;
  let page: Page;
  beforeAll(async () => {
    app = await startApp();
    workers = await startWorkers(app);
    admin = await app.createUser({ role: 'admin' });
    open = await openConsole(app, admin);
    ({ page } = open);
  });
  afterAll(async () => {
    await open?.close();
    await workers?.close();
    await app?.close();
  });
  beforeEach(() => {
    open.problems.length = 0;
  });

  const section = (name: string) => page.getByRole('region', { name, exact: true });
  const told = (text: string) => page.getByRole('status').getByText(text).waitFor();
  /** The first cells of each row but the head. */
  const cellsOf = (table: Locator, count: number) =>
    table
      .locator('tbody tr')
      .evaluateAll(
        (rows, n) => rows.map((row) => [...row.children].slice(0, n).map((cell) => cell.textContent)),
        count,
      );

  describe('searches', () => {
    const searches = () => section('Searches');
    const failed = () => searches().getByRole('table', { name: 'Searches that found nothing' });
    const slow = () => searches().getByRole('table', { name: 'Slow searches' });
    const note = (q: string, network: number, ms: number) =>
      app.services.searchTerms.record({ q, results: 1, hasFailed: false, ms }, `198.51.100.${network}`, '');

    test('that found nothing or took long are told, of as many days as were chosen', async () => {
      await open.visit('#/overview');
      await searches().getByText('What people look for and do not find will stand here.').waitFor();
      await searches().getByText('Searches that take a tenth of a second or more will stand here.').waitFor();

      const headers = { 'User-Agent': 'Mozilla/5.0 Firefox/140.0' };
      for (const q of ['Xylophone <b>', 'Xylophone <b>&country=DE', 'submarine'])
        expect((await app.as().get(`/api/listings?q=${q}`, { headers })).status).toBe(200);
      note('old boat', 1, 14_000);
      note('new boat', 1, 99);
      await app.services.searchTerms.flush();
      await app.database.pool.query(
        `insert into search_queries (day, query, searches, misses) values (current_date - 10, 'zeppelin', 5, 5)`,
      );

      await open.visit('#/overview');
      await failed().getByText('zeppelin').waitFor();
      expect(await cellsOf(failed(), 2)).toEqual([
        ['zeppelin', '5'],
        ['Xylophone <b>', '2'],
        ['submarine', '1'],
      ]);
      // What the machine was slow at may follow.
      expect((await cellsOf(slow(), 4))[0]).toEqual(['old boat', '1', '14 s', '14 s']);
      expect(await slow().getByText('new boat').count()).toBe(0);
      await searches().getByLabel('Days').selectOption('7');
      await failed().getByText('zeppelin').waitFor({ state: 'detached' });
      expect(await failed().getByText('submarine').count()).toBe(1);
      expect(page.url()).toContain('#/overview?days=7');
      expect(await section('Key figures').getByRole('combobox', { name: 'Days' }).inputValue()).toBe('7');
      await searches().getByLabel('Days').selectOption('365');
      await searches().getByText('known for 90 days').waitFor();
      expect(open.problems).toEqual([]);
    });

    test('are told of once the server answers again', async () => {
      await page.route('**/api/admin/analytics*', (route) => route.abort());
      await open.visit('#/overview');
      await searches().getByRole('alert').getByText('The server does not answer.').waitFor();
      await page.unroute('**/api/admin/analytics*');
      await searches().getByRole('button', { name: 'Try again' }).click();
      await failed().getByText('zeppelin').waitFor();
      await searches().getByText('live', { exact: true }).waitFor();
      expect(await searches().getByRole('alert').count()).toBe(0);
    });
  });

  test('a reimport is looked at field by field before it is written', async () => {
    const raw = { title: 'Nimbus 305 Coupé', price: '98.000 €', properties: { Baujahr: '2017' } };
    const price = { amount: 98, currency: 'EUR' };
    await app.as(admin).post('/api/ingest', {
      records: [
        ingestBody({ title: 'Nimbus <b>305</b>', raw_record: raw, price, attributes: { brand: 'Nimbus', year: 2007 } }),
        ingestBody({ raw_record: { page: 4711 } }),
      ],
    });
    const runs = section("Reimport with today's rules");
    const dialog = (name: string) => page.getByRole('dialog', { name });
    await open.visit('#/scrapers');
    await runs.getByRole('button', { name: 'Compare' }).click();
    await told('Reimport: queued, it only compares.');
    await workers.work('reimport-listings');
    await runs.getByRole('row').filter({ hasText: 'succeeded' }).click();
    const lines = dialog('What would change').locator('.differences > div');
    await lines.filter({ hasText: 'price€98 → €98,000' }).waitFor();
    await lines.filter({ hasText: 'attributes: year2007 → 2017' }).waitFor();
    await lines.filter({ hasText: 'titleNimbus <b>305</b> → Nimbus 305 Coupé' }).waitFor();
    await dialog('What would change').getByText('1 of 2 listings differ').waitFor();
    await dialog('What would change').getByText('The raw record holds no title').waitFor();
    await dialog('What would change').getByLabel('Field').selectOption('price (1)');
    await lines.filter({ hasText: 'price' }).waitFor();
    await page.keyboard.press('Escape');

    await runs.getByRole('button', { name: 'Apply', exact: true }).click();
    await dialog('Map everything again?').getByRole('button', { name: 'Apply it' }).click();
    await told('Reimport: queued.');
    await workers.work('reimport-listings');
    await runs.getByRole('row').filter({ hasText: 'applied' }).filter({ hasText: 'succeeded' }).click();
    await dialog('What has changed').locator('.differences').getByText('€98,000').waitFor();
    expect(open.problems).toEqual([]);
  });

  test('on a phone the rail shows where one is, an empty list says so, and nothing is wider than the page', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open.visit('#/moderation');
    await page.getByText('No listing is reported.').waitFor();
    for (const path of ['overview', 'scrapers', 'requests']) {
      await open.visit(`#/${path}`);
      const current = page.getByRole('navigation', { name: 'Console' }).locator('[aria-current=page]');
      await current.waitFor();
      await expect
        .poll(async () => {
          const { x = -1, width = 0 } = (await current.boundingBox()) ?? {};
          return x >= 0 && x + width <= 390;
        })
        .toBe(true);
      await page.getByText('loading …').first().waitFor({ state: 'detached' });
      expect(await page.evaluate('document.querySelector("main").scrollWidth')).toBeLessThanOrEqual(390);
    }
    expect(open.problems).toEqual([]);
  });

  describe('live', () => {
    let seller: TestUser;
    let reader: TestUser;
    beforeAll(async () => {
      seller = await app.createUser();
      reader = await app.createUser();
      await page.setViewportSize({ width: 1280, height: 800 });
    });
    const flag = async (title: string) => {
      const { id } = await offer(app, seller, { title });
      const { status } = await app.as(reader).post(`/api/listings/${id}/flag`, { reason: 'fraud' });
      expect(status).toBe(201);
    };
    const shown = (title: string) => page.getByText(title).first();

    test('what changes is shown by the event alone: without one nothing is asked again', async () => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await open.load('#/moderation?tab=reports');
      await page.getByText('No listing is reported.').waitFor();
      expect(asked.filter((path) => path === '/api/events/stream')).toHaveLength(1);
      const before = asked.filter((path) => path === '/api/admin/flagged').length;
      await flag('A boat that is reported while one looks');
      await shown('A boat that is reported while one looks').waitFor();
      expect(asked.filter((path) => path === '/api/admin/flagged').length).toBeGreaterThan(before);
      expect(open.problems).toEqual([]);
    });

    test('cut off, the console says that it is offline, and afterwards shows what it has missed', async () => {
      await open.visit('#/moderation?tab=reports');
      await shown('A boat that is reported while one looks').waitFor();
      await page.context().setOffline(true);
      await page.getByText('Offline: what is shown may be old.').waitFor();
      await flag('A boat that is reported meanwhile');
      await page.context().setOffline(false);
      await shown('A boat that is reported meanwhile').waitFor();
      await page.getByText('Offline: what is shown may be old.').waitFor({ state: 'detached' });
      expect(open.problems.filter((problem) => !problem.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
    });
  });
});
