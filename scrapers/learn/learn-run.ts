import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import type { Database } from '../../db/client.ts';
import { createGuardedFetch } from '../../shared/adapters/fetch.ts';
import { longRun, RunFailed, type RunningRun } from '../../shared/runs/long-run.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import type { OutlineBlock } from '../../shared/scrapers/proposal.ts';
import { noLearningCounts } from '../../shared/scrapers/learnings.ts';
import { crawlSettingsOf } from '../crawl/spec.ts';
import { createSharedPace, createSharedRobots } from '../politeness/pace-shared.ts';
import type { ScraperServices } from '../services.ts';
import { keepSettings, type KeptSettings } from './keep-settings.ts';
import { lookAtSite, StartUnreadable } from './look-at-site.ts';
import type { LookedAtPage } from './read-page-facts.ts';

const cursor = z.object({ pages: z.int().min(0) });
type Learning = RunningRun<z.infer<typeof cursor> | undefined, unknown, keyof typeof noLearningCounts>;

const compress = promisify(gzip);
const decompress = promisify(gunzip);
const TIME_LIMIT_MS = 3_000_000;
const MAX_PAGE_BYTES = 10_485_760;

/**
 * Works a run that learns a site: its one step looks at page after page, each kept as soon as it was looked at, so that
 * another process goes on where this one was lost; the proposal ends it.
 */
export const workLearning = longRun({
  kind: 'learn',
  cursor: cursor.optional(),
  params: z.unknown(),
  counters: noLearningCounts,
  async step(services: ScraperServices, run: Learning) {
    const { config, db, pool, clock, marketplace } = services;
    const learning = await readLearning(db, run.id);
    const { userAgent, chromiumPath } = crawlSettingsOf(config, { timeLimitMs: TIME_LIMIT_MS });
    const fetch = createGuardedFetch({ allow: config.fetchAllow, userAgent, deadlines: config.deadlines });
    const analyst = services.createPageAnalyst(marketplace.current().document);
    const known = await readPages(db, run.id);
    let position = known.length;
    try {
      const proposed = await lookAtSite(learning.url, known, {
        ...{ fetch, analyst, pace: createSharedPace(pool, clock), robots: createSharedRobots(pool, clock) },
        browser: { chromiumPath, userAgent },
        now: Date.now,
        sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
        signal: run.signal,
        async keep(page) {
          const outline = page.html === undefined ? null : await analyst.ask('outline', page);
          const html = page.html === undefined ? null : await compress(page.html);
          const at = position;
          position += 1;
          const count = { pages_fetched: html ? 1 : 0, pages_failed: html ? 0 : 1 };
          return run.advance(async (tx) => {
            await savePage(tx, run.id, at, page, { html, outline });
            return { cursor: { pages: at + 1 }, count };
          });
        },
      });
      if (!proposed) return;
      const proposal = learning.scraper ? keepSettings(proposed, learning.scraper, learning.url) : proposed;
      await run.advance(async (tx) => {
        const values = { proposal: JSON.stringify(proposal) };
        await tx.updateTable('site_learnings').set(values).where('run_id', '=', run.id).execute();
        return { end: 'succeeded', result: { pages: position } };
      });
    } catch (error) {
      if (error instanceof StartUnreadable) throw new RunFailed(error.message, { cause: error });
      throw error;
    } finally {
      await Promise.all([fetch.close(), analyst.close()]);
    }
  },
});

/** The address to learn from, and the scraper whose site is learnt again. */
async function readLearning(db: Database, runId: string): Promise<{ url: string; scraper?: KeptSettings | undefined }> {
  const learning = await db
    .selectFrom('site_learnings')
    .select(['url', 'scraper_id'])
    .where('run_id', '=', runId)
    .executeTakeFirst();
  if (!learning) throw new RunFailed('What was to be learnt is gone.');
  const scraper = await db
    .selectFrom('scrapers')
    .select(['name', 'site', 'start_urls', 'category_id'])
    .where('id', '=', learning.scraper_id)
    .executeTakeFirst();
  return { url: learning.url, scraper };
}

async function savePage(
  tx: Tx,
  runId: string,
  position: number,
  { url, problem, isRendered }: LookedAtPage,
  { html, outline }: { html: Buffer | null; outline: OutlineBlock[] | null },
): Promise<void> {
  const saved = { url, problem: problem ?? null, is_rendered: isRendered === true, html };
  await tx
    .insertInto('site_learning_pages')
    .values({ ...saved, run_id: runId, position, outline: outline && JSON.stringify(outline) })
    .execute();
}

/** The pages that were looked at before, when another process began. */
async function readPages(db: Database, runId: string): Promise<LookedAtPage[]> {
  const rows = await db
    .selectFrom('site_learning_pages')
    .select(['url', 'html', 'is_rendered', 'problem'])
    .where('run_id', '=', runId)
    .orderBy('position')
    .execute();
  return Promise.all(
    rows.map(async ({ url, html, is_rendered: isRendered, problem }) => ({
      url,
      ...(html && { html: (await decompress(html, { maxOutputLength: 4 * MAX_PAGE_BYTES })).toString('utf8') }),
      ...(problem !== null && { problem }),
      ...(isRendered && { isRendered }),
    })),
  );
}
