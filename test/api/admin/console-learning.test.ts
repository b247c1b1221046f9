import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { startLearning } from '../../../shared/scrapers/learnings.ts';
import type { OutlineBlock, SiteProposal } from '../../../shared/scrapers/proposal.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath } from '../../support/browser.ts';
import { openConsole, type ConsolePage } from '../../support/console-page.ts';

const url = 'https://boats.example.com/sailing';
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

describe.skipIf(browserPath === undefined)('a site that was learnt, in the console', () => {
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

  test('is shown on its saved page, is corrected, and makes a scraper', async () => {
    const { db, jobs, clock } = app.services;
    const id = await inTransaction(db, (tx) =>
      startLearning(tx, jobs, { url, scraperId: null, startedBy: admin.id, fetchAllow: [] }, clock.now()),
    );
    const page = { run_id: id, position: 0, url, html: Buffer.from('x'), outline: JSON.stringify(outline) };
    await db.insertInto('site_learning_pages').values(page).execute();
    await db
      .updateTable('site_learnings')
      .set({ proposal: JSON.stringify(proposal) })
      .where('run_id', '=', id)
      .execute();
    await db.updateTable('runs').set({ status: 'succeeded' }).where('id', '=', id).execute();

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
});
