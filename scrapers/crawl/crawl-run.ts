import { z } from 'zod';
import { MINUTE_MS } from '../../shared/kit/clock.ts';
import { longRun, RunFailed, type RunningRun } from '../../shared/runs/long-run.ts';
import { dropHeld, judgeCrawl, readHistory } from '../../shared/scrapers/quarantine.ts';
import { noCounts, type ScraperCounts } from '../../shared/scrapers/runs.ts';
import { createSharedPace, createSharedRobots } from '../politeness/pace-shared.ts';
import type { ScraperServices } from '../services.ts';
import { createKnownPages, rulesOf } from './known-pages.ts';
import { crawlInProcess, CrawlLost } from './process.ts';
import type { ParentRpc } from './protocol.ts';
import { crawlCursor, storeNews, takeBackCounts, type CrawlCursor, type RunBeingWorked } from './run-news.ts';
import { crawlSettingsOf, type CrawlEnd, type CrawlSpec } from './spec.ts';

type Settings = Record<string, unknown>;
type CrawlRun = RunningRun<CrawlCursor | undefined, Settings, keyof ScraperCounts>;

/** Half an hour before the job expires. */
const TIME_LIMIT_MS = 330 * MINUTE_MS;

/**
 * Works a run of a scraper: its one step is the crawl, whose news advance the run while it lasts. A crawl that is over is judged;
 * its run ends with the last record that is counted.
 */
export const workCrawl = longRun({
  kind: 'scraper',
  cursor: crawlCursor.optional(),
  params: z.record(z.string(), z.unknown()),
  counters: noCounts,
  async step(services: ScraperServices, run: CrawlRun) {
    const crawled = await openCrawl(services, run);
    if (!crawled) return;
    const cancelled = new AbortController();
    const rpc = createParentRpc(services, crawled, async (news) => {
      const goesOn = await run.advance((tx, now) =>
        storeNews(tx, services, crawled, { news, counters: run.counters }, now),
      );
      if (!goesOn) cancelled.abort();
    });
    run.log.info({ run_id: run.id, scraper_id: run.subject, resumed: run.cursor !== undefined }, 'crawl starts');
    const end = await crawl(services, crawled.spec, rpc, AbortSignal.any([run.signal, cancelled.signal]));
    run.log.info({ run_id: run.id, ...end }, 'crawl ended');
    if (end.outcome === 'failed') throw new RunFailed(end.reason);
    if (end.outcome === 'stopped') return;
    await run.advance(async (tx, now) => {
      await judgeCrawl(tx, services.jobs, crawled, now);
      return { end: 'settled', result: { run_id: run.id, ...end } };
    });
  },
  afterEnd: ({ db }) => dropHeld(db),
});

/** What the crawl goes by. The first process to take a run writes that down: a change of the scraper is for the next run. */
async function openCrawl({ db }: ScraperServices, run: CrawlRun): Promise<RunBeingWorked | undefined> {
  const scraper = await db.selectFrom('scrapers').selectAll().where('id', '=', run.subject).executeTakeFirst();
  if (!scraper) throw new RunFailed('The scraper is gone.');
  const { id, owner_id: ownerId, name: _name, created_at: _created, updated_at: _updated, ...settings } = scraper;
  const isNew = Object.keys(run.params).length === 0;
  const goesOn = await run.advance(async (tx) => ({
    ...(isNew && { params: settings }),
    ...(await takeBackCounts(tx, run.id, run)),
  }));
  if (!goesOn) return undefined;
  const spec = { ...run.params, ...(run.cursor && { resume: run.cursor }) } as CrawlSpec;
  return { id: run.id, scraperId: id, ownerId, spec, history: await readHistory(db, run.id, id), titles: new Set() };
}

function createParentRpc(
  { pool, clock }: ScraperServices,
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
  };
}

async function crawl(
  { config }: ScraperServices,
  spec: CrawlSpec,
  rpc: ParentRpc,
  signal: AbortSignal,
): Promise<CrawlEnd> {
  try {
    return await crawlInProcess(spec, crawlSettingsOf(config, { timeLimitMs: TIME_LIMIT_MS }), rpc, { signal });
  } catch (error) {
    if (!(error instanceof CrawlLost)) throw error;
    return { outcome: 'failed', reason: error.message };
  }
}
