import { sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/client.ts';
import type { Clock } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { startRun } from '../runs/control.ts';
import { longRun } from '../runs/long-run.ts';

type Services = { db: Database; jobs: Pick<Jobs, 'enqueueAll'>; clock: Clock };

const BATCH = 500;
const noCounts = { done: 0, pictures: 0 };

/** The listings after an id that have images which are still to come or could not be had, in the order of their ids. */
const incomplete = (after: string) => sql`
  select l.id from listings l where l.status <> 'deleted' and l.id > ${after} and l.id in (
    select listing_id from listing_images where status = 'pending' union select listing_id from listing_images where status = 'failed')`;

/** Starts a run that sends the images which listings lack to localize-images once more; 409 while one is live. Answers its job's id. */
export async function startRequeueRun(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  startedBy: string,
  now: Date,
): Promise<string> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from (${incomplete('')}) as found`.execute(tx);
  const run = { kind: 'images', subject: '', trigger: 'manual', startedBy, counters: noCounts } as const;
  const { jobId } = await startRun(tx, jobs, { ...run, total: rows[0]?.n ?? 0 }, now);
  return jobId;
}

/** Works a run, 500 listings a step. */
export const workRequeue = longRun({
  kind: 'images',
  cursor: z.object({ after: z.string() }).prefault({ after: '' }),
  params: z.unknown(),
  counters: noCounts,
  step: ({ jobs }: Services, run) =>
    run.advance(async (tx, now) => {
      const { after } = run.cursor;
      const { rows } = await sql<{ id: string }>`${incomplete(after)} order by l.id limit ${BATCH}`.execute(tx);
      const ids = rows.map(({ id }) => id);
      const { numAffectedRows = 0n } = await sql`
        update listing_images set status = 'pending', attempts = 0, error = null, updated_at = ${now}
        where status = 'failed' and listing_id = any(${ids}::text[])`.execute(tx);
      const payloads = ids.map((id) => ({ payload: { listing_id: id }, options: { key: id } }));
      await jobs.enqueueAll(tx, 'localize-images', payloads);
      const done = {
        cursor: { after: ids.at(-1) ?? after },
        count: { done: ids.length, pictures: Number(numAffectedRows) },
      };
      const result = { listings: run.counters.done + ids.length };
      return ids.length < BATCH ? { ...done, end: 'succeeded', result } : done;
    }),
});
