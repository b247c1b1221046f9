import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
import { inTransaction } from '../../../db/client.ts';
import { dedupKind, startDedupRun } from '../../../shared/dedup/runs.ts';
import type { Recipe } from './recipe.ts';

const attended = new WeakSet<Services>();

/** Ends the scans that are waited for on this database, as if they had found nothing, for as long as it is there. */
const withWorker: Recipe = ({ services }) => {
  if (!attended.has(services)) {
    attended.add(services);
    void (async () => {
      for (;;) {
        await services.pool.query(
          `update runs set status = 'succeeded', finished_at = $2 where kind = $1 and subject <> '' and status = 'queued'`,
          [dedupKind, services.clock.now()],
        );
        await sleep(10, undefined, { ref: false });
      }
      // The database of a test goes before its process does.
    })().catch(() => undefined);
  }
  return {};
};

async function endJobs({ db }: Services): Promise<void> {
  const live = db.updateTable('runs').set({ status: 'cancelled' }).where('status', 'in', ['queued', 'running']);
  await live.where('kind', '=', dedupKind).where('subject', '=', '').execute();
}

const withoutJob: Recipe = async ({ services }) => {
  await endJobs(services);
  return {};
};

const withJob: Recipe = async ({ services, admin }) => {
  await endJobs(services);
  const { db, jobs, clock } = services;
  await inTransaction(db, (tx) => startDedupRun(tx, jobs, { threshold: 0.6, mergeFrom: null }, admin.id, clock.now()));
  return {};
};

/** What the operations that look for duplicates need. */
export const dedupRunRecipes: Partial<Record<OperationId, Recipe>> = {
  scanDedup: withWorker,
  scanAndMergeDedup: withWorker,
  startDedupJob: withoutJob,
  stopDedupJob: withJob,
};
