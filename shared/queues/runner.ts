import type { Pool } from 'pg';
import { PgBoss, type JobResult, type JobWithMetadata } from 'pg-boss';
import { createDatabase } from '../../db/client.ts';
import { isolateSuspect } from './isolation.ts';
import { GiveUp } from './jobs.ts';
import { deadlinesOf, type Deadlines } from '../kit/deadlines.ts';
import type { Logger } from '../kit/log.ts';
import type { JobMetrics } from '../kit/metrics.ts';
import { queueOf, queues, type Payload, type QueueName } from './queues.ts';
import { inJobSpan } from './trace-jobs.ts';

export type JobContext = {
  /** Aborts when the job expires, is cancelled or the process drains: every fetch and long computation watches it. */
  signal: AbortSignal;
  log: Logger;
  jobId: string;
  /** 0 for the first try. */
  attempt: number;
};

export type JobHandler<Services, Name extends QueueName> = (
  services: Services,
  payload: Payload<Name>,
  context: JobContext,
) => Promise<object | void>;

export type Runner = { stop(): Promise<void> };

/** A pg-boss instance that works queues, keeps time and notices dead workers within about 12 seconds. */
export async function createRunnerBoss(databaseUrl: string, log: Logger): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'quayside-jobs',
    max: 6,
    migrate: false,
    createSchema: false,
    useListenNotify: true,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    queueCacheIntervalSeconds: 10,
  });
  boss.on('error', (error) => log.error({ err: error }, 'job queue'));
  boss.on('warning', (warning) => log.warn({ warning }, 'job queue'));
  await boss.start();
  return boss;
}

/**
 * Works the queues of `handlers`: it checks the payload, runs the handler with its signal, and is the only place that
 * logs, times and counts jobs. GiveUp and bad payloads go to the dead letters; other errors are tried again. Jobs whose
 * process died are worked one by one. The database holds the jobs of queues that an admin pauses (0062_paused-queues.sql).
 */
export async function workQueues<Services, Name extends QueueName>(
  boss: PgBoss,
  handlers: { [Queue in Name]: JobHandler<Services, Queue> },
  services: Services,
  {
    pool,
    log,
    metrics,
    deadlines = deadlinesOf(),
  }: { pool: Pool; log: Logger; metrics: JobMetrics; deadlines?: Deadlines },
): Promise<Runner> {
  const draining = new AbortController();
  const db = createDatabase(pool);

  async function beginWorker(name: Name, batchSize: number): Promise<void> {
    const options = {
      batchSize,
      burstWhenBatchFull: true,
      perJobResults: true,
      includeMetadata: true,
      pollingIntervalSeconds: 2,
      notifyPollingIntervalSeconds: 2,
    } as const;
    let worker = '';
    worker = await boss.work<Payload<Name>, object, typeof options>(name, options, async (batch) => {
      const jobs = await isolateSuspect(db, batch);
      // What went back is due at once; and a batch of one never counts as full, though more may wait behind it.
      if (jobs.length < batch.length || batchSize === 1) boss.notifyWorker(worker);
      return Promise.all(
        jobs.map(async (job) =>
          inJobSpan(name, job, () =>
            runJob(name, handlers[name], services, job, { log, metrics, draining: draining.signal }),
          ),
        ),
      );
    });
  }

  for (const name of Object.keys(handlers) as Name[]) {
    const { batchSize, concurrency = 1 } = queueOf(name);
    for (let worker = 0; worker < concurrency; worker += 1) await beginWorker(name, batchSize);
  }

  return {
    async stop() {
      const abort = setTimeout(() => draining.abort(new Error('the process is stopping')), deadlines.jobsStop);
      await boss.stop({ graceful: true, timeout: deadlines.jobsLeave });
      clearTimeout(abort);
    },
  };
}

async function runJob<Services, Name extends QueueName>(
  name: Name,
  handler: JobHandler<Services, Name>,
  services: Services,
  job: JobWithMetadata<Payload<Name>>,
  { log, metrics, draining }: { log: Logger; metrics: JobMetrics; draining: AbortSignal },
): Promise<JobResult> {
  const startedAt = performance.now();
  let signal: AbortSignal | undefined;
  const bindings = { queue: name, job_id: job.id, attempt: job.retryCount };
  const waitSeconds = Math.max(0, (Date.now() - Math.max(job.createdOn.getTime(), job.startAfter.getTime())) / 1_000);
  const settle = (
    status: JobResult['status'],
    output: object,
    level: 'debug' | 'warn' | 'error',
    message: string,
  ): JobResult => {
    const seconds = (performance.now() - startedAt) / 1_000;
    metrics.observe(name, status, seconds, waitSeconds);
    if (log.isLevelEnabled(level))
      log[level]({ ...bindings, ...output, duration_ms: Math.round(seconds * 1_000) }, message);
    return { id: job.id, status, output };
  };

  const payload = queues[name].payload.safeParse(job.data);
  if (!payload.success)
    return settle('deadletter', { error: `bad payload: ${payload.error.message}` }, 'error', 'job refused');
  try {
    const result = await handler(services, payload.data as Payload<Name>, {
      // Made when a handler asks for them: short jobs do without.
      get signal() {
        signal ??= AbortSignal.any([job.signal, draining]);
        return signal;
      },
      get log() {
        return log.child(bindings);
      },
      jobId: job.id,
      attempt: job.retryCount,
    });
    return settle('completed', result ?? {}, 'debug', 'job done');
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof GiveUp) return settle('deadletter', { error: message }, 'error', 'job given up');
    return settle('failed', { error: message }, 'warn', 'job failed');
  }
}
