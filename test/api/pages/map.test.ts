import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
import { publishListing, readPage, type PublicListing } from '../../support/public-pages.ts';
import { project, unproject } from '../../../api/pages/map/mercator.ts';
import { readConfig } from '../../../shared/kit/config.ts';

let app: TestApp;
let kiel: PublicListing;

beforeAll(async () => {
  app = await startApp();
  const owner = await app.createUser();
  const at = (country: string, city: string, lat: number, lng: number) => ({
    location: { country, city, shipping: false, lat, lng },
  });
  kiel = await publishListing(app, owner, at('DE', 'Kiel', 54.418_76, 10.189_32));
  await publishListing(app, owner, at('DE', 'Kiel', 54.33, 10.15));
  await publishListing(app, owner, at('FR', 'Toulon', 43.12, 5.93));
});
afterAll(closeApps);

test('The results of a search are on its map, as links: a cluster leads closer, a single one to its page', async () => {
  const page = await readPage(app, '/search');
  const links = page('.map a').toArray();
  expect(links.map((link) => link.attribs['aria-label'])).toEqual(expect.arrayContaining(['2 listings here']));
  const cluster = links.find((link) => link.attribs['aria-label'] === '2 listings here')?.attribs.href ?? '';
  const [zoom, lat, lng] = (new URL(cluster, app.url).searchParams.get('map') ?? '').split('/').map(Number);
  expect(zoom).toBeGreaterThan(4);
  expect(lat).toBeCloseTo(54.4, 0);
  expect(lng).toBeCloseTo(10.2, 0);
  const single = links.find((link) => link.attribs.href?.startsWith('/listings/'))?.attribs.href ?? '';
  expect((await fetch(app.url + single, { headers: { Accept: 'text/html' } })).status).toBe(200);
});

test('The map moves and narrows the search by links alone', async () => {
  const page = await readPage(app, '/search?map=6/54.4/10.2');
  const controls = page('.map-controls a').toArray();
  expect(controls.length).toBe(7);
  const [closer] = controls;
  expect(new URL(closer?.attribs.href ?? '', app.url).searchParams.get('map')).toBe('7/54.4000/10.2000');
  const here = controls.at(-1)?.attribs.href ?? '';
  const narrowed = await readPage(app, here);
  expect(narrowed('h1').text()).toBe('2 results');
  expect(narrowed('.chips a').length).toBe(1);
});

test('The page of a listing shows its town and nowhere its exact place', async () => {
  const page = await readPage(app, `/listings/${kiel.slug}`);
  expect(page('.map').length).toBe(1);
  expect(page('.town').text()).toBe('Kiel, Germany');
  expect(page.html()).not.toMatch(/54\.41|10\.18/);
});

test('Every tile of a map is an image of our own, which may be kept for ever; tiles outside of the world are none', async () => {
  const page = await readPage(app, '/search');
  const addresses = page('.map image')
    .toArray()
    .map((image) => image.attribs.href ?? '');
  expect(addresses.length).toBeGreaterThan(3);
  for (const address of addresses) {
    expect(address.startsWith(`${app.url}/assets/`)).toBe(true);
    const response = await fetch(address);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
    expect(response.headers.get('cache-control')).toContain('immutable');
  }
  const folder = addresses[0]!.replace(/\/\d+\/\d+\/\d+\.svg$/, '');
  for (const outside of ['7/0/0', '2/4/0', '2/0/-1', '2/x/0', '99999999/0/0'])
    expect((await fetch(`${folder}/${outside}.svg`)).status).toBe(404);
});

test('Web Mercator: the equator meets the zero meridian in the middle, and places come back from their pixels', () => {
  expect(project({ lat: 0, lng: 0 }, 0)).toEqual({ x: 128, y: 128 });
  for (const place of [
    { lat: 54.3, lng: 10.1 },
    { lat: -33.9, lng: 151.2 },
    { lat: 84, lng: -179.5 },
  ]) {
    const back = unproject(project(place, 7), 7);
    expect(back.lat).toBeCloseTo(place.lat, 9);
    expect(back.lng).toBeCloseTo(place.lng, 9);
  }
});

test('Tiles of somebody else come with their attribution, and the policy of the page lets their server in', async () => {
  const tiled = await startApp({
    env: { MAP_TILES_URL: 'http://tiles.example/{z}/{x}/{y}.png', MAP_ATTRIBUTION: '© OpenStreetMap contributors' },
  });
  const owner = await tiled.createUser();
  await publishListing(tiled, owner);
  const page = await readPage(tiled, '/search');
  expect(page('.map image').first().attr('href')).toMatch(/^http:\/\/tiles\.example\/\d+\/\d+\/\d+\.png$/);
  expect(page('.credit').first().text()).toBe('© OpenStreetMap contributors');
  const { headers } = await fetch(`${tiled.url}/search`, { headers: { Accept: 'text/html' } });
  expect(headers.get('content-security-policy')).toContain('http://tiles.example;');
});

test('An address of tiles without its placeholders, or without an attribution, ends the start with one line', () => {
  const environment = { NODE_ENV: 'test', MAP_ATTRIBUTION: 'Somebody' };
  expect(() => readConfig({ ...environment, MAP_TILES_URL: 'https://tiles.example/{z}/{x}.png' })).toThrow(
    'MAP_TILES_URL: must hold {z}, {x} and {y}',
  );
  expect(() => readConfig({ NODE_ENV: 'test', MAP_TILES_URL: 'https://tiles.example/{z}/{x}/{y}.png' })).toThrow(
    'MAP_ATTRIBUTION: required with MAP_TILES_URL',
  );
});
