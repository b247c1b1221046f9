import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type Json, type TestApp } from '../support/app.ts';
import { startSite, type Site } from '../support/site-server.ts';
import { boatSite, list } from './learn/boat-site.ts';
import { runToItsEnd, startFleet, until, type Fleet } from './run-support.ts';

let app: TestApp;
let fleet: Fleet;
let admin: Client;
let site: Site | undefined;

beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1', LOG_LEVEL: 'silent' } });
  admin = app.as(await app.createUser({ role: 'admin' }));
  fleet = await startFleet(app);
});
afterEach(async () => {
  await site?.close();
  site = undefined;
});
afterAll(async () => {
  await fleet.stop();
  await app.close();
});

async function learn(url: string, fields: Json = {}): Promise<Json> {
  const started = await admin.post('/api/admin/scrapers/learn', { url, ...fields });
  expect(started.status, started.text).toBe(202);
  return until(
    async () => (await admin.get(`/api/admin/learnings/${started.body.id}`)).body,
    ({ status }) => ['succeeded', 'failed', 'cancelled'].includes(status),
  );
}

describe('a site that is learnt', () => {
  test('is proposed with its links, pagination and fields, and the scraper that is saved finds its listings', async () => {
    site = await startSite(boatSite());
    const learnt = await learn(`${site.url}/for-sale`);
    expect(learnt, JSON.stringify(learnt.error)).toMatchObject({ status: 'succeeded', error: null, scraper_id: null });
    const { proposal, pages } = learnt;
    expect(pages.length).toBeLessThanOrEqual(21);
    expect(pages[0]).toEqual({ position: 0, url: `${site.url}/for-sale`, rendered: false, problem: null });
    const { scraper, links, fields } = proposal;
    expect(scraper).toMatchObject({
      kind: 'http',
      start_urls: [`${site.url}/for-sale`],
      extract: { mode: 'structured' },
    });
    const link = new RegExp(scraper.link_pattern);
    const pagination = new RegExp(scraper.pagination_pattern);
    expect([link.test(`${site.url}/boats/4999-yawl.html`), link.test(`${site.url}/about`)]).toEqual([true, false]);
    expect([
      pagination.test(`${site.url}/for-sale?page=9`),
      pagination.test(`${site.url}/boats/4001-sloop.html`),
    ]).toEqual([true, false]);
    expect(links.records).toBeGreaterThanOrEqual(3);
    expect(proposal.pagination.confidence).toBe(1);
    expect(fields.map(({ name }: Json) => name)).toEqual(
      expect.arrayContaining(['title', 'price', 'images', 'description']),
    );
    const made = await admin.post('/api/admin/scrapers', { ...scraper, requests_per_minute: 6000 });
    expect(made.status, made.text).toBe(201);
    const run = await runToItsEnd(admin, made.body.id);
    expect(run).toMatchObject({ status: 'succeeded', created: 18 });
  });

  test('from its home page, which shows a few things, starts from the whole list as well', async () => {
    const few = list(0).replace(/<nav class="pagination">.*?<\/nav>/, '');
    const home = few.replace('<a href="/">Home</a>', '<a href="/for-sale">Boats for sale</a>');
    site = await startSite({ ...boatSite(), '/': home });
    const { proposal } = await learn(`${site.url}/`);
    expect(proposal.scraper.start_urls).toEqual([`${site.url}/`, `${site.url}/for-sale`]);
    const made = await admin.post('/api/admin/scrapers', { ...proposal.scraper, requests_per_minute: 6000 });
    expect(await runToItsEnd(admin, made.body.id)).toMatchObject({ status: 'succeeded', records_found: 18 });
  });

  test('shows its saved pages without anything that could run', async () => {
    site = await startSite({ '/for-sale': `${list(0)}<script>alert(1)</script><img src=x onerror="alert(2)">` });
    const learnt = await learn(`${site.url}/for-sale`);
    const { status, body, text } = await admin.get(`/api/admin/learnings/${learnt.id}/pages/0`);
    expect(status).toBe(200);
    expect(body.blocks).toContainEqual({ kind: 'heading', text: 'Boats for sale' });
    expect(text).not.toMatch(/alert|onerror/);
    expect((await admin.get(`/api/admin/learnings/${learnt.id}/pages/900`)).status).toBe(404);
  });

  test('obeys robots.txt: a page that it forbids is not asked for, and the failure says so', async () => {
    site = await startSite({ '/robots.txt': 'User-agent: *\nDisallow: /for-sale', '/for-sale': list(0) });
    const learnt = await learn(`${site.url}/for-sale`);
    expect(learnt).toMatchObject({ status: 'failed', error: 'robots.txt does not allow this page.', proposal: null });
    expect(site.hits.get('/for-sale')).toBeUndefined();
  });
});

describe('the site of a scraper that is learnt again', () => {
  const make = async (fields: Json): Promise<Json> => {
    const made = await admin.post('/api/admin/scrapers', { name: 'My boats', requests_per_minute: 6000, ...fields });
    expect(made.status, made.text).toBe(201);
    return made.body;
  };

  test('is read by what is proposed, and keeps its name, its site, all its start addresses and its category', async () => {
    site = await startSite({ ...boatSite(), '/more': list(12) });
    const start_urls = [`${site.url}/for-sale`, `${site.url}/more`];
    const old = { start_urls, link_pattern: '/ads/\\d+$', pagination_pattern: null, category_id: 'tenders' };
    const scraper = await make(old);
    const { proposal, ...learnt } = await learn(start_urls[0] ?? '', { scraper_id: scraper.id });
    expect(learnt).toMatchObject({ status: 'succeeded', scraper_id: scraper.id });
    const { name, site: host, category_id } = scraper;
    expect(proposal.scraper).toMatchObject({ name, site: host, category_id, start_urls });
    const saved = await admin.patch(`/api/admin/scrapers/${scraper.id}`, proposal.scraper);
    expect(saved.body, saved.text).toMatchObject({ start_urls, link_pattern: proposal.scraper.link_pattern });
    expect(await runToItsEnd(admin, scraper.id)).toMatchObject({ status: 'succeeded', records_found: 18 });
  });

  test('starts from a page that it was learnt from as well, beside what it started from', async () => {
    site = await startSite(boatSite());
    const old = `${site.url}/moved`;
    const scraper = await make({ start_urls: [old], link_pattern: '/ads/\\d+$' });
    const { proposal } = await learn(`${site.url}/for-sale`, { scraper_id: scraper.id });
    expect(proposal.scraper.start_urls).toEqual([old, `${site.url}/for-sale`]);
  });

  test('400 for a scraper that reads a feed', async () => {
    const feed = await make({ kind: 'feed', site: 'boats.example.com', feed: { preset: 'csv' } });
    const url = 'https://boats.example.com/';
    const { status, body } = await admin.post('/api/admin/scrapers/learn', { url, scraper_id: feed.id });
    expect([status, body.error.details.errors[0].path]).toEqual([400, '/body/scraper_id']);
  });
});

describe('POST /api/admin/scrapers/learn', () => {
  test('400 for an address of a private network, and for a scraper that there is not', async () => {
    const refused = await admin.post('/api/admin/scrapers/learn', { url: 'http://10.0.0.1/boats' });
    expect(refused.body.error).toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/body/url' }] },
    });
    const unknown = { url: 'https://boats.example.com/', scraper_id: 'scr_none' };
    const { body } = await admin.post('/api/admin/scrapers/learn', unknown);
    expect(body.error.details.errors).toEqual([
      { path: '/body/scraper_id', message: "There is no scraper 'scr_none'." },
    ]);
  });

  test('409 while the site is being learnt; cancelled, it has ended for good', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    site = await startSite({ '/for-sale': async (_request, response) => (await held, response.end(list(0))) });
    const { body } = await admin.post('/api/admin/scrapers/learn', { url: `${site.url}/for-sale` });
    expect((await admin.post('/api/admin/scrapers/learn', { url: `${site.url}/other` })).status).toBe(409);
    const cancelled = await admin.post(`/api/admin/learnings/${body.id}/cancel`);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', proposal: null });
    expect((await admin.post(`/api/admin/learnings/${body.id}/cancel`)).status).toBe(409);
    release();
  });
});
