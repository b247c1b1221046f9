import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { startLearning } from '../../../shared/scrapers/learnings.ts';
import type { OutlineBlock, SiteProposal } from '../../../shared/scrapers/proposal.ts';
import { openRun } from '../../../shared/runs/runs.ts';
import { newScraperRun } from '../../../shared/scrapers/runs.ts';
import { loadScraperQuarantined } from '../../../workers/emails/scraper-quarantined.ts';
import { oneTo, table } from '../../scrapers/feeds/support.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath } from '../../support/browser.ts';
import { openConsole, type ConsolePage } from '../../support/console-page.ts';

const url = 'https://boats.example.com/sailing';
const password = 'a long password of the console';
const thing = 'https://boats.example.com/listing/4711';
const proposal: SiteProposal = {
  scraper: {
    ...{ name: 'Example Boats', site: 'boats.example.com', kind: 'http', start_urls: [url], category_id: null },
    ...{ link_pattern: '/listing/[a-z]+$', pagination_pattern: '[?&]page=\\d+', extract: { mode: 'structured' } },
  },
  links: { confidence: 0.6, examples: [thing], looked_at: 1, records: 1 },
  pagination: { confidence: 1, examples: [`${url}?page=2`] },
  category: { confidence: 0 },
  fields: [
    { name: 'title', filled: 1, confidence: 0.97, source: 'jsonld', samples: [{ url: thing, value: 'Najad 380' }] },
  ],
  pages: [{ url, role: 'list' }],
  notes: [],
};
const outline: OutlineBlock[] = [
  { kind: 'heading', text: '<img src=x onerror=alert(1)>' },
  { kind: 'link', text: 'Najad 380', url: thing },
  { kind: 'link', text: '2', url: `${url}?page=2` },
];

describe.skipIf(browserPath === undefined)('in a browser', () => {
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
  beforeEach(() => {
    opened.problems.length = 0;
  });

  describe('a site that was learnt, in the console', () => {
    const startedLearning = (scraperId: string | null) => {
      const { db, jobs, clock } = app.services;
      const learning = { url, scraperId, startedBy: admin.id, fetchAllow: [] };
      return inTransaction(db, (tx) => startLearning(tx, jobs, learning, clock.now()));
    };

    /** As if a scrapers process had looked at the site. */
    async function endLearning(id: string, proposed: SiteProposal): Promise<void> {
      const { db } = app.services;
      const page = { run_id: id, position: 0, url, html: Buffer.from('x'), outline: JSON.stringify(outline) };
      await db.insertInto('site_learning_pages').values(page).execute();
      const values = { proposal: JSON.stringify(proposed) };
      await db.updateTable('site_learnings').set(values).where('run_id', '=', id).execute();
      await db.updateTable('runs').set({ status: 'succeeded' }).where('id', '=', id).execute();
    }

    test('is shown on its saved page, is corrected, and makes a scraper', async () => {
      const id = await startedLearning(null);
      await endLearning(id, proposal);

      const { page: tab, visit, problems } = opened;
      await visit(`#/scrapers?learning=${id}`);
      await tab.getByText('0 links lead to things, 1 turns the page.').waitFor();
      await tab.getByText('<img src=x onerror=alert(1)>').waitFor();
      await tab.getByLabel('Pages with a record').fill('/listing/\\d+$');
      await tab.getByText('1 link leads to things, 1 turns the page.').waitFor();
      await tab.getByRole('button', { name: 'Make the scraper' }).click();
      await tab.getByText('Example Boats is made.').waitFor();
      const { body } = await app.as(admin).get('/api/admin/scrapers');
      expect(body.results).toEqual([
        expect.objectContaining({
          name: 'Example Boats',
          link_pattern: '/listing/\\d+$',
          pagination_pattern: '[?&]page=\\d+',
        }),
      ]);
      expect(problems).toEqual([]);
    });

    test('is learnt again from its scraper, whose rules of reading alone are changed', async () => {
      const client = app.as(admin);
      const settings = { name: 'Old Boats', start_urls: [url], schedule: '0 4 * * *', requests_per_minute: 7 };
      const { body: scraper } = await client.post('/api/admin/scrapers', { ...settings, link_pattern: '/ads/' });
      const { page: tab, visit, problems } = opened;
      await visit(`#/scrapers?id=${scraper.id}`);
      await tab.getByRole('button', { name: 'Learn the site again' }).click();
      await tab.getByText('0 of at most 21 pages').waitFor();
      const { rows } = await app.database.pool.query(
        `select run_id from site_learnings where scraper_id = '${scraper.id}'`,
      );
      await endLearning(rows[0].run_id, proposal);
      await tab.getByText('0 links lead to things, 1 turns the page.').waitFor();
      await tab.getByRole('button', { name: 'Save' }).click();
      await tab.getByText('Old Boats is changed.').waitFor();
      const { body } = await client.get(`/api/admin/scrapers?limit=1`);
      expect(body.results[0]).toMatchObject({
        ...settings,
        ...{ id: scraper.id, site: scraper.site, link_pattern: '/listing/[a-z]+$' },
      });
      expect(problems).toEqual([]);
    });

    test('is to be learnt again: the link of a mail leads to the run, through the login, and offers it', async () => {
      const { db, clock } = app.services;
      const { body: scraper } = await app
        .as(admin)
        .post('/api/admin/scrapers', { name: 'Odd Boats', start_urls: [url] });
      const runId = await inTransaction(db, async (tx) => {
        const run = newScraperRun({ scraperId: scraper.id, trigger: 'schedule', startedBy: admin.id });
        const id = await openRun(tx, run, clock.now());
        const reasons = ['4 % of its records have a price, where 97 % did before.'];
        const findings = { run_id: id, quarantine_reasons: reasons, quarantined_at: clock.now() };
        await tx.insertInto('run_findings').values(findings).execute();
        await tx.updateTable('runs').set({ status: 'failed' }).where('id', '=', id).execute();
        return id;
      });
      const oddities = [{ kind: 'field', field: 'price', now: 0.04, before: 0.97 }];
      const mail = await loadScraperQuarantined(app.services, { run_id: runId, oddities });
      const { page: tab, visit, problems } = opened;
      await visit(new URL(mail?.url ?? '').hash);
      await tab.getByText('4 % of its records have a price, where 97 % did before.').waitFor();
      await tab.getByRole('button', { name: 'Learn the site again' }).waitFor();
      const hash = await app.services.passwords.hash(password);
      await app.database.pool.query('update users set password_hash = $1', [hash]);
      await tab.evaluate(() => sessionStorage.clear());
      await tab.reload();
      await tab.getByLabel('Email').fill(admin.email);
      await tab.getByLabel('Password').fill(password);
      await tab.getByRole('button', { name: 'Log in' }).click();
      await tab.getByText('4 % of its records have a price, where 97 % did before.').waitFor();
      expect(problems).toEqual([]);
    });

    test('is never asked for by a scraper that reads a feed', async () => {
      const feed = { name: 'Stock', kind: 'feed', site: 'boats.example.com', feed: { preset: 'csv' } };
      const { body } = await app.as(admin).post('/api/admin/scrapers', feed);
      const { page: tab, visit } = opened;
      await visit(`#/scrapers?id=${body.id}`);
      await tab.getByText('Upload a feed and read it now').waitFor();
      expect(await tab.getByRole('button', { name: 'Learn the site again' }).count()).toBe(0);
    });
  });

  describe('a feed, in the console', () => {
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
});
