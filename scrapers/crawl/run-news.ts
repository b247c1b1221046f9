import { sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/client.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import type { Advance } from '../../shared/runs/runs.ts';
import { countFindings, type Findings } from '../../shared/scrapers/findings.ts';
import { addFindings, holdGonePages, passRecords } from '../../shared/scrapers/quarantine.ts';
import { noteVerified, rememberPages, rulesOf } from './known-pages.ts';
import type { CrawlNews, CrawlSpec, QueueChanges, QueueRows, Target } from './spec.ts';
import type { ScraperServices } from '../services.ts';

/** Where the crawl of a run is, beside its request queue: `lost` counts its processes that died since a page was dealt with. */
export const crawlCursor = z.object({ lost: z.int().min(0) });
export type CrawlCursor = z.infer<typeof crawlCursor>;

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

/**
 * Stores the news of a crawl and what they change in its request queue: records become jobs (or wait, while they are odd).
 * Answers how far the run is with them.
 */
export async function storeNews(
  tx: Tx,
  { jobs }: Pick<ScraperServices, 'jobs'>,
  run: RunBeingWorked,
  news: CrawlNews,
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
  await storeQueue(tx, run.id, news.queue);
  const { visited, skipped } = news.queue;
  return {
    cursor: visited.length + skipped.length > 0 ? { lost: 0 } : undefined,
    count: { ...pages, records_found: recordsFound, unchanged, skipped: unusable },
    errors: news.errors,
  };
}

function pagesOf({ counts, listed }: CrawlNews): Pick<Findings, 'pages' | 'pages_missed'> {
  const { pages_fetched: fetched = 0, pages_gone: gone = 0, pages_failed: failed = 0 } = counts;
  return { pages: fetched + listed.length + gone + failed, pages_missed: gone + failed };
}

function isEmpty({ counts, queue, ...lists }: CrawlNews): boolean {
  return [...Object.values(lists), ...Object.values(queue)].every((list) => list.length === 0) && !hasCounts(counts);
}

const hasCounts = (counts: CrawlNews['counts']) => Object.keys(counts).length > 0;

/** The request queue of a run, as it was stored last: pages in the order in which they were found. */
export async function readQueue(db: Database, runId: string): Promise<QueueRows> {
  const { rows } = await sql<{ key: string; status: keyof QueueRows; target: Target }>`
    select key, status, case when status = 'pending' then target end as target
    from crawl_requests where run_id = ${runId} order by seq`.execute(db);
  const keysOf = (status: keyof QueueRows) => rows.flatMap((row) => (row.status === status ? row.key : []));
  const pending = rows.flatMap((row) => (row.status === 'pending' ? row.target : []));
  return { pending, visited: keysOf('visited'), skipped: keysOf('skipped') };
}

/** Stores what has changed in the request queue of a run. */
async function storeQueue(tx: Tx, runId: string, { queued, visited, skipped }: QueueChanges): Promise<void> {
  if (queued.length > 0)
    await sql`
      insert into crawl_requests (run_id, key, target, status)
      select ${runId}, n.target->>'key', n.target, 'pending'
      from jsonb_array_elements(${JSON.stringify(queued)}::jsonb) with ordinality as n (target, at) order by n.at
      on conflict (run_id, key) do nothing`.execute(tx);
  const settled = [...visited.map((key) => [key, 'visited']), ...skipped.map((key) => [key, 'skipped'])];
  if (settled.length === 0) return;
  await sql`
    insert into crawl_requests (run_id, key, status)
    select ${runId}, key, status from jsonb_each_text(${JSON.stringify(Object.fromEntries(settled))}::jsonb) as n (key, status)
    on conflict (run_id, key) do update set status = excluded.status, target = null`.execute(tx);
}

/** Forgets the request queue of a run that begins anew. */
export async function clearQueue(tx: Tx, runId: string): Promise<void> {
  await tx.deleteFrom('crawl_requests').where('run_id', '=', runId).execute();
}

/** Forgets the request queues of crawls that are over; safe to repeat. The runs are found by a loose index scan. */
export async function dropQueues(db: Database): Promise<void> {
  await sql`
    with recursive queues (run_id) as (
      (select run_id from crawl_requests order by run_id limit 1)
      union all
      select (select q.run_id from crawl_requests q where q.run_id > queues.run_id order by q.run_id limit 1)
      from queues where queues.run_id is not null)
    delete from crawl_requests where run_id in (
      select r.id from queues join runs r on r.id = queues.run_id
      where r.status not in ('queued', 'running') or r.total is not null)`.execute(db);
}
