import sharp from 'sharp';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { startProcess } from '../support/processes.ts';
import { startSite, type Route } from '../support/site-server.ts';
import { eventually } from '../support/waiting.ts';

const LISTINGS = 60;
const ANSWERED = 20;

/** A small image of its own for every path: no two have the same bytes. */
const picture = (seed: number) =>
  sharp({
    create: {
      width: 64 + (seed % 50),
      height: 64,
      channels: 3,
      background: { r: seed % 256, g: (seed * 7) % 256, b: 99 },
    },
  })
    .jpeg()
    .toBuffer();

test('a worker killed in the middle of its image jobs loses nothing and stores nothing twice', async () => {
  const app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
  // As the queue has it, but noticed sooner.
  await app.database.pool.query(`update pgboss.queue set heartbeat_seconds = 4 where name = 'localize-images'`);
  let asked = 0;
  // However long it takes to notice that the worker is at it: it is not done before it is killed.
  const killed = Promise.withResolvers<void>();
  const serve = async (i: number): Promise<[string, Route]> => {
    const body = await picture(i);
    const answer: Route = async (_, response) => {
      asked += 1;
      if (asked > ANSWERED) await killed.promise;
      response.setHeader('content-type', 'image/jpeg').end(body);
    };
    return [`/${i}.jpg`, answer];
  };
  const served = await startSite(
    Object.fromEntries(await Promise.all(Array.from({ length: LISTINGS }, (_, i) => serve(i)))),
  );
  const admin = app.as(await app.createUser({ role: 'admin' }));
  const records = Array.from({ length: LISTINGS }, (_, i) => ({
    url: `https://boats.example.com/${i}`,
    title: `Sailing yacht number ${i} for sale`,
    description: 'A well kept cruising yacht with new sails and a serviced engine.',
    category_id: 'cruising',
    price: { amount: 1_000 + i, currency: 'EUR' },
    location: { country: 'DE', city: 'Kiel' },
    images: [`${served.url}/${i}.jpg`],
  }));
  expect((await admin.post('/api/ingest', { records })).body.created).toBe(LISTINGS);

  const env = {
    DATABASE_URL: app.database.url,
    DATA_DIR: app.dataDir,
    JWT_SECRET: 'a secret of the tests alone',
    FETCH_ALLOW: '127.0.0.1',
  };
  const shown = async () => {
    const { rows } = await app.database.pool.query<{ n: number }>(
      'select count(*)::int as n from listings where jsonb_array_length(images) = 1',
    );
    return rows[0]?.n ?? 0;
  };
  const first = startProcess('workers/main.ts', env);
  await eventually(async () => (await shown()) > 5, { describe: first.output });
  await first.kill('SIGKILL');
  expect(await shown()).toBeLessThan(LISTINGS);
  killed.resolve();

  const second = startProcess('workers/main.ts', env);
  await eventually(async () => (await shown()) === LISTINGS, { describe: second.output });
  const { rows } = await app.database.pool.query<{ images: number; waiting: number }>(
    `select (select count(*)::int from images) as images,
       (select count(*)::int from listing_images where status <> 'stored') as waiting`,
  );
  expect(rows[0]).toEqual({ images: LISTINGS, waiting: 0 });
  expect(await second.kill('SIGTERM')).toBe(0);
  await served.close();
  await app.close();
});
