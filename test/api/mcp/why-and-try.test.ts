import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFleet, type Fleet } from '../../scrapers/run-support.ts';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody, listingBody } from '../../support/listing-bodies.ts';
import { connectMcp } from '../../support/mcp-client.ts';
import { publishListing } from '../../support/public-pages.ts';
import { startSite, type Site } from '../../support/site-server.ts';

let app: TestApp;
let owner: TestUser;
let mcp: Awaited<ReturnType<typeof connectMcp>>;
beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
  owner = await app.createUser({ name: 'Ada' });
  mcp = await connectMcp(app, owner.token);
});
afterAll(closeApps);

describe('why_not_published', () => {
  const why = (id: string) => mcp.call('why_not_published', { id });

  test('says of a published listing that the search has it, and which filters leave it out', async () => {
    const { id } = await publishListing(app, owner);
    expect((await why(id)).data).toMatchObject({
      id,
      status: 'active',
      in_search: true,
      reasons: ['It has no photo.'],
    });
    const bare = await publishListing(app, owner, {
      price: { amount: 0, currency: 'EUR', negotiable: true },
      location: { country: 'ES', city: 'Nowhere-on-no-map', shipping: false },
    });
    const { data } = await why(bare.id);
    expect(data.reasons.join(' ')).toMatch(/no price.*no coordinates.*no photo/);
  });

  test('names the state of what is not published, and what to do next', async () => {
    const { body: draft } = await app.as(owner).post('/api/listings', listingBody());
    const told = await why(draft.id);
    expect(told.data).toMatchObject({ status: 'draft', in_search: false });
    expect(told.text).toContain('publish_listing');
    const { id } = await publishListing(app, owner);
    for (const [status, word] of [
      ['paused', '/resume'],
      ['expired', '/renew'],
      ['flagged', 'moderator'],
      ['sold', 'sold'],
    ] as const) {
      await app.database.pool.query('update listings set status = $2 where id = $1', [id, status]);
      const { data } = await why(id);
      expect([data.in_search, data.reasons[0]]).toEqual([false, expect.stringContaining(word)]);
    }
  });

  test('judges a draft as publishing it would', async () => {
    const links = Array.from({ length: 8 }, (_, index) => `https://spam${index}.example.com/x`).join(' ');
    const record = ingestBody({ description: `Look ${links}` });
    const { body } = await app.as(owner).post('/api/ingest', { records: [record] });
    const { data } = await why(body.ids[record.url]);
    expect(data.reasons.join(' ')).toContain('It cannot be published like this: ');
  });

  test('does not see what the search does not find', async () => {
    const { id } = await publishListing(app, owner);
    const stranger = await app.createUser();
    const other = await connectMcp(app, stranger.token);
    await app.database.pool.query(`update listings set status = 'draft' where id = $1`, [id]);
    expect((await other.call('why_not_published', { id })).text).toMatch(/^not_found/);
  });
});

describe('try_scraper_on_page', () => {
  const page = `<html><head><title>Bavaria 37</title><script type="application/ld+json">${JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: 'Bavaria 37 Cruiser',
    description: 'A well kept cruising yacht with new sails.',
    offers: { '@type': 'Offer', price: 45_000, priceCurrency: 'EUR' },
  })}</script></head><body><h1>Bavaria 37 Cruiser</h1></body></html>`;
  let site: Site;
  let fleet: Fleet;
  let admin: TestUser;
  let scraperId: string;
  let call: Awaited<ReturnType<typeof connectMcp>>['call'];
  beforeAll(async () => {
    site = await startSite({ '/ads/1': page });
    fleet = await startFleet(app);
    admin = await app.createUser({ role: 'admin' });
    const fields = { name: 'Boats', start_urls: [`${site.url}/`], link_pattern: '/ads/' };
    scraperId = (await app.as(admin).post('/api/admin/scrapers', fields)).body.id;
    ({ call } = await connectMcp(app, admin.token));
  });
  afterAll(async () => {
    await fleet.stop();
    await site.close();
  });

  test('shows what is read from the page, and stores nothing', async () => {
    const countKnownPages = async () => (await app.as(admin).get('/api/ingest/refresh/stats')).body.total;
    const before = await countKnownPages();
    const tried = await call('try_scraper_on_page', { scraper_id: scraperId, url: `${site.url}/ads/1` });
    expect(tried.data, tried.text).toMatchObject({
      state: 'completed',
      error: null,
      found: 1,
      records: [{ title: 'Bavaria 37 Cruiser', price: { amount: 45_000, currency: 'EUR' } }],
    });
    const again = await call('try_scraper_on_page', { job_id: tried.data.job_id });
    expect(again.data).toEqual(tried.data);
    expect(await countKnownPages()).toBe(before);
  }, 60_000);

  test('tells why a page was not read', async () => {
    const gone = await call('try_scraper_on_page', { scraper_id: scraperId, url: `${site.url}/ads/none` });
    expect(gone.data, gone.text).toMatchObject({ found: 0, error: expect.stringMatching(/\w/) });
    const foreign = { scraper_id: scraperId, url: 'https://other.example.com/ads/1' };
    expect((await call('try_scraper_on_page', foreign)).text).toMatch(
      /^validation_error.*\n- \/body\/url: must be a page/,
    );
    expect((await call('try_scraper_on_page', { url: `${site.url}/ads/1` })).text).toMatch(/^validation_error: Name/);
    const run = await call('run_scraper', { scraper_id: scraperId, confirm: true });
    const { body: jobs } = await app.as(admin).get('/api/admin/jobs?queue=run-scraper');
    expect(run.isError).toBe(false);
    expect((await call('try_scraper_on_page', { job_id: jobs.results[0].id })).isError).toBe(true);
    const someone = await connectMcp(app, owner.token);
    expect((await someone.call('try_scraper_on_page', foreign)).text).toMatch(/^forbidden/);
  }, 60_000);
});
