import { inTransaction } from '../../db/client.ts';
import { readNewest } from '../../db/newest.ts';
import { conflict, notFound } from '../../shared/kit/errors.ts';
import { acceptRun } from '../../shared/scrapers/quarantine.ts';
import * as runs from '../../shared/scrapers/runs.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import type { Services } from '../services.ts';
import { paginationOf } from '../http/pagination.ts';
import { presentRun, selectRuns, type Run } from './scrapers-present.ts';

type Filter = { scraper_id?: string; status?: Run['status']; page?: number; limit?: number };

/** The runs of every scraper, newest first. */
export const listRuns: Handler<'listRuns'> = async ({ db }, { query }) => ({
  status: 200,
  body: await readRuns(db, query),
});

/** The runs of one scraper, newest first. */
export const listScraperRuns: Handler<'listScraperRuns'> = async ({ db }, { params, query }) => {
  const scraper = await db.selectFrom('scrapers').select('id').where('id', '=', params.id).executeTakeFirst();
  if (!scraper) throw notFound('scraper', params.id);
  return { status: 200, body: await readRuns(db, { ...query, scraper_id: params.id }) };
};

/** Queues a run, whether the scraper is enabled or not (that is about its schedule); 409 while another one is live. */
export const startScraperRun: AuthenticatedHandler<'startScraperRun'> = async (
  { db, jobs, clock },
  { params, caller },
) => {
  const row = await inTransaction(db, async (tx) => {
    const scraper = await tx
      .selectFrom('scrapers')
      .select(['id', 'kind', 'start_urls'])
      .where('id', '=', params.id)
      .executeTakeFirst();
    if (!scraper) throw notFound('scraper', params.id);
    if (scraper.kind === 'feed' && scraper.start_urls.length === 0)
      throw conflict('This feed has no address to fetch it from; a run begins with an upload.');
    const runId = await runs.startScraperRun(
      tx,
      jobs,
      { scraperId: scraper.id, trigger: 'manual', startedBy: caller.userId },
      clock.now(),
    );
    return tx.selectFrom('runs').selectAll().where('id', '=', runId).executeTakeFirstOrThrow();
  });
  return { status: 202, body: { ...presentRun(row), job_id: row.job_id ?? '' } };
};

/** Ends a queued or running run at once, with the counts it has; 409 when it has ended already. */
export const cancelScraperRun: Handler<'cancelScraperRun'> = async ({ db, clock }, { params }) => {
  const row = await inTransaction(db, async (tx) => {
    const ofScraper = tx
      .selectFrom('runs')
      .where('id', '=', params.runId)
      .where('kind', '=', 'scraper')
      .where('subject', '=', params.id);
    if (!(await ofScraper.select('id').executeTakeFirst())) throw notFound('run', params.runId);
    await runs.cancelScraperRun(tx, params.runId, clock.now());
    return ofScraper.selectAll().executeTakeFirstOrThrow();
  });
  return { status: 200, body: presentRun(row) };
};

/** Takes a run out of quarantine and sends on what it held back; 409 when it is in none, or another run has begun since. */
export const acceptScraperRun: AuthenticatedHandler<'acceptScraperRun'> = async (
  { db, jobs, clock },
  { params, caller },
) => {
  const row = await inTransaction(db, async (tx) => {
    const ofScraper = selectRuns(tx).where('runs.id', '=', params.runId).where('subject', '=', params.id);
    const scraper = await tx.selectFrom('scrapers').select('owner_id').where('id', '=', params.id).executeTakeFirst();
    if (!scraper || !(await ofScraper.executeTakeFirst())) throw notFound('run', params.runId);
    const run = { id: params.runId, scraperId: params.id, ownerId: scraper.owner_id };
    await acceptRun(tx, jobs, run, caller.userId, clock.now());
    return ofScraper.executeTakeFirstOrThrow();
  });
  return { status: 200, body: presentRun(row) };
};

async function readRuns(db: Services['db'], { scraper_id, status, page = 1, limit = 20 }: Filter) {
  let found = selectRuns(db);
  if (scraper_id !== undefined) found = found.where('subject', '=', scraper_id);
  if (status !== undefined) found = found.where('status', '=', status);
  const { rows, total } = await readNewest(found, { page, limit });
  return { results: rows.map(presentRun), pagination: paginationOf(page, limit, total) };
}
