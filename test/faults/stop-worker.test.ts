import { expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { startApp } from '../support/app.ts';
import { startProcess } from '../support/processes.ts';
import { startSite } from '../support/site-server.ts';
import { eventually } from '../support/waiting.ts';
import { scaled } from '../support/machine.ts';

const GRACE_MS = 15_000;

test('a worker told to stop in the middle of a long job ends it, puts it back for another and is gone in time', async () => {
  const app = await startApp();
  let begun = 0;
  let abortedAt = 0;
  const site = await startSite({
    // An image that takes for ever.
    '/slow.jpg': (_request, response) => {
      begun += 1;
      response.on('close', () => (abortedAt = performance.now()));
    },
  });
  const admin = app.as(await app.createUser({ role: 'admin' }));
  const record = {
    url: 'https://boats.example.com/1',
    title: 'Sailing yacht for sale',
    description: 'A well kept cruising yacht with new sails and a serviced engine.',
    category_id: 'cruising',
    price: { amount: 1_000, currency: 'EUR' },
    location: { country: 'DE', city: 'Kiel' },
    images: [`${site.url}/slow.jpg`],
  };
  expect((await admin.post('/api/ingest', { records: [record] })).body.created).toBe(1);
  const worker = startProcess('workers/main.ts', {
    DATABASE_URL: app.database.url,
    DATA_DIR: app.dataDir,
    JWT_SECRET: 'a secret of the tests alone',
    FETCH_ALLOW: '127.0.0.1',
    DEADLINE_FACTOR: '1',
  });
  await eventually(async () => begun > 0, { describe: worker.output });
  const user = await app.createUser();
  const message = {
    message_id: 'test.short',
    template: 'listing-approved',
    user_id: user.id,
    data: { title: 'x', url: app.url },
  };

  const stoppedAt = performance.now();
  const stopped = worker.kill('SIGTERM');
  await inTransaction(app.services.db, (tx) => app.services.jobs.enqueue(tx, 'send-email', message));
  expect(await stopped, worker.output()).toBe(0);
  expect(performance.now() - stoppedAt).toBeLessThan(scaled(GRACE_MS));
  expect(abortedAt - stoppedAt).toBeGreaterThan(0);
  const { rows } = await app.database.pool.query<{ state: string }>(
    `select state::text from pgboss.job where name in ('localize-images', 'send-email') order by name`,
  );
  // The mail came while the worker began to stop: it is done, or left to another.
  expect(rows).toEqual([{ state: 'retry' }, { state: expect.stringMatching(/^(?:created|completed)$/) }]);
  await site.close();
  await app.close();
});
