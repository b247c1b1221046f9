import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneTo, table } from '../../scrapers/feeds/support.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath } from '../../support/browser.ts';
import { openConsole, type ConsolePage } from '../../support/console-page.ts';

describe.skipIf(browserPath === undefined)('a feed, in the console', () => {
  let app: TestApp;
  let admin: TestUser;
  let opened: ConsolePage;

  beforeAll(async () => {
    app = await startApp();
    admin = await app.createUser({ role: 'admin' });
    opened = await openConsole(app, admin);
  });
  afterAll(async () => {
    await opened.close();
    await app.close();
  });

  const file = (content: string) => ({ name: 'stock.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });

  test('is described, tried with a file, saved, and read when it is uploaded', async () => {
    const { page: tab, visit, problems } = opened;
    await visit('#/scrapers?making=1');
    await tab.getByLabel('What is read').selectOption('feed');
    await tab.getByLabel('Name', { exact: true }).fill('Our boatyard');
    await tab.getByRole('textbox', { name: /^Site The host/ }).fill('boats.example.com');
    await tab.getByLabel('Form of the feed').selectOption('csv');
    await tab.getByLabel('My mapping, as JSON').fill('{"fields": {"title": "city"');
    await tab
      .getByLabel('Try it with a file')
      .setInputFiles(file(`${table(oneTo(2))}https://elsewhere.example/1,Lost boat,,1,EUR,Kiel,DE\n`));
    await tab.getByRole('button', { name: 'Preview' }).click();
    await tab.getByText('The mapping is no JSON.').waitFor();
    await tab.getByLabel('My mapping, as JSON').fill('{"fields": {"title": ["city", "title"]}}');
    await tab.getByRole('button', { name: 'Preview' }).click();
    const items = tab.getByRole('table', { name: 'First items' });
    await items.getByText('https://boats.example.com/boats/2').waitFor();
    await items.getByText('40,002 EUR').or(items.getByText('40002 EUR')).waitFor();
    await items.getByText('The address https://elsewhere.example/1 is not on the site boats.example.com.').waitFor();
    await tab.getByRole('button', { name: 'Make the scraper' }).click();
    await tab.getByText('Our boatyard is made.').waitFor();

    const client = app.as(admin);
    const [scraper] = (await client.get('/api/admin/scrapers')).body.results;
    expect(scraper).toMatchObject({
      ...{ name: 'Our boatyard', kind: 'feed', site: 'boats.example.com', start_urls: [], last_run: null },
      feed: { preset: 'csv', mode: 'full', fields: { title: ['city', 'title'] } },
    });
    await visit(`#/scrapers?id=${scraper.id}`);
    await tab.getByLabel('Upload a feed and read it now').setInputFiles(file(table(oneTo(2))));
    await tab.getByText('Our boatyard: queued.').waitFor();
    const { body } = await client.get(`/api/admin/scrapers/${scraper.id}/runs`);
    expect(body.results).toEqual([expect.objectContaining({ status: 'queued', trigger: 'manual' })]);
    expect(problems).toEqual([]);
  });

  test('that was saved is shown as it is, and saved again as it was', async () => {
    const feed = { preset: null, format: 'json', fields: { id: 'ref', title: 'name' }, mode: 'delta' };
    const settings = { name: 'Stock', kind: 'feed', site: 'boats.example.com', feed };
    const client = app.as(admin);
    const { body: scraper } = await client.post('/api/admin/scrapers', settings);
    const { page: tab, visit, problems } = opened;
    await visit(`#/scrapers?id=${scraper.id}`);
    expect(await tab.getByLabel('Form of the feed').inputValue()).toBe('');
    expect(await tab.getByLabel('What a feed holds').inputValue()).toBe('delta');
    expect(JSON.parse(await tab.getByLabel('My mapping, as JSON').inputValue())).toEqual({
      format: 'json',
      fields: { id: 'ref', title: 'name' },
    });
    await tab.getByRole('button', { name: 'Save' }).click();
    await tab.getByText('Stock is changed.').waitFor();
    const { body } = await client.get('/api/admin/scrapers?limit=1');
    expect(body.results[0]).toMatchObject({ id: scraper.id, site: 'boats.example.com', feed });
    expect(problems).toEqual([]);
  });
});
