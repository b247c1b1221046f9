import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { formOf, newPhoto } from '../../support/pictures.ts';
import { startSite, type Site } from '../../support/site-server.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { offer, rentalBody } from './fixture.ts';

let app: TestApp;
let workers: TestWorkers;
let site: Site;
let owner: Client;
beforeAll(async () => {
  const picture = await sharp({ create: { width: 60, height: 30, channels: 3, background: '#08f' } })
    .png()
    .toBuffer();
  site = await startSite({ '/bow.png': picture, '/gone.png': { status: 410 }, '/busy.png': { status: 503 } });
  app = await startApp();
  workers = await startWorkers(app, { env: { fetchAllow: ['127.0.0.1'] } });
  owner = app.as(await app.createUser());
});
afterAll(async () => {
  await workers.close();
  await app.close();
  await site.close();
});

const upload = async (): Promise<string> =>
  (await owner.request('POST', '/api/upload', { raw: formOf([['file', await newPhoto()]]) })).body.url;
const imagesOf = async (id: string) => (await app.as().get(`/api/rentals/${id}`)).body.images;
const statusOf = async (url: string) => (await fetch(url)).status;

test('an uploaded picture is shown under its own address, with a thumbnail, and goes when the rental goes', async () => {
  const [first, second] = [await upload(), await upload()];
  const id = await offer(owner, { images: [{ url: first, alt: 'bow' }, { url: second }, { url: first, alt: 'bow' }] });
  const thumbnail_url = first.replace('.webp', '-thumb.webp');
  expect(await imagesOf(id)).toMatchObject([{ url: first, alt: 'bow', thumbnail_url }, { url: second }]);
  await owner.patch(`/api/rentals/${id}`, { images: [{ url: second, alt: 'stern' }] });
  await workers.work('delete-pictures');
  expect(await imagesOf(id)).toMatchObject([{ url: second, alt: 'stern' }]);
  expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
  await owner.delete(`/api/rentals/${id}`);
  await workers.work('delete-pictures');
  expect(await statusOf(second)).toBe(404);
});

test('a picture that another rental shows stays', async () => {
  const url = await upload();
  const [one, another] = [await offer(owner, { images: [{ url }] }), await offer(owner, { images: [{ url }] })];
  await owner.delete(`/api/rentals/${one}`);
  await workers.work('delete-pictures');
  expect([await statusOf(url), (await imagesOf(another)).length]).toEqual([200, 1]);
});

test('400 for an address of ours that shows nothing, and for more than ten', async () => {
  const missing = `${app.url}/static/images/cd/${'cd'.repeat(32)}.webp`;
  const many = Array.from({ length: 11 }, (_, index) => ({ url: `${site.url}/bow.png?${index}` }));
  for (const images of [[{ url: missing }], many])
    expect((await owner.post('/api/rentals', rentalBody({ images }))).status).toBe(400);
});

test('a foreign picture is fetched by a job, shown once it is here, and not fetched again when it is sent again', async () => {
  const own = await upload();
  const images = [{ url: `${site.url}/bow.png`, alt: 'bow' }, { url: own }, { url: `${site.url}/gone.png` }];
  const id = await offer(owner, { images });
  expect(await imagesOf(id)).toMatchObject([{ url: own }]);
  expect(await workers.work('localize-rental-images')).toMatchObject([{ status: 'completed' }]);
  const both = [{ url: expect.stringContaining('/static/images/'), alt: 'bow' }, { url: own }];
  await expect.poll(() => imagesOf(id)).toMatchObject(both);
  const shown = await imagesOf(id);
  expect(await statusOf(shown[0].url)).toBe(200);
  await owner.patch(`/api/rentals/${id}`, { images: [{ url: own }, { url: `${site.url}/bow.png`, alt: 'ahead' }] });
  expect(await imagesOf(id)).toMatchObject([{ url: own }, { url: shown[0].url, alt: 'ahead' }]);
  expect(await workers.take('localize-rental-images')).toEqual([]);
});

test('a picture that may come later is tried again; one for a rental that is gone is not kept', async () => {
  const id = await offer(owner, { images: [{ url: `${site.url}/busy.png` }] });
  expect(await workers.work('localize-rental-images')).toMatchObject([{ status: 'failed' }]);
  const gone = await offer(owner, { images: [{ url: `${site.url}/bow.png?another` }] });
  await owner.delete(`/api/rentals/${gone}`);
  const { rows: before } = await app.database.pool.query('select sha256 from images order by 1');
  expect(await workers.work('localize-rental-images')).toMatchObject([{ status: 'completed' }]);
  expect((await app.database.pool.query('select sha256 from images order by 1')).rows).toEqual(before);
  expect(await imagesOf(id)).toEqual([]);
});
