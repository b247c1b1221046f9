import type { z } from 'zod';
import { inTransaction, type Database } from '../../db/client.ts';
import type { Clock } from '../kit/clock.ts';
import { putBackJobs, readJobState } from '../queues/inspect.ts';
import { GiveUp, type Tx } from '../queues/jobs.ts';
import type { JobContext } from '../queues/runner.ts';
import { lockClaim, takeRun, type Claim } from './claim.ts';
import { queueOfRun, type RunKind } from './kinds.ts';
import { advanceRun, endRun, readCounters, type Advance, type RunEnd } from './runs.ts';

type RunServices = { db: Database; clock: Clock };

/** What a step has done: how far the run is now, and whether that is its end. */
export type StepDone<Cursor, Counter extends string> = Advance<Cursor> & {
  count?: Partial<Record<Counter, number>>;
  /** `succeeded` ends the run; `settled`: the change has ended it, or left its end to others. */
  end?: 'succeeded' | 'settled';
  /** Told by the job of the run, beside its counters. */
  result?: object;
};

/** A run as its step sees it: as it was when it was taken, with what its own steps have written since. */
export type RunningRun<Cursor, Params, Counter extends string> = {
  readonly id: string;
  readonly subject: string;
  cursor: Cursor;
  params: Params;
  total: number | null;
  counters: Record<Counter, number>;
  /** Whether this is the first step since a job began. */
  isFirst: boolean;
  readonly signal: AbortSignal;
  readonly log: JobContext['log'];
  /**
   * Writes down what a step has done, with the change itself when it is in the database: one transaction. False when the run
   * is over, or another process has taken it: then nothing was written, or this was the last of it.
   */
  advance(
    change: StepDone<Cursor, Counter> | ((tx: Tx, now: Date) => Promise<StepDone<Cursor, Counter>>),
  ): Promise<boolean>;
  /** Locks the run in a transaction of the step's own; throws when it is over, or another process has taken it. */
  lock(tx: Tx): Promise<void>;
};

/** One kind of long work: what its rows hold, and how a step of it works. */
export type LongRun<Services extends RunServices, Cursor, Params, Counter extends string> = {
  kind: RunKind;
  /** Where a run stands; undefined before its first step. */
  cursor: z.ZodType<Cursor>;
  params: z.ZodType<Params>;
  /** What it counts, all zero. */
  counters: Record<Counter, number>;
  /** Takes without the cursor moving, after which it fails: 5 when absent. */
  maxTries?: number;
  /** So much is done before the job goes back into its queue, for others and before it expires. */
  perJob?: { steps?: number; ms: number };
  /** Does what comes next, and tells `advance` of it: in small portions, since it stops, and is taken over, only in between. */
  step(services: Services, run: RunningRun<Cursor, Params, Counter>): Promise<unknown>;
  /** The reason to pause a run that this error has met in so many tries, instead of trying again. */
  pauseReason?(error: unknown, tries: number): string | undefined;
  /** Clears up behind a run that has ended, or that others end. */
  afterEnd?(services: Services): Promise<void>;
};

/** Thrown by a step: the run has failed, and no further try would mend it. */
export class RunFailed extends Error {}

type Over = { outcome: string };

const MAX_TRIES = 5;

/**
 * Long work as a resumable state machine over a row of `runs`; README.md beside this file has its states. Answers the function
 * that works a run of this kind from where its cursor stands, for the job that has the run. Whoever takes the run holds a
 * fencing token, and a step's change, counters and cursor are one transaction under it: killed at any moment, or overtaken by
 * another process, nothing is lost and nothing counts twice.
 */
export function longRun<Services extends RunServices, Cursor, Params, Counter extends string>(
  kind: LongRun<Services, Cursor, Params, Counter>,
): (services: Services, runId: string, job: JobContext) => Promise<object> {
  const { perJob = { ms: Infinity }, maxTries = MAX_TRIES } = kind;
  return async (services, runId, job) => {
    const until = performance.now() + perJob.ms;
    const taken = await takeRun(services, { runId, queue: queueOfRun[kind.kind], job, maxTries });
    if (!taken) return { outcome: 'stopped' };
    const { claim, row } = taken;
    let over: Over | undefined;
    const run: RunningRun<Cursor, Params, Counter> = {
      id: runId,
      subject: row.subject,
      cursor: kind.cursor.parse(row.cursor ?? undefined),
      params: kind.params.parse(row.params),
      total: row.total,
      counters: readCounters(kind.counters, row.counters),
      isFirst: true,
      signal: job.signal,
      log: job.log,
      async advance(change) {
        if (over) return false;
        const { to, stored, end } = await commitStep(services, claim, change);
        Object.assign(run, pickState(to), stored !== undefined && { counters: readCounters(kind.counters, stored) });
        if (end) over = { ...end, ...run.counters, ...to.result };
        return over === undefined;
      },
      async lock(tx) {
        if (!(await lockClaim(tx, claim))) throw new Error('the run is over, or another process has taken it');
      },
    };
    try {
      for (let steps = 0; !over; steps += 1) {
        job.signal.throwIfAborted();
        if (steps === perJob.steps || performance.now() > until) return await handOn(services, claim);
        run.isFirst = steps === 0;
        await kind.step(services, run);
      }
    } catch (error) {
      if (over) job.log.warn({ err: error, run_id: runId }, 'a step failed after its run was over');
      else if (job.signal.aborted) return handOn(services, claim);
      over ??= await settleFailure(services, claim, error, { maxTries, pauseReason: kind.pauseReason });
    }
    await kind.afterEnd?.(services);
    return over;
  };
}

function pickState({ cursor, params, total }: Advance): object {
  return { ...(cursor !== undefined && { cursor }), ...(params && { params }), ...(total !== undefined && { total }) };
}

/** One transaction: the change of a step, how far the run is with it, and its end when that is reached or asked for. */
function commitStep<Cursor, Counter extends string>(
  { db, clock }: RunServices,
  claim: Claim,
  change: StepDone<Cursor, Counter> | ((tx: Tx, now: Date) => Promise<StepDone<Cursor, Counter>>),
) {
  return inTransaction(db, async (tx) => {
    const now = clock.now();
    const held = await lockClaim(tx, claim);
    if (!held) return { to: {}, stored: undefined, end: { outcome: 'ended' } };
    const to = typeof change === 'function' ? await change(tx, now) : change;
    const stored = await advanceRun(tx, claim.runId, to, now);
    if (to.end === 'settled') return { to, stored, end: { outcome: 'settled' } };
    if (held.stop_requested_at !== null || (await readJobState(tx, claim.queue, claim.jobId)) === 'cancelled')
      return { to, stored, end: await end(tx, claim, { status: 'cancelled' }, now) };
    return { to, stored, end: to.end && (await end(tx, claim, { status: to.end }, now)) };
  });
}

async function end(tx: Tx, { runId }: Claim, how: { status: RunEnd; error?: string }, now: Date): Promise<Over> {
  await endRun(tx, runId, how, now);
  return { outcome: how.status === 'cancelled' ? 'stopped' : how.status };
}

/**
 * Leaves a run to the next process: its job goes back into the queue, which costs neither of them a try. A job that was cancelled
 * meanwhile cancels the run, one that has expired for good fails it; one that the queue has taken back comes again by itself.
 */
function handOn({ db, clock }: RunServices, claim: Claim): Promise<Over> {
  return inTransaction(db, async (tx) => {
    const held = await lockClaim(tx, claim);
    if (!held) return { outcome: 'ended' };
    const now = clock.now();
    const tries = Math.max(0, held.tries - 1);
    await tx.updateTable('runs').set({ tries, updated_at: now }).where('id', '=', claim.runId).execute();
    const job = { id: claim.jobId, attempt: claim.attempt };
    if ((await putBackJobs(tx, claim.queue, [job])) > 0) return { outcome: 'handed on' };
    const state = await readJobState(tx, claim.queue, claim.jobId);
    if (state === 'cancelled') return end(tx, claim, { status: 'cancelled' }, now);
    if (state === undefined || state === 'failed')
      return end(tx, claim, { status: 'failed', error: 'It took too long.' }, now);
    return { outcome: 'handed on' };
  });
}

/** Keeps what went wrong, and throws it for the job to be tried again, unless the run is paused, has failed or is another's by now. */
async function settleFailure(
  { db, clock }: RunServices,
  claim: Claim,
  error: unknown,
  { maxTries, pauseReason }: Pick<LongRun<RunServices, unknown, unknown, string>, 'maxTries' | 'pauseReason'>,
): Promise<Over> {
  const message = error instanceof Error ? error.message.slice(0, 500) : 'unknown';
  const over = await inTransaction(db, async (tx) => {
    const now = clock.now();
    const held = await lockClaim(tx, claim);
    if (!held) return { outcome: 'ended' };
    // A step before this one may have come through in the same try.
    const tries = Math.max(1, held.tries);
    const paused_reason = pauseReason?.(error, tries) ?? null;
    const noted = { last_error: message, tries, paused_reason, updated_at: now };
    await tx.updateTable('runs').set(noted).where('id', '=', claim.runId).execute();
    if (paused_reason !== null) return { outcome: 'paused' };
    if (error instanceof RunFailed || tries >= (maxTries ?? MAX_TRIES))
      return { ...(await end(tx, claim, { status: 'failed', error: message }, now)), reason: message };
    return undefined;
  });
  if (!over) throw error;
  if (over.outcome === 'ended')
    claim.log.warn({ err: error, run_id: claim.runId }, 'a run ended while its step failed');
  if (over.outcome === 'failed' && !(error instanceof RunFailed)) throw new GiveUp(message, { cause: error });
  return over;
}
