import type { Pool } from 'pg';
import { readQueueDepths } from '../../shared/queue-depths.ts';
import { deadLetterOf, queueOf, type QueueName } from '../../shared/queues.ts';
import type { AuthenticatedHandler, Handler, Result } from '../http/types.ts';
import { requireQueue } from './jobs.ts';

type Queue = Result<'listQueues', 200>['results'][number];

/** Every queue with what it does and holds. */
export const listQueues: Handler<'listQueues'> = async ({ pool }) => ({
  status: 200,
  body: { results: await readQueues(pool) },
});

/** No job of the queue starts once this is answered, in any process; what workers hold is finished. */
export const pauseQueue: AuthenticatedHandler<'pauseQueue'> = async ({ pool, clock }, { params, caller }) => {
  const name = requireQueue(params.name);
  await pool.query('select pause_queue($1, $2, $3)', [name, caller.userId, clock.now()]);
  return { status: 200, body: await readQueue(pool, name) };
};

/** Undoes a pause; a queue that is not paused stays as it is. */
export const resumeQueue: Handler<'resumeQueue'> = async ({ pool }, { params }) => {
  const name = requireQueue(params.name);
  await pool.query('delete from paused_queues where name = $1', [name]);
  return { status: 200, body: await readQueue(pool, name) };
};

/** Moves all dead letters of the queue back into it. */
export const redriveQueue: Handler<'redriveQueue'> = async ({ jobs }, { params }) => {
  const name = requireQueue(params.name);
  let redriven = 0;
  for (let moved = -1; moved !== 0; redriven += moved)
    moved = await jobs.boss.redrive(deadLetterOf(name), { destination: name });
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
