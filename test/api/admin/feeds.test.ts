import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formOf, newFeed, oneTo, runOf, table, upload } from '../../scrapers/feeds/support.ts';
import { openMarine } from '../../shared/feeds/support.ts';
import { startApp, type Client, type Json, type TestApp } from '../../support/app.ts';
import { startSite, type Site } from '../../support/site-server.ts';

describe.each(['nautical', 'general'] as const)('feeds of a %s marketplace', (profile) => {
  let app: TestApp;
  let admin: Client;
  let site: Site;

  beforeAll(async () => {
    app = await startApp({ profile, env: { FETCH_ALLOW: '127.0.0.1' } });
    admin = app.as(await app.createUser({ role: 'admin' }));
    site = await startSite({
      '/boats.xml': openMarine,
      '/page': '<!doctype html><html><body>Log in</body></html>',
      '/endless.csv': (_request, response) => {
        response.write('url,title\n');
        const more = () => {
          for (let n = 1; response.writable && n < 2_000; n += 1)
            if (!response.write(`https://127.0.0.1/boats/${n},Kestrel ${'x'.repeat(1_000)}\n`)) break;
        };
        response.on('drain', more);
        more();
      },
    });
  });
  afterAll(async () => {
    await site.close();
    await app.close();
  });

  const preview = (body: object) => admin.post('/api/admin/scrapers/preview-feed', body);
  const make = (fields: object) =>
    admin.post('/api/admin/scrapers', { name: 'Broker', kind: 'feed', feed: { preset: 'csv' }, ...fields });

  describe('POST /api/admin/scrapers of the kind feed', () => {
    test('201 with an address, whose host is the site, and the schedule that it follows', async () => {
      const feed = { preset: 'openmarine', mode: 'delta', fields: { id: '@ref' } };
      const { status, body } = await make({
        start_urls: ['https://brokers.example.com/boats.xml'],
        feed,
        schedule: '15 5 * * *',
      });
      expect(status).toBe(201);
      expect(body).toMatchObject({ kind: 'feed', site: 'brokers.example.com', schedule: '15 5 * * *' });
      expect(body.feed).toMatchObject(feed);
      const { body: changed } = await admin.patch(`/api/admin/scrapers/${body.id}`, { site: 'boats.example.com' });
      expect(changed).toMatchObject({
        site: 'boats.example.com',
        start_urls: ['https://brokers.example.com/boats.xml'],
      });
    });

    test('201 for a feed that is uploaded, with the site of its items', async () => {
      const { status, body } = await make({ site: 'Boats.example.com' });
      expect(status).toBe(201);
      expect(body).toMatchObject({ start_urls: [], site: 'boats.example.com', last_run: null });
    });

    test.each([
      ['no site and no address', {}, '/body/site'],
      ['two addresses', { start_urls: ['https://a.example/1', 'https://a.example/2'] }, '/body/start_urls'],
      ['a private address', { start_urls: ['http://10.0.0.1/boats.xml'] }, '/body/start_urls/0'],
      ['a schedule without an address', { site: 'a.example', schedule: '15 5 * * *' }, '/body/schedule'],
      ['no mapping', { site: 'a.example', feed: null }, '/body/feed'],
      ['neither a preset nor fields', { site: 'a.example', feed: {} }, '/body/feed/fields'],
      [
        'a path that is none',
        { site: 'a.example', feed: { preset: 'csv', fields: { title: 'a[b' } } },
        '/body/feed/fields/title',
      ],
      [
        'XML without a path of its items',
        { site: 'a.example', feed: { format: 'xml', fields: { url: 'url', title: 'title' } } },
        '/body/feed/items',
      ],
      ['an unknown preset', { site: 'a.example', feed: { preset: 'boats' } }, '/body/feed'],
      ['an unknown field', { site: 'a.example', feed: { preset: 'csv', fields: { hull: 'a' } } }, '/body/feed'],
    ])('400 for %s', async (_what, fields, path) => {
      const { status, body } = await make(fields);
      expect(status).toBe(400);
      expect(body.error.code).toBe('validation_error');
      expect(body.error.details.errors.map((error: Json) => error.path).join(' ')).toContain(path);
    });

    test('400 for a crawl without a URL, and for a crawl with a feed', async () => {
      const crawl = await make({ kind: 'http', site: 'a.example', feed: null });
      expect(crawl.body.error.details.errors[0].path).toBe('/body/start_urls');
      const both = await make({ kind: 'http', start_urls: ['https://a.example/'] });
      expect(both.body.error.details.errors[0].path).toBe('/body/feed');
    });
  });

  describe('POST /api/admin/scrapers/{id}/feed', () => {
    test('202 with the run; 409 while it is live; 404 for no scraper; 403 for a user', async () => {
      const id = await newFeed(admin);
      const { status, body } = await upload(admin, id, table(oneTo(2)));
      expect(status).toBe(202);
      expect(body).toMatchObject({ scraper_id: id, status: 'queued', trigger: 'manual', job_id: expect.any(String) });
      expect((await upload(admin, id, table(oneTo(2)))).status).toBe(409);
      expect((await runOf(admin, id)).id).toBe(body.id);
      expect((await upload(admin, 'scr_none', 'a')).status).toBe(404);
      expect((await upload(app.as(await app.createUser()), id, 'a')).status).toBe(403);
      expect((await upload(app.as(), id, 'a')).status).toBe(401);
    });

    test('400 for an empty file and for a form without one, 415 for anything but a form', async () => {
      const id = await newFeed(admin);
      const path = `/api/admin/scrapers/${id}/feed`;
      expect((await admin.post(path, undefined, { raw: formOf('') })).status).toBe(400);
      expect((await admin.post(path, undefined, { raw: new FormData() })).status).toBe(400);
      expect((await admin.post(path, { file: 'a' })).status).toBe(415);
    });
  });

  describe('POST /api/admin/scrapers/preview-feed', () => {
    test('200 with the first ten items of a text, and what is wrong with each', async () => {
      const rows = table(oneTo(12)).replace('https://boats.example.com/boats/2,', 'https://other.example/2,');
      const { status, body } = await preview({ site: 'boats.example.com', feed: { preset: 'csv' }, content: rows });
      expect(status).toBe(200);
      expect(body.items).toHaveLength(10);
      expect(body.problems).toEqual([]);
      expect(body.items[0]).toMatchObject({
        deleted: false,
        problem: null,
        raw: { title: 'Kestrel 36 number 1', price: '40001' },
        record: {
          title: 'Kestrel 36 number 1',
          price: { amount: 40_001, currency: 'EUR' },
          location: { city: 'Kiel' },
        },
      });
      expect(body.items[1]).toMatchObject({ problem: expect.stringContaining('is not on the site'), record: null });
      expect((await app.database.pool.query('select 1 from listings')).rows).toEqual([]);
    });

    test('200 with the items of an address, of which only the beginning is fetched', async () => {
      const found = await preview({
        url: `${site.url}/boats.xml`,
        site: 'brokers.example.com',
        feed: { preset: 'openmarine' },
      });
      expect(found.body.items.map(({ deleted }: Json) => deleted)).toEqual([false, false, true, false]);
      expect(found.body.problems).toEqual([]);
      const endless = await preview({ url: `${site.url}/endless.csv`, feed: { preset: 'csv' } });
      expect(endless.body.items).toHaveLength(10);
    });

    test.each([
      ['is no feed', () => ({ url: `${site.url}/page` }), 'This is an HTML page, no feed.'],
      ['is not there', () => ({ url: `${site.url}/none` }), 'The feed answered 404.'],
      ['nobody may fetch', () => ({ url: 'http://10.0.0.1/feed' }), 'The feed cannot be fetched.'],
      ['is cut off', () => ({ content: '<rss><channel><item><title>A</title></item>' }), 'The XML ends before'],
      ['has no items there', () => ({ content: '<rss><channel></channel></rss>' }), 'There is no item'],
    ])('200 that says so of a feed that %s', async (_what, from, problem) => {
      const { status, body } = await preview({
        site: 'boats.example.com',
        feed: { preset: 'google-merchant' },
        ...from(),
      });
      expect(status).toBe(200);
      expect(body.problems.join()).toContain(problem);
    });

    test('400 for no feed, two of them, no site, an unknown category or a mapping that is none; 403 for a user', async () => {
      const feed = { preset: 'csv' };
      const pathsOf = async (body: object) =>
        (await preview(body)).body.error.details.errors.map(({ path }: Json) => path);
      expect(await pathsOf({ feed })).toEqual(['/body']);
      expect(await pathsOf({ feed, content: 'a,b', url: 'https://a.example/' })).toEqual(['/body']);
      expect(await pathsOf({ feed, content: 'a,b' })).toEqual(['/body/site']);
      expect(await pathsOf({ feed, content: 'a,b', site: 'a.example', category_id: 'submarines' })).toEqual([
        '/body/category_id',
      ]);
      expect(await pathsOf({ feed: {}, content: 'a,b', site: 'a.example' })).toContain('/body/feed/fields');
      const user = app.as(await app.createUser());
      expect((await user.post('/api/admin/scrapers/preview-feed', { feed, content: 'a,b' })).status).toBe(403);
    });

    test('a gzipped upload is taken as it is', async () => {
      const id = await newFeed(admin);
      expect((await upload(admin, id, gzipSync(table([1])))).status).toBe(202);
    });
  });
});
