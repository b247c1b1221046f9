import { sql } from 'kysely';
import { assertPublicUrl, FetchError } from '../adapters/fetch-guard.ts';
import { conflict, invalid } from '../kit/errors.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { startRun } from '../runs/control.ts';
import { endRun } from '../runs/runs.ts';
import { siteOf } from './site.ts';

/** The counters of a learning: pages that were read, and pages that could not be had. */
export const noLearningCounts = { pages_fetched: 0, pages_failed: 0 };

/** So many learnings and their saved pages are kept. */
const MAX_KEPT = 100;

export type NewLearning = { url: string; scraperId: string | null; startedBy: string; fetchAllow: string[] };

/**
 * Starts to learn a site and answers the id of the run; a site is learnt by one run at a time (409), and 400 says why an
 * address may not be asked for. The oldest of more than a hundred learnings go.
 */
export async function startLearning(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  { url, scraperId, startedBy, fetchAllow }: NewLearning,
  now: Date,
): Promise<string> {
  const address = checkAddress(url, fetchAllow);
  const subject = siteOf(address) ?? address;
  const { runId } = await startRun(
    tx,
    jobs,
    { kind: 'learn', subject, trigger: 'manual', startedBy, counters: noLearningCounts },
    now,
  );
  await tx.insertInto('site_learnings').values({ run_id: runId, url: address, scraper_id: scraperId }).execute();
  await sql`
    delete from runs where id in (
      select id from runs where kind = 'learn' and status not in ('queued', 'running')
      order by created_at desc, id desc offset ${MAX_KEPT})`.execute(tx);
  return runId;
}

/** Ends a learning as cancelled; what it looks at is dropped. 409 when it has ended already. */
export async function cancelLearning(tx: Tx, runId: string, now: Date): Promise<void> {
  if (!(await endRun(tx, runId, { status: 'cancelled' }, now))) throw conflict('It has ended already.');
  await tx.updateTable('runs').set({ stop_requested_at: now }).where('id', '=', runId).execute();
}

function checkAddress(url: string, fetchAllow: string[]): string {
  try {
    const address = assertPublicUrl(url, fetchAllow);
    address.hash = '';
    return address.href;
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw invalid('This site cannot be looked at.', [{ path: '/body/url', message: error.message }]);
  }
}
