import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
let admin: Client;

beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
  admin = app.as(await app.createUser({ role: 'admin' }));
});
afterAll(() => app.close());

const minimal = { name: 'Example boats', start_urls: ['https://example.com/boats'] };
const schedulesOf = async (id: string) =>
  (await app.services.jobs.boss.getSchedules('run-scraper', id)).map(({ cron, timezone, data }) => ({
    cron,
    timezone,
    data,
  }));

describe('POST /api/admin/scrapers', () => {
  test('201 with every default', async () => {
    const { status, body, headers } = await admin.post('/api/admin/scrapers', minimal);
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${app.url}/api/admin/scrapers/${body.id}`);
    expect(body).toEqual({
      id: expect.stringMatching(/^scr_/),
      name: 'Example boats',
      site: 'example.com',
      kind: 'http',
      start_urls: ['https://example.com/boats'],
      link_pattern: null,
      pagination_pattern: null,
      extract: { mode: 'structured' },
      feed: null,
      category_id: null,
      schedule: null,
      max_pages: 1000,
      requests_per_minute: 60,
      respect_robots: true,
      proxy_urls: null,
      auto_publish: false,
      require_images: false,
      enabled: true,
      created_at: expect.any(String),
      last_run: null,
    });
  });

  test('201 keeps every field that was sent', async () => {
    const sent = {
      ...minimal,
      site: 'Example.com',
      kind: 'browser',
      start_urls: ['https://www.example.com/boats', 'https://example.com/yachts'],
      link_pattern: '/boats/\\d+$',
      pagination_pattern: '[?&]page=\\d+',
      extract: { mode: 'selectors', selectors: { title: 'h1', images: '.gallery img@src', properties: 'table tr' } },
      category_id: 'sailboats',
      schedule: '0 4 * * *',
      max_pages: 200,
      requests_per_minute: 30,
      respect_robots: false,
      proxy_urls: ['http://proxy.example.com:3128'],
      auto_publish: true,
      require_images: true,
      enabled: false,
    };
    const { status, body } = await admin.post('/api/admin/scrapers', sent);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...sent, site: 'example.com' });
  });

  test.each([
    ['a private start URL', { start_urls: ['http://10.0.0.1/boats'] }, '/body/start_urls/0'],
    ['the metadata service', { start_urls: ['http://169.254.169.254/'] }, '/body/start_urls/0'],
    ['a start URL with credentials', { start_urls: ['https://user:secret@example.com/'] }, '/body/start_urls/0'],
    [
      'a start URL on another site',
      { site: 'example.com', start_urls: ['https://example.com/a', 'https://other.example/b'] },
      '/body/start_urls/1',
    ],
    ['a link_pattern that is no regular expression', { link_pattern: '/boats/(' }, '/body/link_pattern'],
    ['a link_pattern that would run for ever', { link_pattern: '/boats/([a-z]+)*$' }, '/body/link_pattern'],
    ['a pagination_pattern that is none', { pagination_pattern: '[' }, '/body/pagination_pattern'],
    ['a proxy of another kind', { proxy_urls: ['http://proxy.example.com/path'] }, '/body/proxy_urls/0'],
    [
      'a proxy on a private network',
      { proxy_urls: ['https://proxy.example.com', 'http://user:secret@10.0.0.1:3128'] },
      '/body/proxy_urls/1',
    ],
    ['an unknown category', { category_id: 'submarines' }, '/body/category_id'],
    ['a schedule out of range', { schedule: '61 4 * * *' }, '/body/schedule'],
    ['a schedule of words', { schedule: 'a b c d e' }, '/body/schedule'],
    [
      'a selector that is no CSS',
      { extract: { mode: 'selectors', selectors: { title: 'h1[' } } },
      '/body/extract/selectors/title',
    ],
    ['the mode selectors without any', { extract: { mode: 'selectors' } }, '/body/extract/selectors'],
  ])('400 for %s', async (_what, changes, path) => {
    const { status, body } = await admin.post('/api/admin/scrapers', { ...minimal, ...changes });
    expect(status).toBe(400);
    expect(body.error.code).toBe('validation_error');
    expect(body.error.details.errors.map((error: { path: string }) => error.path)).toEqual([path]);
  });

  test('400 for an unknown category lists the valid ones', async () => {
    const { body } = await admin.post('/api/admin/scrapers', { ...minimal, category_id: 'submarines' });
    expect(body.error.details.valid_categories).toContain('sailboats');
  });

  test('FETCH_ALLOW lets a private site in', async () => {
    expect(
      (await admin.post('/api/admin/scrapers', { ...minimal, start_urls: ['http://127.0.0.1:8080/boats'] })).status,
    ).toBe(201);
  });

  test('401 without a credential, 403 for a user', async () => {
    expect((await app.as().post('/api/admin/scrapers', minimal)).status).toBe(401);
    expect((await app.as(await app.createUser()).post('/api/admin/scrapers', minimal)).status).toBe(403);
  });
});

describe('schedules', () => {
  test('follow the scraper: made, changed, cleared, and gone while it is disabled', async () => {
    const { body } = await admin.post('/api/admin/scrapers', { ...minimal, schedule: '0 4 * * *' });
    const path = `/api/admin/scrapers/${body.id}`;
    expect(await schedulesOf(body.id)).toEqual([{ cron: '0 4 * * *', timezone: 'UTC', data: { scraper_id: body.id } }]);
    await admin.patch(path, { schedule: '*/30 * * * *' });
    expect((await schedulesOf(body.id)).map(({ cron }) => cron)).toEqual(['*/30 * * * *']);
    await admin.patch(path, { enabled: false });
    expect(await schedulesOf(body.id)).toEqual([]);
    await admin.patch(path, { enabled: true });
    expect(await schedulesOf(body.id)).toHaveLength(1);
    await admin.patch(path, { schedule: null });
    expect(await schedulesOf(body.id)).toEqual([]);
  });
});

describe('PATCH /api/admin/scrapers/{id}', () => {
  test('200 changes what is sent and leaves the rest', async () => {
    const { body: made } = await admin.post('/api/admin/scrapers', {
      ...minimal,
      link_pattern: '/boats/\\d+',
      category_id: 'sailboats',
    });
    const { status, body } = await admin.patch(`/api/admin/scrapers/${made.id}`, {
      name: 'Renamed',
      link_pattern: null,
    });
    expect(status).toBe(200);
    expect(body).toEqual({ ...made, name: 'Renamed', link_pattern: null });
  });

  test('200 moves the site with the start URLs', async () => {
    const { body: made } = await admin.post('/api/admin/scrapers', minimal);
    const { body } = await admin.patch(`/api/admin/scrapers/${made.id}`, {
      start_urls: ['https://other.example/boats'],
    });
    expect(body.site).toBe('other.example');
  });

  test('400 when the scraper would no longer work, and nothing changes', async () => {
    const { body: made } = await admin.post('/api/admin/scrapers', minimal);
    const path = `/api/admin/scrapers/${made.id}`;
    expect((await admin.patch(path, { name: 'Renamed', site: 'other.example' })).status).toBe(400);
    expect((await admin.patch(path, { extract: { mode: 'selectors' } })).status).toBe(400);
    expect((await admin.patch(path, { max_pages: 200 })).body.name).toBe('Example boats');
  });

  test('proxies are shown without their credentials, and keep them when they are sent back as shown', async () => {
    const secret = 'http://crawler:hush@proxy.example.com:3128';
    const { body: made } = await admin.post('/api/admin/scrapers', { ...minimal, proxy_urls: [secret] });
    expect(made.proxy_urls).toEqual(['http://proxy.example.com:3128']);
    const path = `/api/admin/scrapers/${made.id}`;
    const stored = async () =>
      (await app.database.pool.query('select proxy_urls from scrapers where id = $1', [made.id])).rows[0].proxy_urls;
    const other = 'https://user:pass@other.example.com';
    const { body } = await admin.patch(path, { proxy_urls: [...made.proxy_urls, other] });
    expect(body.proxy_urls).toEqual([...made.proxy_urls, 'https://other.example.com']);
    expect(await stored()).toEqual([secret, other]);
    await admin.patch(path, { name: 'Renamed' });
    expect(await stored()).toEqual([secret, other]);
    expect((await admin.patch(path, { proxy_urls: null })).body.proxy_urls).toBeNull();
    expect((await admin.patch(path, { proxy_urls: made.proxy_urls })).status).toBe(200);
    expect(await stored()).toEqual(made.proxy_urls);
  });

  test('404 for an unknown scraper', async () => {
    expect((await admin.patch('/api/admin/scrapers/scr_00000000000000000000000000', { name: 'x' })).status).toBe(404);
  });
});

test('GET /api/admin/scrapers lists them newest first, each with its last run', async () => {
  const { body: first } = await admin.post('/api/admin/scrapers', { ...minimal, name: 'First' });
  const { body: second } = await admin.post('/api/admin/scrapers', { ...minimal, name: 'Second' });
  const { body: run } = await admin.post(`/api/admin/scrapers/${first.id}/runs`);
  const { status, body } = await admin.get('/api/admin/scrapers?limit=2');
  expect(status).toBe(200);
  expect(body.results.map((scraper: { id: string }) => scraper.id)).toEqual([second.id, first.id]);
  expect(body.results[1].last_run.id).toBe(run.id);
  expect(body.pagination).toMatchObject({ page: 1, limit: 2, pages: Math.ceil(body.pagination.total / 2) });
  expect((await admin.get('/api/admin/scrapers?limit=1&page=2')).body.results[0].id).toBe(first.id);
});
