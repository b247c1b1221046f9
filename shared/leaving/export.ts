import { sql } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import { createPrivateStorage } from '../adapters/create-storage.ts';
import { addMilliseconds, DAY_MS, type Clock } from '../kit/clock.ts';
import { rateLimited } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { startRun } from '../runs/control.ts';
import { exportKeyOf } from './export-file.ts';

/** So many archives a person gets made in a day. */
const MAX_PER_DAY = 3;

export type ExportStatus = 'preparing' | 'ready' | 'fetched' | 'expired' | 'failed';
export type PersonExport = {
  id: string;
  status: ExportStatus;
  created_at: Date;
  expires_at: Date | null;
  bytes: number | null;
};

/** Asks for the archive of a person, which replaces an earlier one; 409 while one is being made, 429 beyond a few a day. */
export async function openExport(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  userId: string,
  { now, multiplier }: { now: Date; multiplier: number },
): Promise<{ id: string; jobId: string }> {
  const id = newId('export');
  const run = { kind: 'export', subject: userId, trigger: 'manual', startedBy: null, counters: { bytes: 0 } } as const;
  const { runId, jobId } = await startRun(tx, jobs, { ...run, params: { export_id: id } }, now);
  await countExport(tx, userId, multiplier, now);
  const fields = { id, run_id: runId, created_at: now };
  const empty = { bytes: null, finished_at: null, expires_at: null, fetched_at: null, deleted_at: null };
  await tx
    .insertInto('account_exports')
    .values({ ...fields, user_id: userId })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ ...fields, ...empty }))
    .execute();
  return { id, jobId };
}

async function countExport(tx: Tx, userId: string, multiplier: number, now: Date): Promise<void> {
  if (multiplier === 0) return;
  const start = new Date(now.getTime() - (now.getTime() % DAY_MS));
  const limit = Math.max(1, Math.floor(MAX_PER_DAY * multiplier));
  const { rows } = await sql`
    insert into quota_uses as q (quota, subject, window_start, used) values ('exports', ${userId}, ${start}, 1)
    on conflict (quota, subject, window_start) do update set used = q.used + 1 where q.used < ${limit}
    returning used`.execute(tx);
  if (rows.length === 0)
    throw rateLimited(
      `At most ${limit} archives a day are made.`,
      Math.ceil((start.getTime() + DAY_MS - now.getTime()) / 1_000),
    );
}

/** The last archive that a person has asked for; undefined when there was none. */
export async function findExport(db: Database, userId: string, now: Date): Promise<PersonExport | undefined> {
  const row = await db
    .selectFrom('account_exports as e')
    .leftJoin('runs as r', 'r.id', 'e.run_id')
    .select(['e.id', 'e.created_at', 'e.finished_at', 'e.expires_at', 'e.fetched_at', 'e.bytes', 'r.status as run'])
    .where('e.user_id', '=', userId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { id, created_at, expires_at, bytes } = row;
  return { id, status: statusOf(row, now), created_at, expires_at, bytes };
}

type Times = { finished_at: Date | null; expires_at: Date | null; fetched_at: Date | null; run: string | null };

function statusOf({ finished_at, expires_at, fetched_at, run }: Times, now: Date): ExportStatus {
  if (finished_at === null) return run === 'queued' || run === 'running' ? 'preparing' : 'failed';
  if (fetched_at !== null) return 'fetched';
  return expires_at !== null && expires_at <= now ? 'expired' : 'ready';
}

/** Takes an archive to hand it out, once: of several who ask at the same time one gets its key, the others undefined. */
export async function takeExport(db: Database, id: string, now: Date): Promise<string | undefined> {
  const taken = await db
    .updateTable('account_exports')
    .set({ fetched_at: now })
    .where('id', '=', id)
    .where('finished_at', 'is not', null)
    .where('fetched_at', 'is', null)
    .where('deleted_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  return taken && exportKeyOf(taken.user_id, id);
}

/** Whether an archive can be fetched. */
export async function isExportReady(db: Database, id: string, now: Date): Promise<boolean> {
  const ready = await db
    .selectFrom('account_exports')
    .select('id')
    .where('id', '=', id)
    .where('finished_at', 'is not', null)
    .where('fetched_at', 'is', null)
    .where('deleted_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return ready !== undefined;
}

/** Gives an archive back whose download has broken off. */
export async function returnExport(db: Database, id: string): Promise<void> {
  await db
    .updateTable('account_exports')
    .set({ fetched_at: null })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute();
}

type Sweeping = { db: Database; clock: Clock; config: Parameters<typeof createPrivateStorage>[0] };

/** How long a download may take that has begun. */
const FETCH_MS = DAY_MS / 24;

/** Deletes the files of archives that can be fetched no more, those that were replaced too; answers how many archives. */
export async function deleteOldExports({ db, clock, config }: Sweeping): Promise<number> {
  const now = clock.now();
  const storage = await createPrivateStorage(config);
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ user_id: string; id: string }>`
      update account_exports set deleted_at = ${now} where user_id in (
        select user_id from account_exports where deleted_at is null
          and (expires_at < ${addMilliseconds(now, -FETCH_MS)} or fetched_at < ${addMilliseconds(now, -FETCH_MS)})
        limit 100 for update skip locked)
      returning user_id, id`.execute(tx);
    await storage.delete(rows.map((row) => exportKeyOf(row.user_id, row.id)));
    return rows.length;
  });
}
