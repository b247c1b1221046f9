import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { HOSTILE_TEXT, HOSTILE_TITLE, publishListing, readPage, uploadPhoto } from '../../support/public-pages.ts';

let app: TestApp;
let owner: TestUser;
let visitor: TestUser;

beforeAll(async () => {
  app = await startApp();
  owner = await app.createUser({ name: 'Anna' });
  visitor = await app.createUser({ name: 'Ben' });
});
afterAll(closeApps);

const send = async (path: string, user: TestUser, fields: Record<string, string>) =>
  fetch(app.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: `session=${user.token}`, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields),
  });

test('Every photo has the width and height that it is stored with, and the sizes there are to choose from', async () => {
  const images = await Promise.all([uploadPhoto(app, owner, 900, 600), uploadPhoto(app, owner, 300, 500)]);
  const { slug } = await publishListing(app, owner, { images: images.map((url) => ({ url })) });
  const page = await readPage(app, `/listings/${slug}`);
  const [wide, high] = page('.photos img').toArray();
  expect(wide?.attribs).toMatchObject({ width: '900', height: '600', fetchpriority: 'high' });
  const thumbnail = images[0].replace('.webp', '-thumb.webp');
  expect(wide?.attribs.srcset).toBe(`${thumbnail} 400w, ${images[0]} 900w`);
  expect(wide?.attribs.sizes).toContain('100vw');
  expect(high?.attribs).toMatchObject({ width: '300', height: '500', loading: 'lazy' });
  expect(high?.attribs.srcset).toBe(`${images[1].replace('.webp', '-thumb.webp')} 240w, ${images[1]} 300w`);
  const [card] = (await readPage(app, '/search'))('.card img').toArray();
  expect(card?.attribs).toMatchObject({ width: '900', height: '600' });
});

test('Whoever has signed in keeps a listing by a form and sees that it is kept, until it is given up there again', async () => {
  const { slug, id } = await publishListing(app, owner);
  const form = async () => (await readPage(app, `/listings/${slug}`, visitor))('form[action$="/favorite"]');
  const fieldsOf = (each: Awaited<ReturnType<typeof form>>) =>
    Object.fromEntries(
      each
        .find('input, button[name]')
        .toArray()
        .map(({ attribs }) => [attribs.name ?? '', attribs.value ?? '']),
    );
  const before = await form();
  expect(before.find('button').text().trim()).toBe('Add to favorites');
  expect((await send(`/listings/${slug}/favorite`, visitor, fieldsOf(before))).status).toBe(303);
  const kept = await app.as(visitor).get('/api/me/favorites');
  expect(kept.body.results.map((each: { id: string }) => each.id)).toEqual([id]);
  const after = await form();
  expect(after.find('button').text().trim()).toBe('Remove from favorites');
  const back = await send(`/listings/${slug}/favorite`, visitor, fieldsOf(after));
  expect(back.headers.get('location')).toBe(`/listings/${slug}`);
  expect((await app.as(visitor).get('/api/me/favorites')).body.results).toEqual([]);
});

test('Whoever has not signed in is led to sign in and back, to write, to keep and to report', async () => {
  const { slug } = await publishListing(app, owner);
  const page = await readPage(app, `/listings/${slug}`);
  const links = page('.offer a')
    .toArray()
    .map(({ attribs }) => new URL(attribs.href ?? '', app.url));
  expect(links.map(({ pathname }) => pathname)).toEqual(['/sign-in', '/sign-in', '/sign-in']);
  for (const link of links) expect(link.searchParams.get('next')).toBe(`/listings/${slug}`);
});

test('Similar listings are others of the category, nearest by brand and price first, and never the listing itself', async () => {
  const boat = (brand: string, amount: number) =>
    publishListing(app, owner, {
      category_id: 'racing',
      price: { amount, currency: 'EUR', negotiable: false },
      attributes: { brand, year: 2015, length: 10 },
    });
  await boat('Hanse', 900_000);
  const near = await boat('Dehler', 80_000);
  const { slug } = await boat('Dehler', 79_000);
  const page = await readPage(app, `/listings/${slug}`);
  const links = page('.card a')
    .toArray()
    .map(({ attribs }) => attribs.href);
  expect(links[0]).toBe(`/listings/${near.slug}`);
  expect(links).not.toContain(`/listings/${slug}`);
});

test('Hostile titles, texts, names and places are shown as the text that they are, on every public page', async () => {
  const villain = await app.createUser({ name: '<script>alert(6)</script>' });
  const { slug } = await publishListing(app, villain, {
    title: HOSTILE_TITLE,
    description: HOSTILE_TEXT,
    price: { amount: 0, currency: 'EUR', negotiable: true },
    location: { country: 'DE', city: '"><script>alert(7)</script>', shipping: false },
    attributes: { brand: '<b>"\'', year: 2001 },
  });
  const paths = [
    '/',
    '/search',
    '/search?q=alert',
    `/search?q=${encodeURIComponent(HOSTILE_TITLE)}`,
    `/listings/${slug}`,
    `/sellers/${villain.id}`,
  ];
  for (const path of paths) {
    const page = await readPage(app, path);
    const scripts = page('script:not([type="application/ld+json"])').toArray();
    expect(scripts.map(({ attribs }) => attribs.src?.replace(/\.\w+\.js$/, ''))).toEqual([`${app.url}/assets/pages`]);
    expect(page('img[src="x"], svg[onload], [onerror], main b').length).toBe(0);
  }
  const page = await readPage(app, `/listings/${slug}`);
  expect(page('h1').text()).toBe(HOSTILE_TITLE);
  expect(page('.prose').text()).toContain('</div></textarea><script>alert(3)</script><svg onload=alert(4)>');
  expect(page('.price').first().text()).toContain('Price on request');
});

test('Facts that a scraped page repeats in its table, as the price, stand in their own places alone', async () => {
  const { slug } = await publishListing(app, owner, {
    attributes: { price: '€ 62.000', location: 'Ellös, Sweden', condition: 'used', keel: 'fin' },
  });
  const page = await readPage(app, `/listings/${slug}`);
  const labels = page('.facts dt')
    .toArray()
    .map((label) => page(label).text());
  expect(labels).not.toEqual(expect.arrayContaining(['Price']));
  expect(labels).not.toEqual(expect.arrayContaining(['Location']));
  expect(labels).toHaveLength(1);
});
