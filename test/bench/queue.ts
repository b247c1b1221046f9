import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { fromKysely, PgBoss } from 'pg-boss';
import { createDatabase, createPool, inTransaction } from '../../db/client.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { createRunnerBoss, workQueues } from '../../shared/queues/runner.ts';
import { createJobs, ensureQueues, type Jobs } from '../../shared/queues/jobs.ts';
import { createLogger } from '../../shared/kit/log.ts';
import { createJobMetrics, createRegistry } from '../../shared/kit/metrics.ts';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { queueOf } from '../../shared/queues/queues.ts';

/** Ours works this queue of the contract, bare pg-boss one of the same settings beside it. */
const OURS = 'index-listing';
const BARE = 'bench-bare';
const JOBS = 10_000;
const ROUNDS = 5;
const SENDS = 300;
const payload = { listing_ids: ['lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2'] };
const log = createLogger('bench', 'warn');

type Contender = { name: string; queue: string; start(onJob: () => void): Promise<() => Promise<void>> };

/**
 * Works ten thousand no-op jobs through our runner and through bare pg-boss with the same settings, in turns, and prints the
 * medians of five rounds; then the time from a committed send to the start of its handler, when idle.
 */
export async function benchQueue(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-queue-'));
  const server = await startEmbedded({ dataDir });
  const databaseUrl = server.url;
  const pool = createPool({ databaseUrl, max: 4, applicationName: 'bench' });
  try {
    await prepareDatabase(databaseUrl, readConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl }));
    await ensureQueues(databaseUrl);
    const jobs = await createJobs(pool, log);
    await createBareQueue(jobs);
    const [own, other] = [ours(databaseUrl, pool), bare(databaseUrl)];
    await compareThroughput(pool, jobs, own, other);
    for (const contender of [own, other]) await measureLatency(pool, jobs, contender);
    await jobs.stop();
  } finally {
    await pool.end();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function compareThroughput(pool: Pool, jobs: Jobs, own: Contender, other: Contender): Promise<void> {
  const rounds: { own: number; other: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const rates = new Map<Contender, number>();
    // In turns, so that neither always comes first.
    for (const contender of round % 2 === 0 ? [own, other] : [other, own])
      rates.set(contender, await workAll(pool, jobs, contender));
    // The first round warms up.
    if (round > 0) rounds.push({ own: rates.get(own) ?? 0, other: rates.get(other) ?? 0 });
  }
  for (const [name, rate] of [
    [own.name, median(rounds.map((round) => round.own))],
    [other.name, median(rounds.map((round) => round.other))],
  ] as const) {
    console.log(`${name.padEnd(12)} ${Math.round(rate)} jobs/s`);
  }
  const ratios = rounds.map((round) => round.own / round.other);
  console.log(
    `ratio        ${median(ratios).toFixed(2)} of bare pg-boss (rounds ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}; at least 0.80)`,
  );
}

async function workAll(pool: Pool, jobs: Jobs, { queue, start }: Contender): Promise<number> {
  for (let sent = 0; sent < JOBS; sent += 1_000) {
    await jobs.boss.insert(
      queue,
      Array.from({ length: 1_000 }, () => ({ data: payload })),
      { returnId: false },
    );
  }
  // With the statistics of an empty table every fetch would sort the whole backlog, for whoever comes first.
  await pool.query('vacuum (analyze) pgboss.job_common');
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let done = 0;
  const startedAt = performance.now();
  const stop = await start(() => {
    done += 1;
    if (done === JOBS) resolve();
  });
  await all;
  const rate = JOBS / ((performance.now() - startedAt) / 1_000);
  await stop();
  return rate;
}

async function measureLatency(pool: Pool, jobs: Jobs, { name, queue, start }: Contender): Promise<void> {
  const db = createDatabase(pool);
  let noteStart: (() => void) | undefined;
  const stop = await start(() => noteStart?.());
  const waits: number[] = [];
  for (let sent = 0; sent < SENDS; sent += 1) {
    await sleep(20);
    const { promise: started, resolve } = Promise.withResolvers<void>();
    noteStart = resolve;
    await inTransaction(db, (tx) => sendIn(tx, jobs, queue));
    const committedAt = performance.now();
    await started;
    waits.push(performance.now() - committedAt);
  }
  await stop();
  waits.sort((a, b) => a - b);
  const at = (share: number) => (waits[Math.floor(share * waits.length)] ?? 0).toFixed(1);
  console.log(`${name.padEnd(12)} send to start p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (p50 at most 15 ms)`);
}

async function sendIn(tx: Parameters<Jobs['enqueue']>[0], jobs: Jobs, queue: string): Promise<void> {
  if (queue === OURS) {
    await jobs.enqueue(tx, OURS, payload);
    return;
  }
  await jobs.boss.send(queue, payload, { db: fromKysely(tx) });
}

function ours(databaseUrl: string, pool: Pool): Contender {
  return {
    name: 'our runner',
    queue: OURS,
    async start(onJob) {
      const boss = await createRunnerBoss(databaseUrl, log);
      const metrics = createJobMetrics(createRegistry('bench'));
      const handlers = { [OURS]: async () => onJob() };
      const runner = await workQueues(boss, handlers, undefined, { pool, log, metrics });
      return () => runner.stop();
    },
  };
}

/** As jobs.md tunes it: batches that are refilled at once, each job with its own result, woken by notifications. */
function bare(databaseUrl: string): Contender {
  return {
    name: 'bare pg-boss',
    queue: BARE,
    async start(onJob) {
      const boss = new PgBoss({
        connectionString: databaseUrl,
        max: 6,
        migrate: false,
        createSchema: false,
        useListenNotify: true,
        superviseIntervalSeconds: 5,
        monitorIntervalSeconds: 5,
      });
      boss.on('error', (error) => log.error({ err: error }, 'bare pg-boss'));
      await boss.start();
      const options = {
        batchSize: queueOf(OURS).batchSize,
        burstWhenBatchFull: true,
        perJobResults: true,
        pollingIntervalSeconds: 2,
        notifyPollingIntervalSeconds: 2,
      } as const;
      await boss.work(BARE, options, async (batch) =>
        batch.map(({ id }) => {
          onJob();
          return { id, status: 'completed' as const };
        }),
      );
      return () => boss.stop({ graceful: true, timeout: 5_000 });
    },
  };
}

async function createBareQueue({ boss }: Jobs): Promise<void> {
  const { policy, retryLimit, expireInSeconds, keepSeconds, notify } = queueOf(OURS);
  await boss.createQueue(BARE, { policy, retryLimit, expireInSeconds, deleteAfterSeconds: keepSeconds, notify });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
