import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type Json, type TestApp } from '../support/app.ts';
import { startSite, type Route, type Site } from '../support/site-server.ts';
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

const names = [
  'Bavaria 37',
  'Hallberg-Rassy 342',
  'Najad 380',
  'Dehler 36',
  'Contest 32',
  'Vindö 40',
  'Halmatic 30',
  'Moody 33',
];
const card = (n: number) =>
  `<li class="card"><a href="/boats/${4_000 + n}-${n % 2 ? 'sloop' : 'ketch'}.html"><img src="/i/${n}.jpg">
   <h3>${names[n % names.length]} of the year ${1_990 + n}</h3></a> <span>€ ${20 + n}.500</span> Kiel, Germany</li>`;
const pager = (pages: number) =>
  `<nav class="pagination">${Array.from({ length: pages }, (_, i) => `<a href="/for-sale?page=${i + 1}">${i + 1}</a>`).join(' ')}</nav>`;
const list = (
  from: number,
) => `<title>Boats for sale</title><header><nav><a href="/">Home</a><a href="/about">About us</a>
  <a href="/contact">Contact</a></nav></header><main><h1>Boats for sale</h1><ul>${Array.from({ length: 6 }, (_, i) => card(from + i)).join('')}</ul>
  ${pager(3)}</main>`;
const thing = (n: number) =>
  `<title>${names[n % names.length]}</title><script type="application/ld+json">${JSON.stringify({
    '@type': 'Product',
    name: `${names[n % names.length]} of the year ${1_990 + n}`,
    image: [`https://images.example/${n}.jpg`],
    description: 'A well kept cruising yacht with new sails, ready to go.',
    offers: { '@type': 'Offer', price: 20_500 + n * 1_000, priceCurrency: 'EUR' },
  })}</script><h1>${names[n % names.length]} of the year ${1_990 + n}</h1><p>A sailing yacht.</p>`;

function boatSite(): Record<string, Route> {
  const things = Array.from({ length: 18 }, (_, n) => [
    `/boats/${4_000 + n}-${n % 2 ? 'sloop' : 'ketch'}.html`,
    thing(n),
  ]);
  const lists = [0, 6, 12].map((from, page) => [`/for-sale?page=${page + 1}`, list(from)]);
  return { ...Object.fromEntries([...things, ...lists]), '/for-sale': list(0), '/about': '<h1>About</h1>' };
}

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
