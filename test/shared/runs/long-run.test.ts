import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { inTransaction } from '../../../db/client.ts';
import { GiveUp } from '../../../shared/queues/jobs.ts';
import { startRun, stopRun } from '../../../shared/runs/control.ts';
import { longRun, RunFailed, type LongRun } from '../../../shared/runs/long-run.ts';
import { startApp, type TestApp } from '../../support/app.ts';

type Services = TestApp['services'];
type Step = LongRun<Services, { at: number }, unknown, 'done'>['step'];

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await query('create table written (at integer)');
});
afterAll(() => app.close());
beforeEach(async () => {
  await query('truncate written');
  await query('delete from runs');
  await query(`delete from pgboss.job where name = 'requeue-images'`);
});

const query = async (text: string) => (await app.database.pool.query(text)).rows;
const counters = { done: 0 };
const kind = {
  kind: 'images',
  cursor: z.object({ at: z.number() }).prefault({ at: 0 }),
  params: z.unknown(),
  counters,
} as const;
const LAST = 4;

/** Writes one row a step, and ends with the fourth. */
const write: Step = (_services, run) =>
  run.advance(async (tx) => {
    const at = run.cursor.at + 1;
    await tx.executeQuery({ sql: `insert into written values (${at})`, parameters: [] } as never);
    return { cursor: { at }, count: { done: 1 }, ...(at === LAST && { end: 'succeeded' }) };
  });

const start = () =>
  inTransaction(app.services.db, (tx) =>
    startRun(
      tx,
      app.services.jobs,
      { kind: 'images', subject: '', trigger: 'manual', startedBy: null, counters },
      app.services.clock.now(),
    ),
  );

/** Takes the job that is due, as a worker would; undefined when none is. */
async function takeJob(signal = new AbortController().signal) {
  await query(`update pgboss.job set start_after = now() where name = 'requeue-images'`);
  const [job] = await app.services.jobs.boss.fetch<{ run_id: string }>('requeue-images', { includeMetadata: true });
  return (
    job && {
      runId: job.data.run_id,
      context: { signal, log: app.services.log, jobId: job.id, attempt: job.retryCount },
    }
  );
}

/** Works the job that is due with this step. */
async function work(
  step: Step,
  { signal, ...more }: Partial<LongRun<Services, { at: number }, unknown, 'done'>> & { signal?: AbortSignal } = {},
) {
  const job = await takeJob(signal);
  if (!job) return undefined;
  const { boss } = app.services.jobs;
  try {
    const result = await longRun({ ...kind, step, ...more })(app.services, job.runId, job.context);
    await boss.complete('requeue-images', { id: job.context.jobId, retryCount: job.context.attempt });
    return result;
  } catch (error) {
    await boss.fail('requeue-images', { id: job.context.jobId, retryCount: job.context.attempt });
    return error;
  }
}

const run = async () =>
  (await query('select status, counters, cursor, tries, error, last_error, paused_reason from runs'))[0];
const written = async () => (await query('select at from written order by at')).map(({ at }) => at);
const events = async () =>
  (await query(`select type from events where subject in (select id from runs) order by seq`)).map(({ type }) => type);
const jobState = async () => (await query(`select state from pgboss.job where name = 'requeue-images'`))[0]?.state;

describe('a run', () => {
  test('is worked step by step to its end, and tells it with one event', async () => {
    await start();
    expect(await work(write)).toEqual({ outcome: 'succeeded', done: LAST });
    expect(await written()).toEqual([1, 2, 3, 4]);
    expect(await run()).toMatchObject({ status: 'succeeded', counters: { done: LAST }, cursor: { at: LAST } });
    expect(await events()).toEqual(['run.completed']);
    expect(await work(write)).toBeUndefined();
  });

  test('is one at a time: 409 for a second one', async () => {
    await start();
    await expect(start()).rejects.toMatchObject({ status: 409 });
  });

  test('writes a change, its counters and the cursor together or not at all', async () => {
    await start();
    const error = await work((services, each) =>
      each.cursor.at < 2
        ? write(services, each)
        : each.advance(async (tx) => {
            await tx.executeQuery({ sql: 'insert into written values (99)', parameters: [] } as never);
            throw new Error('no room');
          }),
    );
    expect(error).toMatchObject({ message: 'no room' });
    expect(await written()).toEqual([1, 2]);
    expect(await run()).toMatchObject({ status: 'running', counters: { done: 2 }, tries: 1, last_error: 'no room' });
    await work(write);
    expect(await written()).toEqual([1, 2, 3, 4]);
    expect(await run()).toMatchObject({ status: 'succeeded', counters: { done: LAST } });
  });

  test('that two processes work at once is the later one’s: the other writes and counts nothing more', async () => {
    await start();
    const job = (await takeJob())!;
    const later = { ...job.context };
    const result = await longRun({
      ...kind,
      async step(services: Services, each) {
        if (each.cursor.at === 2) await longRun({ ...kind, step: write })(services, job.runId, later);
        return write(services, each);
      },
    })(app.services, job.runId, job.context);
    expect(result).toMatchObject({ outcome: 'ended' });
    expect(await written()).toEqual([1, 2, 3, 4]);
    expect(await run()).toMatchObject({ status: 'succeeded', counters: { done: LAST } });
    expect(await events()).toEqual(['run.completed']);
  });
});

describe('a step that does not come through', () => {
  const fail: Step = async () => {
    throw new Error('no way');
  };

  test('is tried five times, then the run has failed and its job is given up', async () => {
    await start();
    for (let tries = 1; tries < 5; tries += 1) {
      expect(await work(fail)).toMatchObject({ message: 'no way' });
      expect(await run()).toMatchObject({ status: 'running', tries });
    }
    expect(await work(fail)).toBeInstanceOf(GiveUp);
    expect(await run()).toMatchObject({ status: 'failed', error: 'no way' });
    expect(await events()).toEqual(['run.failed']);
  });

  test('but for one that gets on in between', async () => {
    await start();
    for (let tries = 0; tries < 12; tries += 1)
      await work(tries % 4 === 3 ? (services, each) => write(services, each).then(() => fail(services, each)) : fail);
    expect(await run()).toMatchObject({ status: 'running', counters: { done: 3 } });
  });

  test('because its process dies each time fails, too', async () => {
    await start();
    await query('update runs set tries = 5');
    expect(await work(write)).toBeInstanceOf(GiveUp);
    expect(await run()).toMatchObject({ status: 'failed', error: expect.stringContaining('again and again') });
  });

  test('and never will ends the run without another try', async () => {
    await start();
    const over = await work(async () => {
      throw new RunFailed('The site is gone.');
    });
    expect(over).toEqual({ outcome: 'failed', reason: 'The site is gone.' });
    expect(await run()).toMatchObject({ status: 'failed', error: 'The site is gone.' });
  });

  test('for a reason to pause leaves the run paused, which no job works', async () => {
    await start();
    const pauseReason = (_: unknown, tries: number) => (tries >= 2 ? 'it rains' : undefined);
    await work(fail, { pauseReason });
    expect(await work(fail, { pauseReason })).toEqual({ outcome: 'paused' });
    expect(await run()).toMatchObject({ status: 'running', paused_reason: 'it rains', error: null });
    await query(`update pgboss.job set state = 'created' where name = 'requeue-images'`);
    expect(await work(write)).toEqual({ outcome: 'stopped' });
    expect(await written()).toEqual([]);
    expect(await run()).toMatchObject({ status: 'running', paused_reason: 'it rains' });
  });
});

describe('a run is left', () => {
  test('by a process that stops: its job goes back at once, which is no try, and the next process goes on', async () => {
    await start();
    const stopping = new AbortController();
    const result = await work(
      async (services, each) => {
        await write(services, each);
        if (each.cursor.at === 2) stopping.abort(new Error('the process is stopping'));
      },
      { signal: stopping.signal },
    );
    expect(result).toEqual({ outcome: 'handed on' });
    expect(await jobState()).toBe('retry');
    expect(await run()).toMatchObject({ status: 'running', tries: 0, counters: { done: 2 } });
    await work(write);
    expect(await written()).toEqual([1, 2, 3, 4]);
    expect(await events()).toEqual(['run.completed']);
  });

  test('after so many steps, when its kind says so', async () => {
    await start();
    const perJob = { steps: 3, ms: Infinity };
    expect(await work(write, { perJob })).toEqual({ outcome: 'handed on' });
    expect(await written()).toEqual([1, 2, 3]);
    expect(await work(write, { perJob })).toMatchObject({ outcome: 'succeeded' });
  });

  test('for good when its job is cancelled while its row is locked: after the step at hand', async () => {
    await start();
    const result = await work(async (services, each) => {
      await query(`update pgboss.job set state = 'cancelled' where name = 'requeue-images'`);
      return write(services, each);
    });
    expect(result).toEqual({ outcome: 'stopped', done: 1 });
    expect(await run()).toMatchObject({ status: 'cancelled', counters: { done: 1 } });
    expect(await events()).toEqual(['run.cancelled']);
  });

  test('for good when it is asked to stop: after the step at hand, or at once when nobody works it', async () => {
    const stop = () => inTransaction(app.services.db, (tx) => stopRun(tx, 'images', '', app.services.clock.now()));
    await start();
    await work(async (services, each) => {
      expect(await stop()).toMatchObject({ status: 'stopping' });
      return write(services, each);
    });
    expect(await run()).toMatchObject({ status: 'cancelled', counters: { done: 1 } });
    await query('delete from runs');
    await start();
    expect(await stop()).toMatchObject({ status: 'stopped' });
    expect(await stop()).toBeUndefined();
    expect(await work(write)).toEqual({ outcome: 'stopped' });
    expect(await events()).toEqual(['run.cancelled']);
  });
});
