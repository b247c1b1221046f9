import { inTransaction } from '../../db/client.ts';
import { assertPublicUrl, FetchError } from '../../shared/adapters/fetch-guard.ts';
import { conflict, invalid, notFound } from '../../shared/kit/errors.ts';
import { bossOf } from '../../shared/queues/jobs.ts';
import { cancelScraperRun } from '../../shared/scrapers/runs.ts';
import { syncSchedules } from '../../shared/scrapers/schedules.ts';
import { isWithinSite } from '../../shared/scrapers/site.ts';
import type { Handler } from '../handler.ts';

/** Deletes a scraper with its schedule, and cancels the run that is under way. */
export const deleteScraper: Handler<'deleteScraper'> = async ({ db, clock }, { params: { id } }) => {
  await inTransaction(db, async (tx) => {
    const known = await tx.selectFrom('scrapers').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
    if (!known) throw notFound('scraper', id);
    const live = await tx
      .selectFrom('runs')
      .select('id')
      .where('kind', '=', 'scraper')
      .where('subject', '=', id)
      .where('status', 'in', ['queued', 'running'])
      .executeTakeFirst();
    if (live) await cancelScraperRun(tx, live.id, clock.now());
    await tx.deleteFrom('scrapers').where('id', '=', id).execute();
    await syncSchedules(bossOf(tx), tx, id);
  });
  return { status: 200, body: { id, deleted: true } };
};

/** Queues the reading of one page with the settings of a scraper; 400 for one of another site, 409 for a scraper of feeds. */
export const tryScraperPage: Handler<'tryScraperPage'> = async ({ db, jobs, config }, { params, body: { url } }) => {
  const job_id = await inTransaction(db, async (tx) => {
    const scraper = await tx
      .selectFrom('scrapers')
      .select(['id', 'kind', 'site'])
      .where('id', '=', params.id)
      .executeTakeFirst();
    if (!scraper) throw notFound('scraper', params.id);
    if (scraper.kind === 'feed') throw conflict('This scraper reads a feed: preview that instead.');
    checkPage(url, scraper.site, config.fetchAllow);
    return jobs.enqueue(tx, 'try-page', { scraper_id: scraper.id, url });
  });
  return { status: 202, body: { job_id: job_id ?? '', status: 'queued' } };
};

function checkPage(url: string, site: string, allow: string[]): void {
  const problem = (message: string) => invalid('This page cannot be tried.', [{ path: '/body/url', message }]);
  const parsed = /^https?:\/\//i.test(url) ? URL.parse(url) : null;
  if (parsed === null) throw problem('must be an http(s) URL');
  if (!isWithinSite(parsed.hostname, site)) throw problem(`must be a page of ${site}, the site of the scraper`);
  try {
    assertPublicUrl(url, allow);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw problem(error.message);
  }
}
