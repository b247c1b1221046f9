import type { Pool } from 'pg';
import { z } from 'zod';
import { readLastOutput } from '../queues/inspect.ts';
import { DEAD_AFTER_SECONDS } from '../kit/metrics.ts';

export type ReaderLag = { reader: string; lag_seconds: number; updated_at: Date };
export type ScraperState = {
  id: string;
  name: string;
  enabled: boolean;
  created_at: Date;
  last_success_at: Date | null;
  last_status: string | null;
};
export type ProcessState = {
  process_id: string;
  process: 'api' | 'workers' | 'scrapers';
  alive: boolean;
  seen_at: Date;
};

/** What is wrong with a search index that was compared with the database. */
export type IndexTroubles = { waited_seconds: number; refused: number; repaired: number };

const compared = z.object({ repaired: z.number() });

/**
 * For how long the oldest change has waited for a search index that was not to be reached, how many listings one refuses, and how
 * many of its documents the last comparison has repaired.
 */
export async function readIndexTroubles(pool: Pool): Promise<IndexTroubles> {
  const { rows } = await pool.query<Omit<IndexTroubles, 'repaired'>>({
    name: 'index-troubles',
    text: `select coalesce((select extract(epoch from now() - min(since)) from search_backlog), 0)::float8 as waited_seconds,
             (select count(*)::int from search_refusals) as refused`,
  });
  const output = compared.safeParse(await readLastOutput(pool, 'reconcile-search-index'));
  return { ...(rows[0] ?? { waited_seconds: 0, refused: 0 }), repaired: output.data?.repaired ?? 0 };
}

/** How old the oldest event is that each reader of the journal has not read. */
export async function readJournalLags(pool: Pool, now: Date): Promise<ReaderLag[]> {
  const { rows } = await pool.query<ReaderLag>({
    name: 'journal-lags',
    text: `select c.reader, greatest(0, coalesce(extract(epoch from $1::timestamptz - e.created_at), 0))::float8 as lag_seconds, c.updated_at
           from journal_cursors c left join lateral (
             select created_at from events where (xid, seq) > (c.xid, c.seq) order by xid, seq limit 1) as e on true
           order by c.reader`,
    values: [now],
  });
  return rows;
}

/** Every scraper, when a run of it succeeded last, and how its last one went. */
export async function readScraperStates(pool: Pool): Promise<ScraperState[]> {
  const { rows } = await pool.query<ScraperState>({
    name: 'scraper-states',
    text: `select s.id, s.name, s.enabled, s.created_at,
             (select finished_at from runs where kind = 'scraper' and subject = s.id and status = 'succeeded' order by created_at desc, id desc limit 1) as last_success_at,
             (select status from runs where kind = 'scraper' and subject = s.id order by created_at desc, id desc limit 1) as last_status
           from scrapers s order by s.id`,
  });
  return rows;
}

/** Every process that has told of itself in the last day, the newest word first. */
export async function readProcesses(pool: Pool): Promise<ProcessState[]> {
  const { rows } = await pool.query<ProcessState>({
    name: 'fleet-processes',
    text: `select process_id, process, updated_at > now() - make_interval(secs => $1) as alive, updated_at as seen_at
           from process_metrics where updated_at > now() - interval '1 day' order by updated_at desc limit 100`,
    values: [DEAD_AFTER_SECONDS],
  });
  return rows;
}
