import type { JobWithMetadata } from 'pg-boss';
import { handlers } from '../../workers/handlers.ts';
import { journalReaders } from '../../workers/journal-readers.ts';
import { createWorkerServices, type WorkerServices } from '../../workers/services.ts';
import type { Clock } from '../../shared/kit/clock.ts';
import { createJobs, GiveUp } from '../../shared/queues/jobs.ts';
import type { JobHandler } from '../../shared/queues/runner.ts';
import { registerReaders } from '../../shared/journal/reader.ts';
import { readToEnd } from '../../shared/journal/runner.ts';
import { queueOf, type Payload, type QueueOf } from '../../shared/queues/queues.ts';
import type { TestApp } from './app.ts';

type Name = QueueOf<'workers'>;
type Result = { id: string; status: 'completed' | 'failed' | 'deadletter'; output: object };

export type TestWorkers = {
  services: WorkerServices;
  /** Works the jobs of a queue that are due, each once; a handler may replace the queue's own. */
  work<Queue extends Name>(queue: Queue, handler?: JobHandler<WorkerServices, Queue>): Promise<Result[]>;
  /** Takes the jobs of a queue that are due, and all mails that have not been tried, without working them. */
  take<Queue extends Name>(queue: Queue): Promise<JobWithMetadata<Payload<Queue>>[]>;
  /** Lets every reader of the journal handle what was committed before; new readers start where startWorkers found its end. */
  readJournal(): Promise<void>;
  close(): Promise<void>;
};

/** The services of a worker process on the app's database, without its loop: a test says when jobs are worked. */
export async function startWorkers(
  app: TestApp,
  { clock = app.services.clock, env = {} }: { clock?: Clock; env?: Partial<WorkerServices['config']> } = {},
): Promise<TestWorkers> {
  const jobs = await createJobs(app.database.pool, app.services.log);
  const config = { ...app.services.config, ...env };
  const { services, stop } = await createWorkerServices(config, app.services.log, jobs.boss, clock);
  const readers = journalReaders.map(({ name }) => name);
  await registerReaders(services.db, readers, clock.now());

  async function take<Queue extends Name>(queue: Queue) {
    // Mails of a publication wait for the check for scams; whether that time is over is no matter of how fast a test is.
    if (queue === 'send-email')
      await app.database.pool.query(
        `update pgboss.job set start_after = now() where name = 'send-email' and state = 'created'`,
      );
    return jobs.boss.fetch<Payload<Queue>>(queue, { batchSize: 1_000, includeMetadata: true });
  }

  return {
    services,
    take,
    async work(queue, handler = handlers[queue]) {
      const results: Result[] = [];
      for (const job of await take(queue)) {
        const payload = queueOf(queue).payload.parse(job.data) as Payload<typeof queue>;
        const context = {
          signal: new AbortController().signal,
          log: services.log,
          jobId: job.id,
          attempt: job.retryCount,
        };
        try {
          const output = (await handler(services, payload, context)) ?? {};
          await jobs.boss.complete(queue, job.id, output);
          results.push({ id: job.id, status: 'completed', output });
        } catch (error) {
          const output = { error: error instanceof Error ? error.message : String(error) };
          await jobs.boss.fail(queue, job.id, output);
          results.push({ id: job.id, status: error instanceof GiveUp ? 'deadletter' : 'failed', output });
        }
      }
      await services.background.idle();
      return results;
    },
    readJournal: () => readToEnd(services, journalReaders),
    async close() {
      await stop();
      await jobs.stop();
    },
  };
}
