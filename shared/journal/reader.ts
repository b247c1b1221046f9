import { sql } from 'kysely';
import type { Pool } from 'pg';
import { inTransaction, type Database } from '../../db/client.ts';
import type { Clock } from '../kit/clock.ts';
import type { TraceCarrier } from '../kit/tracing.ts';
import { handleByTrace } from './by-trace.ts';
import type { Cursor, EventType } from './events.ts';
import type { Tx } from '../queues/jobs.ts';

/** One event of the journal, whole. */
export type JournalEntry = {
  seq: number;
  type: EventType;
  subject: string;
  ownerId: string | null;
  data: Record<string, unknown>;
  previous: Record<string, unknown> | null;
  createdAt: Date;
  /** The span that has recorded it, where its trace is sampled. */
  trace?: TraceCarrier | null;
};

/**
 * Hands the next events after a reader's place to `handle`, oldest first, and moves the place in the same transaction:
 * what `handle` does in it happens once for each event. Only final events are read, so none is ever missed. Answers how
 * many there were; 0 also while another process advances this reader, or when it was never registered.
 */
export function advanceReader(
  { db, clock }: { db: Database; clock: Clock },
  reader: string,
  limit: number,
  handle: (tx: Tx, events: JournalEntry[]) => Promise<void>,
): Promise<number> {
  return inTransaction(db, async (tx) => {
    const place = await tx
      .selectFrom('journal_cursors')
      .select([sql<string>`xid::text`.as('xid'), 'seq'])
      .where('reader', '=', reader)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (!place) return 0;
    const rows = await readFinal(tx, place, limit);
    const last = rows.at(-1);
    if (!last) return 0;
    await handleByTrace(
      reader,
      rows.map(({ event }) => event),
      (events) => handle(tx, events),
    );
    await tx
      .updateTable('journal_cursors')
      .set({ xid: last.xid, seq: last.event.seq, updated_at: clock.now() })
      .where('reader', '=', reader)
      .execute();
    return rows.length;
  });
}

async function readFinal(tx: Tx, after: Cursor, limit: number): Promise<{ xid: string; event: JournalEntry }[]> {
  const { rows } = await sql<JournalEntry & { xid: string }>`
    select xid::text as xid, seq, type, subject, owner_id as "ownerId", data, previous, created_at as "createdAt", trace
    from events
    where (xid, seq) > (${after.xid}::xid8, ${after.seq}) and xid < pg_snapshot_xmin(pg_current_snapshot())
    order by events.xid, seq limit ${limit}`.execute(tx);
  return rows.map(({ xid, ...event }) => ({ xid, event }));
}

/** Gives readers that are new their place: the end of the journal. Those that have one keep it. */
export async function registerReaders(db: Database | Tx, readers: string[], now: Date): Promise<void> {
  await sql`
    insert into journal_cursors (reader, xid, seq, updated_at)
    select reader, coalesce(newest.xid, '0'), coalesce(newest.seq, 0), ${now}
    from unnest(${readers}::text[]) as reader
    left join lateral (
      select xid, seq from events where xid < pg_snapshot_xmin(pg_current_snapshot()) order by xid desc, seq desc limit 1
    ) as newest on true
    on conflict (reader) do nothing`.execute(db);
}

/** True when there are events after a reader's place, also ones that are not final yet. */
export async function hasUnreadEvents(pool: Pool, reader: string): Promise<boolean> {
  const { rows } = await pool.query<{ unread: boolean }>({
    name: 'journal-unread',
    text: `select (newest.xid, newest.seq) > (c.xid, c.seq) as unread from journal_cursors c
           cross join (select xid, seq from events order by xid desc, seq desc limit 1) as newest where reader = $1`,
    values: [reader],
  });
  return rows[0]?.unread ?? false;
}
