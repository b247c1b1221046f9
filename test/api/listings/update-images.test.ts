import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { startSite, type Site } from '../../support/site-server.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let site: Site;
let seller: Client;
let red: string;
let green: string;
beforeAll(async () => {
  const draw = (background: string) =>
    sharp({ create: { width: 60, height: 30, channels: 3, background } })
      .png()
      .toBuffer();
  site = await startSite({
    '/red.png': await draw('#f00'),
    '/green.png': await draw('#0f0'),
    '/gone.png': { status: 410 },
  });
  [red, green] = [`${site.url}/red.png`, `${site.url}/green.png`];
  app = await startApp();
  workers = await startWorkers(app, { env: { fetchAllow: ['127.0.0.1'] } });
  seller = app.as(await app.createUser());
});
afterAll(async () => {
  await workers.close();
  await app.close();
  await site.close();
});

const put = async (id: string, images: { url: string; alt?: string }[]) =>
  (await seller.put(`/api/listings/${id}`, { images })).body.images;
const imagesOf = async (id: string) => (await seller.get(`/api/listings/${id}`)).body.images;
const statusOf = async (url: string) => (await fetch(url)).status;

/** A listing that shows the images behind these URLs, fetched already. */
async function createWith(...urls: string[]) {
  const { body } = await seller.post('/api/listings', listingBody({ images: urls.map((url) => ({ url })) }));
  await workers.work('localize-images');
  const images: { url: string }[] = await imagesOf(body.id);
  expect(images).toHaveLength(urls.length);
  return { id: body.id as string, images };
}

test('foreign images are fetched by a job and shown once they are here', async () => {
  const { id } = await createWith();
  expect(await put(id, [{ url: red, alt: 'bow' }])).toEqual([]);
  await workers.work('localize-images');
  expect(await imagesOf(id)).toEqual([
    { url: expect.stringContaining('/static/images/'), alt: 'bow', thumbnail_url: expect.any(String) },
  ]);
});

test('images take the order and the words they are sent with, by their address here or where they came from', async () => {
  const { id, images } = await createWith(red, green);
  const [first, second] = images.map(({ url }) => url);
  expect(
    await put(id, [
      { url: second!, alt: 'stern' },
      { url: red, alt: 'bow' },
    ]),
  ).toMatchObject([
    { url: second, alt: 'stern' },
    { url: first, alt: 'bow' },
  ]);
  await workers.work('localize-images');
  expect(await imagesOf(id)).toMatchObject([{ alt: 'stern' }, { alt: 'bow' }]);
});

test('an image that is left out is gone for good, unless another listing shows it', async () => {
  const [one, two] = [await createWith(red, green), await createWith(green)];
  const [redHere, greenHere] = one.images.map(({ url }) => url);
  await app.database.pool.query(`delete from listing_images where listing_id not in ($1, $2)`, [one.id, two.id]);
  await app.database.pool.query(`update listings set images = '[]' where id not in ($1, $2)`, [one.id, two.id]);
  expect(await put(one.id, [])).toEqual([]);
  await workers.work('localize-images');
  await workers.work('delete-pictures');
  expect(await imagesOf(one.id)).toEqual([]);
  expect([await statusOf(redHere!), await statusOf(greenHere!)]).toEqual([404, 200]);
  expect(await imagesOf(two.id)).toHaveLength(1);
});

test('an image that could not be fetched is tried again when it is sent again', async () => {
  const { id } = await createWith();
  const gone = `${site.url}/gone.png`;
  const state = async () =>
    (await app.database.pool.query('select status from listing_images where listing_id = $1', [id])).rows;
  await put(id, [{ url: gone }]);
  await workers.work('localize-images');
  expect(await state()).toEqual([{ status: 'failed' }]);
  await put(id, [{ url: gone }]);
  expect(await state()).toEqual([{ status: 'pending' }]);
  expect(await workers.take('localize-images')).toHaveLength(1);
});

test('400 for more than ten, and for an address of ours that shows nothing; the images stay', async () => {
  const { id, images } = await createWith(red);
  const many = Array.from({ length: 11 }, (_, index) => ({ url: `${red}?${index}` }));
  const missing = [{ url: images[0]!.url }, { url: images[0]!.url.replace(/[0-9a-f]{64}/, 'cd'.repeat(32)) }];
  for (const sent of [many, missing])
    expect((await seller.put(`/api/listings/${id}`, { images: sent })).status).toBe(400);
  expect(await imagesOf(id)).toEqual(images);
});

test('an image that is deleted at the same time is shown or 400, never half of it', async () => {
  for (let round = 0; round < 5; round += 1) {
    const [one, two] = [await createWith(red), await createWith()];
    const [{ url }] = one.images as [{ url: string }];
    await app.database.pool.query(`update listings set images = '[]' where id <> $1`, [one.id]);
    await app.database.pool.query(`delete from listing_images where listing_id <> $1`, [one.id]);
    await put(one.id, []);
    const [reply] = await Promise.all([
      seller.put(`/api/listings/${two.id}`, { images: [{ url }] }),
      workers.work('delete-pictures'),
    ]);
    expect([200, 400]).toContain(reply.status);
    expect(await statusOf(url)).toBe(reply.status === 200 ? 200 : 404);
  }
});
