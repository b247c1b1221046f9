import { sql } from 'kysely';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/**
 * Folds the deltas that writes have left into the counters of listings, in one statement: a reader who adds up both sees the
 * same sums before and after. A second fold at the same time finds nothing left to do.
 */
export const foldCounts: JobHandler<WorkerServices, 'fold-counts'> = async ({ db }) => {
  const { rows } = await sql<{ deltas: number }>`
    with taken as (delete from listing_count_deltas returning category_id, status, n),
    folded as (
      insert into listing_counts as c (category_id, status, n)
      select category_id, status, sum(n) from taken group by category_id, status order by category_id, status
      on conflict (category_id, status) do update set n = c.n + excluded.n
      returning 1
    )
    select (select count(*)::int from taken) as deltas, (select count(*) from folded) as counters`.execute(db);
  await sql`select fold_facet_counts()`.execute(db);
  return { deltas: rows[0]?.deltas ?? 0 };
};
