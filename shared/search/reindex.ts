import { sql } from 'kysely';
import { z } from 'zod';
import type { SearchPool } from './search-pool.ts';
import type { Database } from '../../db/client.ts';
import { SECOND_MS, type Clock } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { startRun } from '../runs/control.ts';
import { longRun } from '../runs/long-run.ts';
import {
  createCollection,
  dropOthers,
  nameCollection,
  pointTo,
  readTarget,
  type SearchIndex,
} from './typesense/collections.ts';
import { compareCollection } from './typesense/compare.ts';
import { INDEXED } from './typesense/document.ts';
import { indexListings, readCollections } from './typesense/sync.ts';
import { writeTerms } from './typesense/terms.ts';

type Services = { db: Database; pool: SearchPool; clock: Clock; searchIndex: SearchIndex | undefined };

const BATCH = 500;
const noCounts = { done: 0, refused: 0 };

/** Starts a run that builds the index anew beside the one that is read; 409 while one is live. Answers the id of its job. */
export async function startReindexRun(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  startedBy: string | null,
  now: Date,
): Promise<string> {
  const trigger = startedBy === null ? 'schedule' : 'manual';
  const { jobId } = await startRun(
    tx,
    jobs,
    { kind: 'reindex', subject: '', trigger, startedBy, counters: noCounts },
    now,
  );
  return jobId;
}

/**
 * Works a run: fills its collection, 500 listings a step; once everything is in, holds it against the database and lets searches
 * read it. Changes meanwhile go into both collections. Of a run that was stopped nothing is left, and without an index there is
 * nothing to build: PostgreSQL keeps its own.
 */
export const workReindex = longRun({
  kind: 'reindex',
  cursor: z.object({ after: z.string() }).prefault({ after: '' }),
  params: z.unknown(),
  counters: noCounts,
  maxTries: 10,
  perJob: { ms: 20 * SECOND_MS },
  async step({ db, pool, clock, searchIndex: index }: Services, run) {
    if (!index) return run.advance({ end: 'succeeded' });
    const target = { pool, index, now: () => clock.now() };
    const collection = nameCollection(index, run.id);
    if (run.isFirst) {
      await createCollection(index, collection);
      // From here on changes go into both, before the first listing is read.
      if (!(await run.advance({ params: { collection } }))) return;
    }
    const ids = await readIds(db, run.cursor.after);
    const after = ids.at(-1);
    if (after !== undefined) {
      const { indexed, refused } = await indexListings(target, ids, [collection]);
      return run.advance({ cursor: { after }, count: { done: indexed, refused } });
    }
    await compareCollection(target, collection, run.signal, 'versions');
    await writeTerms(pool, index, clock.now());
    await pointTo(index, collection);
    return run.advance({ end: 'succeeded' });
  },
  async afterEnd({ pool, searchIndex: index }) {
    if (!index || (await readTarget(index)) === undefined) return;
    // Another process may have taken the run, or another run may have begun.
    await dropOthers(index, await readCollections(pool, index));
  },
});

async function readIds(db: Database, after: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select l.id from listings l where l.id > ${after} and ${sql.raw(INDEXED)} order by l.id limit ${BATCH}`.execute(db);
  return rows.map(({ id }) => id);
}
