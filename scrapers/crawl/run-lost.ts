import { inTransaction } from '../../db/client.ts';
import { addMilliseconds, MINUTE_MS } from '../../shared/kit/clock.ts';
import { countInRun, endRun, noteRunError } from '../../shared/runs/runs.ts';
import { scraperCountsOf, finishCrawl } from '../../shared/scrapers/runs.ts';
import type { ScraperServices } from '../services.ts';

type LostRun = { id: string; crawled: boolean; job_state: string | null };

/**
 * Ends the runs that nobody works any more, so that none blocks its scraper for ever: those whose job is over although
 * their crawl is not, and those whose crawl is over but some of whose records were never counted, because a worker died
 * with them once too often. Answers how many. Safe to run in several processes.
 */
export async function endLostRuns({ db, pool, jobs, clock }: ScraperServices): Promise<number> {
  const now = clock.now();
  const { rows } = await pool.query<LostRun>(
    `select r.id, r.total is not null as crawled, j.state as job_state
     from runs r left join pgboss.job j on j.name = 'run-scraper' and j.id = r.job_id
     where r.kind = 'scraper' and r.status in ('queued', 'running') and r.updated_at < $1
       and case when r.total is null then coalesce(j.state::text, 'gone') not in ('created', 'retry', 'active')
           else not exists (select from pgboss.job i where i.name = 'ingest-record' and i.state in ('created', 'retry', 'active')
                            and i.data->>'run_id' = r.id) end`,
    [addMilliseconds(now, -MINUTE_MS)],
  );
  for (const run of rows) {
    await inTransaction(db, async (tx) => {
      if (run.crawled) return countUncounted(tx, jobs, run.id, now);
      if (run.job_state === 'cancelled') await endRun(tx, run.id, { status: 'cancelled' }, now);
      else await endRun(tx, run.id, { status: 'failed', error: 'The process that crawled was lost.' }, now);
    });
  }
  return rows.length;
}

async function countUncounted(
  tx: Parameters<typeof endRun>[0],
  jobs: ScraperServices['jobs'],
  runId: string,
  now: Date,
): Promise<void> {
  const run = await tx
    .selectFrom('runs')
    .select(['total', 'counters'])
    .where('id', '=', runId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const { created, updated, unchanged, skipped, failed } = scraperCountsOf(run);
  const missing = Math.max(0, (run.total ?? 0) - created - updated - unchanged - skipped - failed);
  if (missing > 0) {
    await countInRun(tx, runId, { failed: missing }, now);
    await noteRunError(tx, runId, { message: `${missing} records were lost on their way in.` }, now);
  }
  await finishCrawl(tx, jobs, runId, now);
}
