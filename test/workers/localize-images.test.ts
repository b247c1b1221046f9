import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { imageKeyOf } from '../../shared/listings/images.ts';
import { queueOf } from '../../shared/queues/queues.ts';
import { localizeImages } from '../../workers/localize-images.ts';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { dataFile } from '../support/data.ts';
import { ingestBody, listingBody } from '../support/listing-bodies.ts';
import { newPhoto } from '../support/pictures.ts';
import { startSite, type Route, type Site } from '../support/site-server.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let scout: TestUser;
let site: Site;
let broken: Route = { status: 503 };
const pictures = new Map<string, Buffer>();

beforeAll(async () => {
  for (const [name, background] of Object.entries({ red: '#f00', green: '#0f0', blue: '#00f' })) {
    pictures.set(
      name,
      await sharp({ create: { width: 600, height: 300, channels: 3, background } })
        .jpeg()
        .toBuffer(),
    );
  }
  const many = Object.fromEntries(
    await Promise.all(
      Array.from({ length: 14 }, async (_, index) => {
        const background = { r: index * 10, g: 0, b: 0 };
        return [
          `/many/${index}.png`,
          await sharp({ create: { width: 20, height: 20, channels: 3, background } })
            .png()
            .toBuffer(),
        ] as const;
      }),
    ),
  );
  site = await startSite({
    '/red.jpg': pictures.get('red') ?? '',
    '/red-again.jpg': pictures.get('red') ?? '',
    '/green.jpg': pictures.get('green') ?? '',
    '/blue.jpg': pictures.get('blue') ?? '',
    '/gone.jpg': { status: 410 },
    '/forbidden.jpg': { status: 403 },
    '/page.jpg': '<html>not a picture</html>',
    '/huge.jpg': Buffer.alloc(10_485_761, 1),
    '/away.jpg': { status: 302, headers: { location: 'http://10.0.0.1/secret.jpg' } },
    '/flaky.jpg': (request, response) => {
      if (typeof broken === 'function') broken(request, response);
      else if (Buffer.isBuffer(broken)) response.writeHead(200).end(broken);
      else response.writeHead(503).end();
    },
    ...many,
  });
  app = await startApp();
  workers = await startWorkers(app, { env: { fetchAllow: ['127.0.0.1'] } });
  scout = await app.createUser();
});
afterAll(async () => {
  await workers.close();
  await app.close();
  await site.close();
});

const ingest = async (images: unknown[], fields: Record<string, unknown> = {}) => {
  const record = ingestBody({ images, ...fields });
  const { body } = await app.as(scout).post('/api/ingest', { records: [record] });
  const id: string = body.ids[record.url];
  return { record, id };
};
const rowsOf = async (id: string) =>
  (
    await app.database.pool.query(
      'select source_url, status, error, attempts, sha256 from listing_images where listing_id = $1 order by position',
      [id],
    )
  ).rows;
const listingOf = async (id: string) =>
  (await app.database.pool.query('select images, version from listings where id = $1', [id])).rows[0];
const eventsOf = async (id: string) =>
  (
    await app.database.pool.query(
      `select count(*)::int as n from events where subject = $1 and type = 'listing.updated'`,
      [id],
    )
  ).rows[0].n;
const urls = (...names: string[]) => names.map((name) => `${site.url}/${name}`);
const shaOf = (name: string) =>
  createHash('sha256')
    .update(pictures.get(name) ?? '')
    .digest('hex');
const context = (attempt = 0) => ({
  signal: new AbortController().signal,
  log: workers.services.log,
  jobId: 'none',
  attempt,
});

test('pictures are stored as WebP with a thumbnail, in the order of the record, and shown with the next read', async () => {
  const { id } = await ingest([{ url: `${site.url}/red.jpg`, alt: 'bow' }, ...urls('green.jpg', 'blue.jpg')]);
  const results = await workers.work('localize-images');
  expect(results).toMatchObject([{ status: 'completed' }]);
  const { images, version } = await listingOf(id);
  expect(images).toEqual([
    { key: imageKeyOf(shaOf('red')), alt: 'bow' },
    { key: imageKeyOf(shaOf('green')) },
    { key: imageKeyOf(shaOf('blue')) },
  ]);
  expect(version).toBe(2);
  expect(await eventsOf(id)).toBe(1);

  const { body } = await app.as(scout).post(`/api/listings/${id}/publish`);
  const full = await fetch(body.images[0].url);
  const thumbnail = await fetch(body.images[0].thumbnail_url);
  expect([full.status, full.headers.get('content-type'), thumbnail.status]).toEqual([200, 'image/webp', 200]);
  expect(await sharp(Buffer.from(await full.arrayBuffer())).metadata()).toMatchObject({
    format: 'webp',
    width: 600,
    height: 300,
  });
  expect(await sharp(Buffer.from(await thumbnail.arrayBuffer())).metadata()).toMatchObject({
    format: 'webp',
    width: 400,
    height: 200,
  });
});

test('the same picture under two addresses is stored and shown once', async () => {
  const { id } = await ingest(urls('red.jpg', 'red-again.jpg', 'green.jpg'));
  await workers.work('localize-images');
  expect((await listingOf(id)).images).toHaveLength(2);
  const { rows } = await app.database.pool.query('select count(*)::int as n from images where sha256 = $1', [
    shaOf('red'),
  ]);
  expect(rows).toEqual([{ n: 1 }]);
});

test('what is gone, refused or no picture fails at once with its reason, the others are shown', async () => {
  const { id } = await ingest([
    ...urls('gone.jpg', 'missing.jpg', 'forbidden.jpg', 'page.jpg', 'huge.jpg', 'away.jpg', 'green.jpg'),
    'http://10.0.0.1/x.jpg',
  ]);
  expect(await workers.work('localize-images')).toMatchObject([{ status: 'completed' }]);
  const rows = await rowsOf(id);
  expect(rows.map(({ status }) => status)).toEqual([...Array.from({ length: 6 }, () => 'failed'), 'stored', 'failed']);
  expect(rows.map(({ error }) => error ?? '').join('\n')).toMatch(
    /410[\s\S]*404[\s\S]*403[\s\S]*accepted[\s\S]*10485760[\s\S]*private[\s\S]*private/,
  );
  expect((await listingOf(id)).images).toHaveLength(1);
});

test('what may come later is tried again, shown when it comes, and given up after the last try', async () => {
  const { id } = await ingest(urls('flaky.jpg', 'green.jpg'));
  expect(await workers.work('localize-images')).toMatchObject([
    { status: 'failed', output: { error: expect.stringContaining('503') } },
  ]);
  expect(await rowsOf(id)).toMatchObject([
    { status: 'pending', attempts: 1, error: 'The server answered 503.' },
    { status: 'stored' },
  ]);
  expect((await listingOf(id)).images).toEqual([{ key: imageKeyOf(shaOf('green')) }]);
  const { rows } = await app.database.pool.query(
    `select state, start_after > now() as later from pgboss.job where name = 'localize-images' and data->>'listing_id' = $1`,
    [id],
  );
  expect(rows).toEqual([{ state: 'retry', later: true }]);

  broken = pictures.get('blue') ?? '';
  await localizeImages(workers.services, { listing_id: id }, context(1));
  expect((await listingOf(id)).images).toEqual([
    { key: imageKeyOf(shaOf('blue')) },
    { key: imageKeyOf(shaOf('green')) },
  ]);

  broken = { status: 503 };
  const second = await ingest(urls('flaky.jpg'));
  await localizeImages(workers.services, { listing_id: second.id }, context(queueOf('localize-images').retryLimit));
  expect(await rowsOf(second.id)).toMatchObject([{ status: 'failed', error: 'The server answered 503.' }]);
});

test('a job that was killed at any point ends the same when it is worked again', async () => {
  const { id } = await ingest(urls('red.jpg', 'green.jpg', 'blue.jpg'));
  const hits = () => ['/red.jpg', '/green.jpg', '/blue.jpg'].reduce((sum, path) => sum + (site.hits.get(path) ?? 0), 0);
  // Killed after two rows were noted and before the listing was touched.
  await app.database.pool.query(
    `update listing_images set status = 'stored', sha256 = case source_url when $2 then $3 else $5 end where listing_id = $1 and source_url in ($2, $4)`,
    [id, `${site.url}/red.jpg`, shaOf('red'), `${site.url}/green.jpg`, shaOf('green')],
  );
  const before = hits();
  await localizeImages(workers.services, { listing_id: id }, context());
  expect(hits() - before).toBe(1);
  const first = await listingOf(id);
  expect(first.images).toHaveLength(3);
  // Killed after the work and before the job was marked as done; and two workers at the same time.
  await Promise.all([1, 2, 3].map((attempt) => localizeImages(workers.services, { listing_id: id }, context(attempt))));
  expect(await listingOf(id)).toEqual(first);
  expect(await eventsOf(id)).toBe(1);
  expect(hits() - before).toBe(1);
});

test('a handler that is told to stop leaves the rest for the next try', async () => {
  const { id } = await ingest(urls('red.jpg', 'green.jpg'));
  const stop = AbortSignal.abort(new Error('the process is stopping'));
  await expect(localizeImages(workers.services, { listing_id: id }, { ...context(), signal: stop })).rejects.toThrow(
    'stopping',
  );
  expect(await rowsOf(id)).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
});

test('ten pictures are shown: the first ten that can be read', async () => {
  const names = Array.from({ length: 14 }, (_, index) => `many/${index}.png`);
  // Two of them are the same image.
  const { id } = await ingest(urls('gone.jpg', 'red.jpg', 'red-again.jpg', ...names));
  await workers.work('localize-images');
  const { images } = await listingOf(id);
  expect(images).toHaveLength(10);
  const rows = await rowsOf(id);
  expect(rows.filter(({ status }) => status === 'stored').map(({ source_url }) => source_url)).toEqual(
    urls('red.jpg', 'red-again.jpg', ...names.slice(0, 9)),
  );
  expect(rows.filter(({ status }) => status === 'pending')).toEqual([]);
});

test('a record that drops a picture and reorders the others changes what is shown at once; added ones follow', async () => {
  const { id, record } = await ingest(urls('red.jpg', 'green.jpg'));
  await workers.work('localize-images');
  await app.as(scout).post('/api/ingest', { records: [{ ...record, images: urls('blue.jpg', 'green.jpg') }] });
  expect((await listingOf(id)).images).toEqual([{ key: imageKeyOf(shaOf('green')) }]);
  await workers.work('localize-images');
  expect((await listingOf(id)).images).toEqual([
    { key: imageKeyOf(shaOf('blue')) },
    { key: imageKeyOf(shaOf('green')) },
  ]);
});

test('foreign pictures of a create stand where the client put them, between our own', async () => {
  const own = { url: `${app.url}/static/${imageKeyOf(shaOf('red'))}`, alt: 'ours' };
  const body = listingBody({ images: [{ url: `${site.url}/green.jpg` }, own, { url: `${site.url}/blue.jpg` }] });
  const { body: created } = await app.as(scout).post('/api/listings', body);
  expect(created.images).toHaveLength(1);
  await workers.work('localize-images');
  expect((await listingOf(created.id)).images.map(({ key }: { key: string }) => key)).toEqual(
    ['green', 'red', 'blue'].map((name) => imageKeyOf(shaOf(name))),
  );
});

test('a listing that is deleted for good while its picture is fetched leaves neither row nor file', async () => {
  const photo = await newPhoto();
  const { id } = await ingest([`${site.url}/flaky.jpg`]);
  broken = (_request, response) => {
    void app.database.pool
      .query('delete from listings where id = $1', [id])
      .then(() => response.writeHead(200).end(photo));
  };
  const sha256 = createHash('sha256').update(photo).digest('hex');
  await workers.work('localize-images');
  expect((await app.database.pool.query('select from images where sha256 = $1', [sha256])).rowCount).toBe(0);
  expect(await app.services.storage.exists(imageKeyOf(sha256))).toBe(false);
  broken = { status: 503 };
});

const manifest = dataFile('images-real/manifest.csv');
test.skipIf(!manifest)('every file of the collection of real images ends as its manifest says', async () => {
  const folder = (manifest ?? '').replace(/manifest\.csv$/, '');
  const lines = readFileSync(manifest ?? '', 'utf8')
    .split('\n')
    .slice(1)
    .filter(Boolean);
  const files = lines.map((line) => ({
    file: line.split(',')[1] ?? '',
    outcome: line.slice(line.lastIndexOf(',') + 1).trim(),
  }));
  const gallery = await startSite(
    Object.fromEntries(files.map(({ file }) => [`/${encodeURIComponent(file)}`, readFileSync(folder + file)])),
  );
  try {
    const records = files.map(({ file }) => ingestBody({ images: [`${gallery.url}/${encodeURIComponent(file)}`] }));
    const { body } = await app.as(scout).post('/api/ingest', { records });
    expect(body).toMatchObject({ created: files.length, failed: [] });
    await workers.work('localize-images');
    const { rows } = await app.database.pool.query(
      'select source_url, status, error from listing_images where source_url like $1',
      [`${gallery.url}/%`],
    );
    const statusOf = new Map(
      rows.map((row) => [decodeURIComponent(row.source_url.slice(gallery.url.length + 1)), row]),
    );
    const wrong = files.filter(({ file, outcome }) => {
      const status = statusOf.get(file)?.status;
      if (outcome.includes('decide')) return status === 'pending';
      return status !== (outcome.startsWith('accept') ? 'stored' : 'failed');
    });
    expect(wrong.map(({ file, outcome }) => [file, outcome, statusOf.get(file)])).toEqual([]);
  } finally {
    await gallery.close();
  }
});
