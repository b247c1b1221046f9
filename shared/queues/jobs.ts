import { CompiledQuery, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import { PgBoss, type JobInsert, type SendOptions } from 'pg-boss';
import { prepared } from '../../db/prepared.ts';
import type { DB } from '../../db/types.gen.ts';
import type { Logger } from '../kit/log.ts';
import { holdPausedQueues } from './inspect.ts';
import { deadLetterOf, queueNames, queueOf, type Payload, type QueueName } from './queues.ts';
import { inSendSpan } from './trace-jobs.ts';

/** A connection that jobs are written through: the transaction of the change that causes them. */
export type Tx = Transaction<DB>;

export type EnqueueOptions = {
  /** On `short` queues: one waiting job per key; a second send while one waits is dropped. */
  key?: string;
  startAfter?: Date;
  priority?: number;
};

/** Sends jobs. Every send is part of the caller's transaction: a rollback leaves no job, a commit loses none. */
export type Jobs = {
  enqueue<Name extends QueueName>(
    tx: Tx,
    queue: Name,
    payload: Payload<Name>,
    options?: EnqueueOptions,
  ): Promise<string | null>;
  /** As enqueue, for many: one statement. */
  enqueueAll<Name extends QueueName>(
    tx: Tx,
    queue: Name,
    jobs: { payload: Payload<Name>; options?: EnqueueOptions }[],
  ): Promise<void>;
  boss: PgBoss;
  stop(): Promise<void>;
};

/** A producer on the application's own pool: it sends, looks up and steers jobs, and works none. */
export async function createJobs(pool: Pool, log: Logger): Promise<Jobs> {
  const boss = new PgBoss({
    db: { executeSql: async (text, values) => pool.query(text, values as unknown[]) },
    supervise: false,
    schedule: false,
    migrate: false,
    createSchema: false,
  });
  boss.on('error', (error) => log.error({ err: error }, 'job queue'));
  await boss.start();
  return { ...sendWith(boss), boss, stop: () => boss.stop({ graceful: false }) };
}

/** A pg-boss whose every statement is one of the transaction: it steers jobs, queues and schedules, and is never started. */
export function bossOf(tx: Tx): PgBoss {
  return new PgBoss({ db: through(tx), supervise: false, schedule: false, migrate: false, createSchema: false });
}

/** The sending half of a pg-boss instance. */
export function sendWith(boss: PgBoss): Pick<Jobs, 'enqueue' | 'enqueueAll'> {
  return {
    enqueue: (tx, queue, payload, options = {}) =>
      inSendSpan(queue, 1, (traced) =>
        boss.send(queue, traced(payload as object), { ...jobOptions(options), db: through(tx) } satisfies SendOptions),
      ),
    async enqueueAll(tx, queue, jobs) {
      if (jobs.length === 0) return;
      await inSendSpan(queue, jobs.length, (traced) => {
        const rows = jobs.map(({ payload, options = {} }): JobInsert => ({
          data: traced(payload as object),
          ...jobOptions(options),
        }));
        return boss.insert(queue, rows, { db: through(tx), returnId: false });
      });
    },
  };
}

/** Planning the long statement of an insert costs more than running it. */
function through(tx: Tx): NonNullable<SendOptions['db']> {
  return {
    async executeSql(text, values = []) {
      const query = CompiledQuery.raw(text, [...values]);
      const { rows } = await tx.executeQuery(values.length > 0 ? prepared(query) : query);
      return { rows };
    },
  };
}

function jobOptions({ key, startAfter, priority }: EnqueueOptions) {
  return {
    ...(key && { singletonKey: key }),
    ...(startAfter && { startAfter }),
    ...(priority !== undefined && { priority }),
  };
}

/** Creates or updates every queue, its dead letters and its schedule as shared/queues/queues.ts says. Safe to repeat and to run in parallel. */
export async function ensureQueues(databaseUrl: string): Promise<void> {
  const boss = new PgBoss({ connectionString: databaseUrl, supervise: false, schedule: false, max: 1 });
  boss.on('error', () => undefined);
  await boss.start();
  try {
    const known = new Set((await boss.getQueues()).map((queue) => queue.name));
    for (const name of queueNames) await ensureQueue(boss, name, known);
    await holdPausedQueues(boss);
  } finally {
    await boss.stop({ graceful: false });
  }
}

async function ensureQueue(boss: PgBoss, name: QueueName, known: Set<string>): Promise<void> {
  const queue = queueOf(name);
  const dead = deadLetterOf(name);
  if (!known.has(dead)) await boss.createQueue(dead, { retentionSeconds: 90 * 86_400 });
  const options = {
    retryLimit: queue.retryLimit,
    retryDelay: queue.retryDelaySeconds,
    retryBackoff: true,
    retryDelayMax: queue.retryDelayMaxSeconds,
    expireInSeconds: queue.expireInSeconds,
    deleteAfterSeconds: queue.keepSeconds,
    deadLetter: dead,
    notify: queue.notify,
    ...(queue.heartbeatSeconds && { heartbeatSeconds: queue.heartbeatSeconds }),
  };
  if (!known.has(name)) await boss.createQueue(name, { ...options, policy: queue.policy });
  else await boss.updateQueue(name, options);
  if (queue.schedule) await boss.schedule(name, queue.schedule, {}, { tz: 'UTC', missed: 'once' });
}

/** Thrown by a handler that cannot ever succeed with this job: it goes to the dead letters at once. */
export class GiveUp extends Error {}
