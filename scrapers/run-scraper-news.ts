import { inTransaction } from '../db/client.ts';
import { countInRun, noteRunError } from '../shared/runs.ts';
import { recordGonePages } from '../shared/scrapers/gone.ts';
import type { CrawlNews, CrawlSpec } from './crawl-spec.ts';
import type { ScraperServices } from './services.ts';

/** A run and what its crawl needs to know. */
export type RunBeingWorked = { id: string; scraperId: string; ownerId: string; spec: CrawlSpec };

/**
 * Stores the news of a crawl in one transaction: records become jobs, counters and progress go to the run. True when
 * somebody has asked the run to stop, or it has ended.
 */
export async function applyNews(
  { db, jobs, clock }: ScraperServices,
  run: RunBeingWorked,
  news: CrawlNews,
): Promise<boolean> {
  if (isEmpty(news)) {
    const row = await db
      .selectFrom('runs')
      .select(['stop_requested_at', 'status'])
      .where('id', '=', run.id)
      .executeTakeFirst();
    return row?.status !== 'running' || row.stop_requested_at !== null;
  }
  return inTransaction(db, async (tx) => {
    const now = clock.now();
    const records = news.records.map((record) => ({
      payload: { run_id: run.id, scraper_id: run.scraperId, user_id: run.ownerId, record },
    }));
    await jobs.enqueueAll(tx, 'ingest-record', records);
    await recordGonePages(tx, run.scraperId, news.gone, now);
    for (const error of news.errors) await noteRunError(tx, run.id, error, now);
    if (news.state) {
      await tx
        .updateTable('runs')
        .set({ cursor: JSON.stringify(news.state) })
        .where('id', '=', run.id)
        .where('status', '=', 'running')
        .execute();
    }
    const { records_unusable: unusable = 0, ...pages } = news.counts;
    return countInRun(tx, run.id, { ...pages, records_found: records.length + unusable, skipped: unusable }, now);
  });
}

function isEmpty({ counts, records, errors, gone, state }: CrawlNews): boolean {
  return Object.keys(counts).length + records.length + errors.length + gone.length === 0 && state === undefined;
}
