import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
import { newId } from '../../../shared/kit/ids.ts';
import type { Recipe } from './recipe.ts';

/** A reimport run that has ended, with one change. */
export async function createReimport({ db, clock }: Services): Promise<string> {
  const id = newId('run');
  const now = clock.now();
  const counters = JSON.stringify({ done: 1, changed: 1, skipped: 0, failed: 0, 'field:title': 1 });
  const params = JSON.stringify({ dry_run: true, site: null });
  await db
    .insertInto('runs')
    .values({ id, kind: 'reimport', status: 'succeeded', params, counters, created_at: now, updated_at: now })
    .execute();
  const [previous, next] = [JSON.stringify({ title: 'Nimbus' }), JSON.stringify({ title: 'Nimbus 305' })];
  await db
    .insertInto('reimport_changes')
    .values({ run_id: id, listing_id: newId('listing'), fields: ['title'], previous, next })
    .execute();
  return id;
}

export const reimportRecipes: Partial<Record<OperationId, Recipe>> = {
  startReimport: async ({ services }) => {
    await services.pool.query(`delete from pgboss.job where name = 'reimport-listings'`);
    await services.pool.query(`delete from runs where kind = 'reimport'`);
    return {};
  },
  listReimportChanges: async ({ services }) => ({ params: { runId: await createReimport(services) } }),
};
