import type { Pool } from 'pg';
import { createDatabase, inTransaction, type Database } from '../../db/client.ts';
import { findGroups } from '../../shared/dedup/find-groups.ts';
import { DETECTED_FROM } from '../../shared/dedup/cap-score.ts';
import { compareCandidates } from '../../shared/dedup/scan.ts';
import { batchSizes } from '../../shared/dedup/scan-step.ts';
import { nextScanned } from '../../shared/dedup/scope.ts';
import { refreshFingerprints } from '../../shared/dedup/store.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import { openDataset } from './dataset.ts';

const MAX_TIMES = 12;

/** Measures what a scan of `listings` listings costs beside one of a tenth of them, in a database that holds them. */
export async function reportScan(listings: number): Promise<void> {
  const dataset = await openDataset(listings);
  if (!dataset) return;
  try {
    const few = await scan(dataset.pool, listings / 10);
    const many = await scan(dataset.pool, listings);
    const times = many / few;
    console.log(`  ${times.toFixed(1)} times as much (at most ${MAX_TIMES}: ${times <= MAX_TIMES ? 'met' : 'MISSED'})`);
  } finally {
    await dataset.pool.query('truncate dedup_prints, dedup_words, dedup_pairs, dedup_keys');
    await dataset.stop();
  }
}

async function scan(pool: Pool, listings: number): Promise<number> {
  await pool.query('truncate dedup_prints, dedup_words, dedup_pairs, dedup_keys');
  const { rows } = await pool.query<{ id: string }>(
    `select id from listings where status in ('draft', 'active', 'paused') order by md5(id) limit $1`,
    [listings],
  );
  const db = createDatabase(pool);
  const ids = rows.map(({ id }) => id);
  const startedAt = performance.now();
  for (let at = 0; at < ids.length; at += batchSizes.refresh)
    await inTransaction(db, (tx) => refreshFingerprints(tx, ids.slice(at, at + batchSizes.refresh)));
  await pool.query('analyze dedup_prints, dedup_keys, dedup_words');
  const printedAt = performance.now();
  let compared = 0;
  await goThrough(db, async (tx, batch) => {
    compared += await compareCandidates(tx, batch);
  });
  await pool.query('analyze dedup_pairs');
  const judgedAt = performance.now();
  const grouped = new Set<string>();
  await goThrough(db, async (tx, batch) => {
    for (const { members } of await findGroups(tx, batch, DETECTED_FROM)) grouped.add(members.join(' '));
  });
  const endedAt = performance.now();
  const told = [printedAt - startedAt, judgedAt - printedAt, endedAt - judgedAt].map((ms) => (ms / 1_000).toFixed(1));
  console.log(
    `scan: ${ids.length} listings, ${compared} pairs compared, ${grouped.size} groups, ${((endedAt - startedAt) / 1_000).toFixed(1)} s (keys ${told[0]}, pairs ${told[1]}, groups ${told[2]}), ${Math.round(process.memoryUsage().rss / 1_048_576)} MB`,
  );
  return (endedAt - startedAt) / 1_000;
}

/** The listings that have prints in the order and the batches in which a search goes through them. */
async function goThrough(db: Database, work: (tx: Tx, batch: readonly string[]) => Promise<void>): Promise<void> {
  for (let place: string | null = ''; place !== null;)
    place = await inTransaction(db, async (tx) => {
      const { ids, next } = await nextScanned(tx, {}, place ?? '', batchSizes.compare);
      if (ids.length > 0) await work(tx, ids);
      return next;
    });
}
