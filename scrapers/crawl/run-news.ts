import { z } from 'zod';
import type { Tx } from '../../shared/queues/jobs.ts';
import type { Advance } from '../../shared/runs/runs.ts';
import { countFindings, noFindings, readFindings, type Findings } from '../../shared/scrapers/findings.ts';
import { addFindings, holdGonePages, passRecords, replaceFindings } from '../../shared/scrapers/quarantine.ts';
import type { ScraperCounts } from '../../shared/scrapers/runs.ts';
import { crawlState, type CrawlNews, type CrawlSpec } from './spec.ts';
import { noteVerified, rememberPages, rulesOf } from './known-pages.ts';
import type { ScraperServices } from '../services.ts';

const counts = z.record(z.string(), z.int());

/** How far a crawl is, and what it had counted by then; a release before this one did not write that down. */
export const crawlCursor = crawlState.extend({ counted: z.object({ pages: counts, findings: counts }).optional() });
export type CrawlCursor = z.infer<typeof crawlCursor>;

const pageCounters = ['pages_fetched', 'pages_skipped', 'pages_gone', 'pages_failed'] as const;

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

/** Stores the news of a crawl: records become jobs (or wait, while they are odd). Answers how far the run is with them. */
export async function storeNews(
  tx: Tx,
  { jobs }: Pick<ScraperServices, 'jobs'>,
  run: RunBeingWorked,
  { news, counters }: { news: CrawlNews; counters: ScraperCounts },
  now: Date,
): Promise<Advance<CrawlCursor>> {
  if (isEmpty(news)) return {};
  const { records } = news;
  const unchanged = news.verified.length + news.listed.length;
  const found = await addFindings(tx, run.id, { ...countFindings(records, unchanged, run.titles), ...pagesOf(news) });
  await passRecords(tx, jobs, run, { records, found });
  await holdGonePages(tx, run.id, news.gone);
  await rememberPages(tx, run.scraperId, rulesOf(run.spec), news.pages);
  await noteVerified(tx, run.scraperId, news.verified, now);
  const { records_unusable: unusable = 0, ...pages } = news.counts;
  const recordsFound = records.length + unchanged + unusable;
  const sums = pageCounters.map((name) => [name, counters[name] + (pages[name] ?? 0)]);
  const counted = { pages: Object.fromEntries(sums), findings: found };
  return {
    cursor: news.state && { ...news.state, counted },
    count: { ...pages, records_found: recordsFound, unchanged, skipped: unusable },
    errors: news.errors,
  };
}

/**
 * What was counted since the state that a crawl goes on from is taken back, since those pages are read once more. What became
 * of records stays counted: each is a job of its own, and one that is found again is unchanged.
 */
export async function takeBackCounts(
  tx: Tx,
  runId: string,
  { cursor, counters }: { cursor: CrawlCursor | undefined; counters: ScraperCounts },
): Promise<Advance<CrawlCursor>> {
  const counted = cursor ? cursor.counted : { pages: {}, findings: noFindings };
  if (!counted) return {};
  const pages = new Map(Object.entries(counted.pages));
  await replaceFindings(tx, runId, readFindings(counted.findings));
  return { count: Object.fromEntries(pageCounters.map((name) => [name, (pages.get(name) ?? 0) - counters[name]])) };
}

function pagesOf({ counts, listed }: CrawlNews): Pick<Findings, 'pages' | 'pages_missed'> {
  const { pages_fetched: fetched = 0, pages_gone: gone = 0, pages_failed: failed = 0 } = counts;
  return { pages: fetched + listed.length + gone + failed, pages_missed: gone + failed };
}

function isEmpty({ counts, records, errors, gone, pages, verified, listed, state }: CrawlNews): boolean {
  const lists = [records, errors, gone, pages, verified, listed];
  return Object.keys(counts).length === 0 && lists.every((list) => list.length === 0) && state === undefined;
}
