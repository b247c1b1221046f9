import { sql } from 'kysely';
import { inTransaction } from '../../db/client.ts';
import { addMilliseconds, MINUTE_MS } from '../../shared/kit/clock.ts';
import { unfinishedJobs } from '../../shared/queues/inspect.ts';
import { endLostRuns } from '../../shared/runs/lost-runs.ts';
import { advanceRun, readCounters } from '../../shared/runs/runs.ts';
import { finishCrawl, noCounts } from '../../shared/scrapers/runs.ts';
import type { ScraperServices } from '../services.ts';

/**
 * Ends the runs that nobody works any more, so that none blocks its scraper for ever: those whose job is over although
 * their crawl is not, and those whose crawl is over but some of whose records were never counted, because a worker died
 * with them once too often. Answers how many. Safe to run in several processes.
 */
export async function endLostCrawls({ db, jobs, clock }: ScraperServices): Promise<number> {
  const now = clock.now();
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ id: string; total: number; counters: unknown }>`
      select r.id, r.total, r.counters from runs r
      where r.kind = 'scraper' and r.status in ('queued', 'running') and r.updated_at < ${addMilliseconds(now, -MINUTE_MS)}
        and r.total is not null
        and not exists (select from ${sql.raw(unfinishedJobs('ingest-record'))} as i where i.data->>'run_id' = r.id)
      for update of r skip locked`.execute(tx);
    for (const { id, total, counters } of rows) {
      const { created, updated, unchanged, skipped, failed } = readCounters(noCounts, counters);
      const missing = Math.max(0, total - created - updated - unchanged - skipped - failed);
      const errors = [{ message: `${missing} records were lost on their way in.` }];
      if (missing > 0) await advanceRun(tx, id, { count: { failed: missing }, errors }, now);
      await finishCrawl(tx, jobs, id, now);
    }
    return rows.length + (await endLostRuns(tx, now));
  });
}
