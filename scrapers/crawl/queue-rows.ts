import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import type { QueueChanges, QueueRows, Target } from './spec.ts';

/** The request queue of a run, as it was stored last: pages in the order in which they were found. */
export async function readQueue(db: Database, runId: string): Promise<QueueRows> {
  const { rows } = await sql<{ key: string; status: keyof QueueRows; target: Target }>`
    select key, status, case when status = 'pending' then target end as target
    from crawl_requests where run_id = ${runId} order by seq`.execute(db);
  const keysOf = (status: keyof QueueRows) => rows.flatMap((row) => (row.status === status ? row.key : []));
  const pending = rows.flatMap((row) => (row.status === 'pending' ? row.target : []));
  return { pending, visited: keysOf('visited'), skipped: keysOf('skipped') };
}

/** Stores what has changed in the request queue of a run. */
export async function storeQueue(tx: Tx, runId: string, { queued, visited, skipped }: QueueChanges): Promise<void> {
  if (queued.length > 0)
    await sql`
      insert into crawl_requests (run_id, key, target, status)
      select ${runId}, n.target->>'key', n.target, 'pending'
      from jsonb_array_elements(${JSON.stringify(queued)}::jsonb) with ordinality as n (target, at) order by n.at
      on conflict (run_id, key) do nothing`.execute(tx);
  const settled = [...visited.map((key) => [key, 'visited']), ...skipped.map((key) => [key, 'skipped'])];
  if (settled.length === 0) return;
  await sql`
    insert into crawl_requests (run_id, key, status)
    select ${runId}, key, status from jsonb_each_text(${JSON.stringify(Object.fromEntries(settled))}::jsonb) as n (key, status)
    on conflict (run_id, key) do update set status = excluded.status, target = null`.execute(tx);
}

/** Forgets the request queue of a run that begins anew. */
export async function clearQueue(tx: Tx, runId: string): Promise<void> {
  await tx.deleteFrom('crawl_requests').where('run_id', '=', runId).execute();
}

/** Forgets the request queues of crawls that are over; safe to repeat. */
export async function dropQueues(db: Database): Promise<void> {
  await sql`
    delete from crawl_requests q using runs r
    where r.id = q.run_id and (r.status not in ('queued', 'running') or r.total is not null)`.execute(db);
}
