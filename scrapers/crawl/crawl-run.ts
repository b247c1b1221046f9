import { z } from 'zod';
import { MINUTE_MS } from '../../shared/kit/clock.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import { longRun, RunFailed, type RunningRun } from '../../shared/runs/long-run.ts';
import type { Advance } from '../../shared/runs/runs.ts';
import { noFindings } from '../../shared/scrapers/findings.ts';
import { dropHeld, judgeCrawl, readHistory, replaceFindings } from '../../shared/scrapers/quarantine.ts';
import { noCounts, type ScraperCounts } from '../../shared/scrapers/runs.ts';
import { createSharedPace, createSharedRobots } from '../politeness/pace-shared.ts';
import type { ScraperServices } from '../services.ts';
import { createKnownPages, rulesOf } from './known-pages.ts';
import { CrawlLost } from './process.ts';
import type { ParentRpc } from './protocol.ts';
import {
  clearQueue,
  crawlCursor,
  dropQueues,
  readQueue,
  storeNews,
  type CrawlCursor,
  type RunBeingWorked,
} from './run-news.ts';
import { crawlSettingsOf, type CrawlEnd, type CrawlSpec } from './spec.ts';

type Settings = Record<string, unknown>;
type CrawlRun = RunningRun<CrawlCursor | undefined, Settings, keyof ScraperCounts>;

/** Half an hour before the job expires. */
const TIME_LIMIT_MS = 330 * MINUTE_MS;

/** So many processes of a crawl die over the same page: it is given up. */
const MAX_LOST = 3;

/**
 * Works a run of a scraper: its step is the crawl, whose news advance the run while it lasts. A crawl that loses its process goes
 * on in another one, with the pages that are not dealt with. A crawl that is over is judged; its run ends with the last record
 * that is counted.
 */
export const workCrawl = longRun({
  kind: 'scraper',
  // A release before this one kept the pages themselves here; its crawl begins anew.
  cursor: crawlCursor.optional().catch(undefined),
  params: z.record(z.string(), z.unknown()),
  counters: noCounts,
  async step(services: ScraperServices, run: CrawlRun) {
    const crawled = await openCrawl(services, run);
    if (!crawled) return;
    const cancelled = new AbortController();
    const rpc = createParentRpc(services, run, crawled, async (news) => {
      const goesOn = await run.advance((tx, now) => storeNews(tx, services, crawled, news, now));
      if (!goesOn) cancelled.abort();
    });
    run.log.info({ run_id: run.id, scraper_id: run.subject, resumed: run.cursor !== undefined }, 'crawl starts');
    const end = await crawl(services, run, crawled.spec, rpc, AbortSignal.any([run.signal, cancelled.signal]));
    run.log.info({ run_id: run.id, ...end }, 'crawl ended');
    if (end.outcome === 'failed') throw new RunFailed(end.reason);
    if (end.outcome === 'stopped') return;
    await run.advance(async (tx, now) => {
      await judgeCrawl(tx, services.jobs, crawled, now);
      return { end: 'settled', result: { run_id: run.id, ...end } };
    });
  },
  async afterEnd({ db }) {
    await dropHeld(db);
    await dropQueues(db);
  },
});

/** What the crawl goes by. The first process to take a run writes that down: a change of the scraper is for the next run. */
async function openCrawl({ db }: ScraperServices, run: CrawlRun): Promise<RunBeingWorked | undefined> {
  const scraper = await db.selectFrom('scrapers').selectAll().where('id', '=', run.subject).executeTakeFirst();
  if (!scraper) throw new RunFailed('The scraper is gone.');
  const { id, owner_id: ownerId, name: _name, created_at: _created, updated_at: _updated, ...settings } = scraper;
  const isNew = Object.keys(run.params).length === 0;
  const goesOn = await run.advance(async (tx) => ({
    ...(isNew && { params: settings }),
    ...(run.cursor === undefined && (await beginAnew(tx, run))),
  }));
  if (!goesOn) return undefined;
  const spec = { ...run.params, resume: await readQueue(db, run.id) } as CrawlSpec;
  return { id: run.id, scraperId: id, ownerId, spec, history: await readHistory(db, run.id, id), titles: new Set() };
}

/** Forgets the pages that a crawl has seen so far, and that they were counted; what became of records stays counted. */
async function beginAnew(tx: Tx, { id, counters }: CrawlRun): Promise<Pick<Advance, 'count'>> {
  await clearQueue(tx, id);
  await replaceFindings(tx, id, noFindings);
  const pageCounters = ['pages_fetched', 'pages_skipped', 'pages_gone', 'pages_failed'] as const;
  return { count: Object.fromEntries(pageCounters.map((name) => [name, -counters[name]])) };
}

function createParentRpc(
  { pool, clock }: ScraperServices,
  run: CrawlRun,
  { scraperId, spec }: RunBeingWorked,
  report: ParentRpc['report'],
): ParentRpc {
  const robots = createSharedRobots(pool, clock);
  return {
    ...createSharedPace(pool, clock),
    readRobots: robots.read,
    writeRobots: robots.write,
    readPages: createKnownPages(pool, clock, scraperId, rulesOf(spec)),
    report,
    log: async (level, message, data) => run.log[level]({ run_id: run.id, ...data }, message),
  };
}

/** Crawls. A crawl that is lost has stopped, to go on; when it cannot get past a page, it has failed. */
async function crawl(
  services: ScraperServices,
  run: CrawlRun,
  spec: CrawlSpec,
  rpc: ParentRpc,
  signal: AbortSignal,
): Promise<CrawlEnd> {
  const settings = crawlSettingsOf(services.config, { timeLimitMs: TIME_LIMIT_MS });
  const end = await services.crawl(spec, settings, rpc, { signal }).catch((error: unknown) => {
    if (error instanceof CrawlLost) return error;
    throw error;
  });
  const isLost = end instanceof CrawlLost || (end.outcome === 'stopped' && !signal.aborted);
  if (!isLost) return end;
  const reason = end instanceof CrawlLost ? end.message : 'The crawl was interrupted.';
  const lost = (run.cursor?.lost ?? 0) + 1;
  run.log.warn({ run_id: run.id, reason, lost }, 'the process of a crawl was lost');
  if (lost >= MAX_LOST) return { outcome: 'failed', reason };
  await run.advance({ cursor: { lost } });
  return { outcome: 'stopped' };
}
