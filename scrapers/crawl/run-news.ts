import { inTransaction } from '../../db/client.ts';
import { countInRun, noteRunError } from '../../shared/runs/runs.ts';
import { countFindings, type Findings } from '../../shared/scrapers/findings.ts';
import { hasBaseline, oddFields } from '../../shared/scrapers/oddities.ts';
import {
  addFindings,
  enqueueRecords,
  holdGonePages,
  holdRecords,
  releaseRecords,
} from '../../shared/scrapers/quarantine.ts';
import type { CrawlNews, CrawlSpec } from './spec.ts';
import { noteVerified, rememberPages, rulesOf } from './known-pages.ts';
import type { ScraperServices } from '../services.ts';

/** A run, what its crawl needs to know, and what its records are compared with. */
export type RunBeingWorked = {
  id: string;
  scraperId: string;
  ownerId: string;
  spec: CrawlSpec;
  history: Findings[];
  /** Of the records found so far. */
  titles: Set<string>;
};

/** Records of a scraper with a history go on once so many of them are like those before. */
const PROVEN_BY = 20;

/**
 * Stores the news of a crawl in one transaction: records become jobs (or wait, while they are odd), counters and progress go
 * to the run. True when somebody has asked the run to stop, or it has ended.
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
    const { records } = news;
    const unchanged = news.verified.length + news.listed.length;
    const found = await addFindings(tx, run.id, { ...countFindings(records, unchanged, run.titles), ...pagesOf(news) });
    const mustWait = hasBaseline(run.history) && (found.read < PROVEN_BY || oddFields(run.history, found).length > 0);
    if (mustWait) await holdRecords(tx, run.id, records);
    else {
      await releaseRecords(tx, jobs, run);
      await enqueueRecords(tx, jobs, run, records);
    }
    await holdGonePages(tx, run.id, news.gone);
    await rememberPages(tx, run.scraperId, rulesOf(run.spec), news.pages);
    await noteVerified(tx, run.scraperId, news.verified, now);
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
    return countInRun(
      tx,
      run.id,
      { ...pages, records_found: records.length + unchanged + unusable, unchanged, skipped: unusable },
      now,
    );
  });
}

function pagesOf({ counts, listed }: CrawlNews): Pick<Findings, 'pages' | 'pages_missed'> {
  const { pages_fetched: fetched = 0, pages_gone: gone = 0, pages_failed: failed = 0 } = counts;
  return { pages: fetched + listed.length + gone + failed, pages_missed: gone + failed };
}

function isEmpty({ counts, records, errors, gone, pages, verified, listed, state }: CrawlNews): boolean {
  const lists = [records, errors, gone, pages, verified, listed];
  return Object.keys(counts).length === 0 && lists.every((list) => list.length === 0) && state === undefined;
}
