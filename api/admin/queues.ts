import { sql } from 'kysely';
import type { Pool } from 'pg';
import { inTransaction } from '../../db/client.ts';
import { bossOf } from '../../shared/queues/jobs.ts';
import { readQueueDepths } from '../../shared/queues/inspect.ts';
import { deadLetterOf, queueOf, type QueueName } from '../../shared/queues/queues.ts';
import type { Result } from '../http/types.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import { requireQueue } from './jobs.ts';

type Queue = Result<'listQueues', 200>['results'][number];

/** Every queue with what it does and holds. */
export const listQueues: Handler<'listQueues'> = async ({ pool }) => ({
  status: 200,
  body: { results: await readQueues(pool) },
});

/** No job of the queue starts once this is answered, in any process; what workers hold is finished. */
export const pauseQueue: AuthenticatedHandler<'pauseQueue'> = async (services, { params, caller }) => {
  const { pool, db, clock } = services;
  const name = requireQueue(params.name);
  const queue = await readQueue(pool, name);
  await inTransaction(db, (tx) => sql`select pause_queue(${name}, ${caller.userId}, ${clock.now()})`.execute(tx));
  return { status: 200, body: { ...queue, paused: true } };
};

/** Undoes a pause; a queue that is not paused stays as it is. */
export const resumeQueue: Handler<'resumeQueue'> = async ({ pool, db }, { params }) => {
  const name = requireQueue(params.name);
  const queue = await readQueue(pool, name);
  await inTransaction(db, (tx) => tx.deleteFrom('paused_queues').where('name', '=', name).execute());
  return { status: 200, body: { ...queue, paused: false } };
};

/** Moves all dead letters of the queue back into it. */
export const redriveQueue: Handler<'redriveQueue'> = async ({ db }, { params }) => {
  const name = requireQueue(params.name);
  const redriven = await inTransaction(db, async (tx) => {
    const boss = bossOf(tx);
    const redrive = () => boss.redrive(deadLetterOf(name), { destination: name });
    let all = 0;
    for (let moved = await redrive(); moved > 0; moved = await redrive()) all += moved;
    return all;
  });
  return { status: 200, body: { name, redriven } };
};

async function readQueue(pool: Pool, name: QueueName): Promise<Queue> {
  const queue = (await readQueues(pool)).find((candidate) => candidate.name === name);
  if (!queue) throw new Error(`the queue ${name} is not listed`);
  return queue;
}

async function readQueues(pool: Pool): Promise<Queue[]> {
  const [depths, paused] = await Promise.all([
    readQueueDepths(pool),
    pool.query<{ name: string }>('select name from paused_queues'),
  ]);
  const pausedNames = new Set(paused.rows.map((row) => row.name));
  return depths.map((depth) => ({
    ...depth,
    description: queueOf(depth.name).does,
    paused: pausedNames.has(depth.name),
  }));
}
