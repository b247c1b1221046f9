import type { Pool } from 'pg';
import { inTransaction } from '../../db/client.ts';
import { invalid, notFound } from '../../shared/kit/errors.ts';
import { isId } from '../../shared/kit/ids.ts';
import { noCounts, readLastMigration, startMigration, stopMigration } from '../../shared/rewriting/migration.ts';
import { findNewestMissing, queueTexts } from '../../shared/rewriting/queue.ts';
import { readCounters } from '../../shared/runs/runs.ts';
import type { Result } from '../http/types.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import type { Services } from '../services.ts';

type Counts = Result<'getAdminStats', 200>['rewriting'];

const BATCH = 100;

/** Queues the texts of one listing that are not up to date. */
export const rewriteListing: Handler<'rewriteListing'> = async ({ db, jobs, clock, profile }, { body }) => {
  const locales = requireLocales(profile, body.locales);
  const outcome = await inTransaction(db, async (tx) => {
    const listing = await tx
      .selectFrom('listings')
      .select('id')
      .where(isId('listing', body.listing_id) ? 'id' : 'slug', '=', body.listing_id)
      .where('status', '<>', 'deleted')
      .executeTakeFirst();
    if (!listing) throw notFound('listing', body.listing_id);
    return queueTexts(tx, jobs, { listingIds: [listing.id], locales, force: body.force }, clock.now());
  });
  return { status: 202, body: outcome };
};

/** The same for many listings: those named, or the newest that lack a text. */
export const rewriteBatch: Handler<'rewriteBatch'> = async ({ db, jobs, clock, profile, ai }, { body }) => {
  const locales = requireLocales(profile, body.locales);
  const missing = { locales, hasProvider: ai !== undefined };
  const listingIds = body.ids ?? (await findNewestMissing(db, missing, body.limit ?? BATCH));
  const outcome = await inTransaction(db, (tx) =>
    queueTexts(tx, jobs, { listingIds, locales, force: body.force }, clock.now()),
  );
  return { status: 202, body: outcome };
};

/** How many texts are in which state. */
export const getRewriteStatus: Handler<'getRewriteStatus'> = async ({ pool, figures }) => {
  const rows = await figures('rewrites by locale', () => countTexts(pool));
  const total = noTexts();
  const byLocale = new Map<string, Counts>();
  for (const { locale, status, n } of rows) {
    const counts = byLocale.get(locale) ?? noTexts();
    byLocale.set(locale, { ...counts, [status]: n });
    total[status] += n;
  }
  return { status: 200, body: { ...total, by_locale: Object.fromEntries(byLocale) } };
};

async function countTexts(pool: Pool) {
  const { rows } = await pool.query<{ locale: string; status: keyof Counts; n: number }>(
    'select locale, status, count(*)::int as n from listing_rewrites group by locale, status',
  );
  return rows;
}

/** Which provider rewrites, and whether it answers now. */
export const getRewriteService: Handler<'getRewriteService'> = async ({ ai }) => ({
  status: 200,
  body: ai
    ? { provider: 'openai', model: ai.model, configured: true, healthy: await ai.isHealthy() }
    : { provider: 'stub', model: null, configured: false, healthy: true },
});

/** Starts the migration, or resumes it; 409 while it runs. */
export const startRewriteMigration: AuthenticatedHandler<'startRewriteMigration'> = async (
  { db, jobs, clock },
  { caller },
) => {
  const job_id = await inTransaction(db, (tx) => startMigration(tx, jobs, caller.userId, clock.now()));
  return { status: 202, body: { job_id, status: 'queued' } };
};

/** Stops the migration after the listing at hand; 409 when none runs. */
export const stopRewriteMigration: Handler<'stopRewriteMigration'> = async ({ db, clock }) => {
  const { jobId, status } = await inTransaction(db, (tx) => stopMigration(tx, clock.now()));
  return { status: 202, body: { job_id: jobId, status } };
};

/** How far the migration is, or was. */
export const getRewriteMigration: Handler<'getRewriteMigration'> = async ({ db }) => {
  const run = await readLastMigration(db);
  const { migrated, failed, batches } = readCounters(noCounts, run?.counters);
  const total = run?.total ?? 0;
  const share = total === 0 ? Number(run?.status === 'succeeded') : Math.min(1, (migrated + failed) / total);
  const isLive = run?.status === 'queued' || run?.status === 'running';
  return {
    status: 200,
    body: {
      running: isLive && run.paused_reason === null,
      paused_reason: isLive ? run.paused_reason : null,
      total,
      migrated,
      progress_percent: run?.status === 'succeeded' ? 100 : Math.round(share * 1_000) / 10,
      current_batch: batches,
      failed,
      last_error: run?.last_error ?? null,
    },
  };
};

const noTexts = (): Counts => ({ pending: 0, processing: 0, completed: 0, failed: 0, skipped: 0 });

/** The locales asked for, or all of the profile; another one is a validation_error. */
function requireLocales({ locales }: Services['profile'], asked: readonly string[] = locales): readonly string[] {
  const known = new Set<string>(locales);
  const errors = asked.flatMap((locale, index) =>
    known.has(locale) ? [] : [{ path: `/body/locales/${index}`, message: `must be one of ${locales.join(', ')}` }],
  );
  if (errors.length > 0) throw invalid('A locale is not served here.', errors);
  return asked;
}
