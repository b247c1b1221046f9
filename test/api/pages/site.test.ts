import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../shared/kit/config.ts';
import { startApp, type TestApp } from '../../support/app.ts';

const browser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const get = (app: TestApp, path: string, headers: Record<string, string> = browser, method = 'GET') =>
  fetch(app.url + path, { method, headers, redirect: 'manual' });

describe('the pages of this service', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({
      env: {
        BRAND_NAME: 'Möwe & Co.',
        BRAND_COLOR: '#FFEE00',
        BRAND_LOGO_URL: 'https://example.com/logo.svg',
        IMPRINT_URL: 'https://example.com/imprint',
      },
    });
  });
  afterAll(async () => {
    await app.close();
  });

  test('an unknown address is a page for browsers and the envelope for programs', async () => {
    for (const path of ['/nothing', '/listings/nothing', '/sellers/usr_nobody']) {
      const page = await get(app, path);
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(load(await page.text())('h1').text()).toBe('There is nothing here');
      for (const Accept of ['application/json', '*/*']) {
        const reply = await get(app, path, { Accept });
        expect(reply.status).toBe(404);
        if (Accept === 'application/json') expect(await reply.json()).toMatchObject({ error: { code: 'not_found' } });
      }
    }
    expect(await (await get(app, '/api/nothing')).json()).toMatchObject({ error: { code: 'not_found' } });
  });

  test('HEAD answers what GET does, without a body', async () => {
    for (const path of ['/', '/search', '/nothing', '/favicon.ico', '/sitemap.xml']) {
      const [head, whole] = [await get(app, path, browser, 'HEAD'), await get(app, path)];
      expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
        whole.status,
        whole.headers.get('content-type'),
        '',
      ]);
    }
  });

  test('a slash behind the address of a page leads to the page, and never elsewhere', async () => {
    const reply = await get(app, '/search/?q=a/b');
    expect([reply.status, reply.headers.get('location')]).toEqual([301, `${app.url}/search?q=a/b`]);
    expect((await get(app, '//example.com/')).status).toBe(404);
  });

  test('name, colour, logo and imprint of the brand are on the pages', async () => {
    const page = load(await (await get(app, '/')).text());
    expect(page('title').text()).toContain('Möwe & Co.');
    expect(page('.brand img').attr()).toMatchObject({ src: 'https://example.com/logo.svg', alt: 'Möwe & Co.' });
    expect(page('footer a[href="https://example.com/imprint"]').length).toBe(1);
    expect(page('meta[name=theme-color]').attr('content')).toBe('#ffee00');
    const style = page('link[rel=stylesheet][href*=brand]').attr('href') ?? '';
    expect(await (await fetch(new URL(style, app.url))).text()).toContain('--brand: #ffee00; --on-brand: #000000');
    for (const path of ['/account', '/api/payments/return?listing=a-boat'])
      expect(load(await (await get(app, path)).text())('header').text(), path).toBe('Möwe & Co.');
  });
});

describe('the front end of an operator', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({
      env: { SITE_URL: 'https://boats.example.com/', SITE_PATHS: 'listing=/boats/{slug},search=/find' },
    });
  });
  afterAll(async () => {
    await app.close();
  });

  test('takes the place of the pages: the front page leads there, the others are off', async () => {
    const reply = await get(app, '/');
    expect([reply.status, reply.headers.get('location')]).toEqual([302, 'https://boats.example.com/']);
    for (const path of ['/search', '/sign-in', '/my/listings']) expect((await get(app, path)).status).toBe(404);
    const page = load(await (await get(app, '/search')).text());
    expect(page('a.button').attr('href')).toBe('https://boats.example.com/');
  });

  test('is what sitemap, feeds, manifest and payments lead to', async () => {
    const sitemap = await (await get(app, '/sitemaps/pages.xml')).text();
    expect(sitemap).toContain('<loc>https://boats.example.com/find</loc>');
    expect(await (await get(app, '/feeds/listings.atom')).text()).toContain('href="https://boats.example.com/find"');
    expect(await (await get(app, '/feeds/products.xml')).text()).toContain('https://boats.example.com/');
    expect(await (await get(app, '/manifest.webmanifest')).json()).toMatchObject({
      start_url: 'https://boats.example.com/',
    });
    expect(await (await get(app, '/api/payments/return?listing=a-boat')).text()).toContain(
      'href="https://boats.example.com/boats/a-boat"',
    );
  });
});

test.each([
  ['SITE_URL', { SITE_URL: 'boats.example.com' }],
  ['SITE_URL', { SITE_PATHS: 'listing=/boats/{slug}' }],
  ['SITE_PATHS', { SITE_URL: 'https://a.example', SITE_PATHS: 'boat=/boats/{slug}' }],
  ['SITE_PATHS', { SITE_URL: 'https://a.example', SITE_PATHS: 'listing=boats/{slug}' }],
  ['SITE_PATHS', { SITE_URL: 'https://a.example', SITE_PATHS: 'listing=/boats/{id}' }],
  ['BRAND_NAME', { BRAND_NAME: 'a\nb' }],
  ['BRAND_NAME', { BRAND_NAME: 'x'.repeat(61) }],
  ['BRAND_COLOR', { BRAND_COLOR: 'red' }],
  ['BRAND_LOGO_URL', { BRAND_LOGO_URL: 'javascript:alert(1)' }],
  ['IMPRINT_URL', { IMPRINT_URL: '/imprint' }],
])('a bad %s is refused by one line that names it: %o', (name, env) => {
  let message = '';
  try {
    readConfig(env);
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(message).toMatch(new RegExp(`^${name}: [^\\n]+$`));
});
