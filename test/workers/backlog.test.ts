import { afterEach, beforeAll, afterAll, expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { createRunnerBoss, workQueues, type Runner } from '../../shared/queues/runner.ts';
import { createJobMetrics, createRegistry } from '../../shared/kit/metrics.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { waitFor } from '../support/waiting.ts';

let app: TestApp;
let runner: Runner | undefined;
beforeAll(async () => {
  app = await startApp();
});
afterEach(() => runner?.stop());
afterAll(() => app.close());

/** How often nothing ended for as long as a worker pauses that waits for its next poll: two seconds. */
const pausesIn = (done: number[]) => done.filter((at, index) => index > 0 && at - done[index - 1]! > 1_900).length;

test('a backlog of a queue that is worked one job at a time is worked without pauses', async () => {
  const { db, jobs, log } = app.services;
  const waiting = Array.from({ length: 20 }, (_, index) => ({ payload: { listing_ids: [`lst_${index}`] } }));
  await inTransaction(db, (tx) => jobs.enqueueAll(tx, 'dedup-listing', waiting));
  const done: number[] = [];
  const boss = await createRunnerBoss(app.database.url, log);
  runner = await workQueues(
    boss,
    {
      'dedup-listing': async () => {
        done.push(performance.now());
      },
    },
    {},
    { pool: app.database.pool, log, metrics: createJobMetrics(createRegistry('test')) },
  );
  await waitFor(() => expect(done).toHaveLength(20));
  // Polls alone would make it nineteen; a busy machine makes it one or two.
  expect(pausesIn(done)).toBeLessThan(10);
});

test('each of the workers that share such a queue takes the next job at once', async () => {
  const { db, jobs, log } = app.services;
  const waiting = Array.from({ length: 30 }, (_, index) => ({ payload: { run_id: `run_${index}` } }));
  await inTransaction(db, (tx) => jobs.enqueueAll(tx, 'dedup-scan', waiting));
  let active = 0;
  let most = 0;
  const done: number[] = [];
  const boss = await createRunnerBoss(app.database.url, log);
  runner = await workQueues(
    boss,
    {
      'dedup-scan': async () => {
        active += 1;
        most = Math.max(most, active);
        await new Promise((resolve) => setTimeout(resolve, 200));
        active -= 1;
        done.push(performance.now());
      },
    },
    {},
    { pool: app.database.pool, log, metrics: createJobMetrics(createRegistry('test')) },
  );
  await waitFor(() => expect(done).toHaveLength(30));
  expect(most).toBe(3);
  // Nine by polls alone.
  expect(pausesIn(done)).toBeLessThan(5);
});
