import { sql } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import { AiError } from '../adapters/ai-error.ts';
import type { Ai } from '../adapters/ai.ts';
import { addMilliseconds, SECOND_MS, type Clock } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { Profile } from '../profiles/profile.ts';
import { beginRun, endRun } from '../runs/runs.ts';
import { countsOf, placeOf, queueBatch, type Place } from './migration.ts';
import { countMissing, findNextMissing } from './queue.ts';
import { rewriteAllTexts } from './rewrite-all.ts';

type Dependencies = {
  db: Database;
  clock: Clock;
  ai: Ai | undefined;
  profile: Pick<Profile, 'locales'>;
  jobs: Pick<Jobs, 'enqueue'>;
};
type Step = 'go on' | 'stop' | 'taken over';

const BATCH = 10;
/** Well before the job expires, the rest is left to the next one. */
const TIME_LIMIT_MS = 30 * SECOND_MS;
const MOST_PROVIDER_FAILURES = 3;
const FIRST_WAIT_MS = 5 * SECOND_MS;

/**
 * Rewrites the next listings of a migration and queues the batch after, or ends the run. Every listing moves the run's place on
 * by itself: a killed batch is resumed behind the last one. A provider in trouble is asked again by a later batch, and the third
 * time in a row pauses the run with the reason.
 */
export async function migrateBatch(services: Dependencies, runId: string, signal: AbortSignal): Promise<object> {
  const { db, clock, ai, profile } = services;
  if (!(await beginRun(db, runId, clock.now()))) return stop(services, runId);
  const missing = { locales: profile.locales, hasProvider: ai !== undefined };
  await noteTotal(services, runId, missing);
  let place = await readPlace(db, runId);
  const until = performance.now() + TIME_LIMIT_MS;
  const ids = await findNextMissing(db, missing, place.after, BATCH);
  for (const [index, id] of ids.entries()) {
    signal.throwIfAborted();
    if (performance.now() > until) break;
    const outcome = await rewriteAllTexts(services, id, profile.locales, signal).catch((error: unknown) => error);
    if (outcome instanceof AiError) return wait(services, runId, place, outcome.message);
    if (outcome !== 'done' && outcome !== 'failed') throw outcome;
    const deltas = { [outcome === 'done' ? 'migrated' : 'failed']: 1, ...(index === 0 && { batches: 1 }) };
    const next =
      outcome === 'failed' ? { ...place, after: id, lastError: 'A text was refused.' } : { ...place, after: id };
    const step = await inTransaction(db, (tx) => advance(tx, runId, { from: place, to: next, deltas }, clock.now()));
    if (step === 'taken over') return { outcome: step };
    if (step === 'stop') return stop(services, runId);
    place = next;
  }
  return inTransaction(db, async (tx) => {
    if (ids.length > 0) await queueBatch(tx, services.jobs, runId);
    else await endRun(tx, runId, { status: 'succeeded' }, clock.now());
    return { listings: ids.length };
  });
}

async function stop({ db, clock }: Dependencies, runId: string): Promise<object> {
  await inTransaction(db, (tx) => endRun(tx, runId, { status: 'cancelled' }, clock.now()));
  return { outcome: 'stopped' };
}

async function noteTotal(
  { db }: Dependencies,
  runId: string,
  missing: Parameters<typeof countMissing>[1],
): Promise<void> {
  const unknown = db.selectFrom('runs').select('id').where('id', '=', runId).where('total', 'is', null);
  if (!(await unknown.executeTakeFirst())) return;
  const total = await countMissing(db, missing);
  await db.updateTable('runs').set({ total }).where('id', '=', runId).where('total', 'is', null).execute();
}

async function readPlace(db: Database, runId: string): Promise<Place> {
  const run = await db.selectFrom('runs').select('cursor').where('id', '=', runId).executeTakeFirst();
  return placeOf(run?.cursor);
}

/** Moves the run on from where this batch has seen it: another batch that was there first has taken over. */
async function advance(
  tx: Tx,
  runId: string,
  { from, to, deltas }: { from: Place; to: Place; deltas: Partial<ReturnType<typeof countsOf>> },
  now: Date,
): Promise<Step> {
  const run = await tx
    .selectFrom('runs')
    .select(['cursor', 'counters', 'stop_requested_at'])
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .forUpdate()
    .executeTakeFirst();
  if (!run || placeOf(run.cursor).after !== from.after) return 'taken over';
  const counts = countsOf(run.counters);
  for (const name of ['migrated', 'failed', 'batches'] as const) counts[name] += deltas[name] ?? 0;
  await tx
    .updateTable('runs')
    .set({
      cursor: JSON.stringify(to),
      counters: JSON.stringify({ ...counts, provider_failures: 0 }),
      updated_at: now,
    })
    .where('id', '=', runId)
    .execute();
  return run.stop_requested_at === null ? 'go on' : 'stop';
}

/** Leaves the listing to a later batch, or to whoever starts the paused run again. */
function wait({ db, jobs, clock }: Dependencies, runId: string, place: Place, lastError: string): Promise<object> {
  return inTransaction(db, async (tx) => {
    const now = clock.now();
    const run = await tx
      .updateTable('runs')
      .set({
        cursor: JSON.stringify({ ...place, lastError }),
        counters: sql`counters || jsonb_build_object('provider_failures', coalesce((counters->>'provider_failures')::int, 0) + 1)`,
        updated_at: now,
      })
      .where('id', '=', runId)
      .where('status', '=', 'running')
      .returning('counters')
      .executeTakeFirst();
    if (!run) return { outcome: 'ended' };
    const failures = countsOf(run.counters).provider_failures;
    if (failures < MOST_PROVIDER_FAILURES) {
      const waitMs = FIRST_WAIT_MS * 2 ** (failures - 1);
      await queueBatch(tx, jobs, runId, addMilliseconds(now, waitMs));
      return { outcome: 'waits for the provider' };
    }
    const paused_reason = `The AI provider keeps failing: ${lastError}`;
    await tx.updateTable('runs').set({ paused_reason }).where('id', '=', runId).execute();
    return { outcome: 'paused' };
  });
}
