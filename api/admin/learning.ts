import { inTransaction } from '../../db/client.ts';
import type { Kysely } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import { invalid, notFound } from '../../shared/kit/errors.ts';
import { readCounters } from '../../shared/runs/runs.ts';
import * as learnings from '../../shared/scrapers/learnings.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import type { Result } from '../http/types.ts';

type SiteLearning = Result<'getLearning', 200>;

const problemOf = (message: string) => invalid('This site cannot be learnt.', [{ path: '/body/scraper_id', message }]);

/** Queues the learning of a site; 409 while the same site is being learnt. */
export const learnSite: AuthenticatedHandler<'learnSite'> = async (
  { db, jobs, clock, config: { fetchAllow } },
  { body: { url, scraper_id: scraperId = null }, caller: { userId: startedBy } },
) => {
  const body = await inTransaction(db, async (tx) => {
    if (scraperId !== null) await checkScraper(tx, scraperId);
    const id = await learnings.startLearning(tx, jobs, { url, scraperId, startedBy, fetchAllow }, clock.now());
    return readLearning(tx, id);
  });
  return { status: 202, body };
};

async function checkScraper(db: Kysely<DB>, id: string): Promise<void> {
  const scraper = await db.selectFrom('scrapers').select('kind').where('id', '=', id).executeTakeFirst();
  if (!scraper) throw problemOf(`There is no scraper '${id}'.`);
  if (scraper.kind === 'feed')
    throw problemOf('It reads a feed, which a mapping describes; there are no pages to learn.');
}

/** A learning as it is now, with the pages looked at and the proposal. */
export const getLearning: Handler<'getLearning'> = async ({ db }, { params }) => ({
  status: 200,
  body: await readLearning(db, params.id),
});

/** Ends a learning at once; 409 when it has ended already. */
export const cancelLearning: Handler<'cancelLearning'> = async ({ db, clock }, { params }) => {
  const body = await inTransaction(db, async (tx) => {
    await readLearning(tx, params.id);
    await learnings.cancelLearning(tx, params.id, clock.now());
    return readLearning(tx, params.id);
  });
  return { status: 200, body };
};

/** A page as it was looked at; 404 for one that could not be had. */
export const getLearningPage: Handler<'getLearningPage'> = async ({ db }, { params: { id, position } }) => {
  const page = await db
    .selectFrom('site_learning_pages')
    .select(['url', 'outline'])
    .where('run_id', '=', id)
    .where('position', '=', /^\d{1,4}$/.test(position) ? Number(position) : -1)
    .executeTakeFirst();
  if (!page?.outline) throw notFound('page', `${id}/${position}`);
  const blocks = page.outline as Result<'getLearningPage', 200>['blocks'];
  return { status: 200, body: { url: page.url, blocks } };
};

async function readLearning(db: Kysely<DB>, id: string): Promise<SiteLearning> {
  const row = await db
    .selectFrom('runs')
    .innerJoin('site_learnings', 'site_learnings.run_id', 'runs.id')
    .selectAll('runs')
    .select(['url', 'scraper_id', 'proposal'])
    .where('runs.id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound('learning', id);
  const pages = await db
    .selectFrom('site_learning_pages')
    .select(['position', 'url', 'is_rendered as rendered', 'problem'])
    .where('run_id', '=', id)
    .orderBy('position')
    .execute();
  return {
    id: row.id,
    ...(row.job_id !== null && { job_id: row.job_id }),
    url: row.url,
    scraper_id: row.scraper_id,
    status: row.status as SiteLearning['status'],
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    error: row.error,
    ...readCounters(learnings.noLearningCounts, row.counters),
    pages,
    proposal: row.proposal as SiteLearning['proposal'],
  };
}
