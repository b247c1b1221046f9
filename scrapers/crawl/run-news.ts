import type { Tx } from '../../shared/queues/jobs.ts';
import type { Advance } from '../../shared/runs/runs.ts';
import { findingsOf, type Findings } from '../../shared/scrapers/findings.ts';
import { isJudged, oddFields } from '../../shared/scrapers/oddities.ts';
import {
  addFindings,
  enqueueRecords,
  holdGonePages,
  holdRecords,
  releaseRecords,
} from '../../shared/scrapers/quarantine.ts';
import type { CrawlNews, CrawlSpec, CrawlState } from './spec.ts';
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

/** Stores the news of a crawl: records become jobs (or wait, while they are odd). Answers how far the run is with them. */
export async function storeNews(
  tx: Tx,
  { jobs }: Pick<ScraperServices, 'jobs'>,
  run: RunBeingWorked,
  news: CrawlNews,
  now: Date,
): Promise<Advance<CrawlState>> {
  if (isEmpty(news)) return {};
  const { records } = news;
  const unchanged = news.verified.length + news.listed.length;
  const found = await addFindings(tx, run.id, { ...findingsOf(records, unchanged, run.titles), ...pagesOf(news) });
  const mustWait = isJudged(run.history) && (found.read < PROVEN_BY || oddFields(run.history, found).length > 0);
  if (mustWait) await holdRecords(tx, run.id, records);
  else {
    await releaseRecords(tx, jobs, run);
    await enqueueRecords(tx, jobs, run, records);
  }
  await holdGonePages(tx, run.id, news.gone);
  await rememberPages(tx, run.scraperId, rulesOf(run.spec), news.pages);
  await noteVerified(tx, run.scraperId, news.verified, now);
  const { records_unusable: unusable = 0, ...pages } = news.counts;
  const recordsFound = records.length + unchanged + unusable;
  return {
    cursor: news.state,
    count: { ...pages, records_found: recordsFound, unchanged, skipped: unusable },
    errors: news.errors,
  };
}

function pagesOf({ counts, listed }: CrawlNews): Pick<Findings, 'pages' | 'pages_missed'> {
  const { pages_fetched: fetched = 0, pages_gone: gone = 0, pages_failed: failed = 0 } = counts;
  return { pages: fetched + listed.length + gone + failed, pages_missed: gone + failed };
}

function isEmpty({ counts, records, errors, gone, pages, verified, listed, state }: CrawlNews): boolean {
  const lists = [records, errors, gone, pages, verified, listed];
  return Object.keys(counts).length === 0 && lists.every((list) => list.length === 0) && state === undefined;
}
