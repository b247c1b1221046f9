import { sql } from 'kysely';
import type { Pool } from 'pg';
import { prepared } from '../../db/prepared.ts';
import { currentActor } from '../kit/actor.ts';
import { sampledCarrier } from '../kit/tracing.ts';
import type { Tx } from '../queues/jobs.ts';

export type EventType =
  | 'listing.created'
  | 'listing.updated'
  | 'listing.published'
  | 'listing.sold'
  | 'listing.expired'
  | 'listing.deleted'
  | 'listing.flagged'
  | 'listing.rewritten'
  | 'message.received'
  | 'review.created'
  | 'premium.activated'
  | 'saved_search.matched'
  | 'rental.changed'
  | 'user.changed'
  | 'user.left'
  | 'moderation.decided'
  | 'rates.changed'
  | 'marketplace.changed'
  | 'run.completed'
  | 'run.failed'
  | 'run.cancelled';

export type NewEvent = {
  type: EventType;
  /** The id of what changed. */
  subject: string;
  /** Whose event it is: the seller of a listing, the owner of a scraper. */
  ownerId: string | null;
  data: Record<string, unknown>;
  previous?: Record<string, unknown>;
  /** The columns that were changed: for the history of the thing, not for those who follow the events. */
  fields?: readonly string[];
};

export type JournalEvent = { seq: number; xid: string; type: EventType; subject: string; owner_id: string | null };

/** A place in the journal. Events of one transaction stay together; later transactions come after it. */
export type Cursor = { xid: string; seq: number };

/** Appends to the journal, in the transaction of the change that the events tell of, in the name of whose request that is, and with its trace. */
export async function recordEvents(tx: Tx, now: Date, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const insert = sql`
    insert into events (type, subject, owner_id, data, previous, created_at, actor_id, fields, trace)
    select type, subject, owner_id, data, previous, ${now}, ${currentActor() ?? null}, fields, ${sampledCarrier() ?? null}::jsonb
    from jsonb_to_recordset(${JSON.stringify(
      events.map(({ type, subject, ownerId, data, previous, fields }) => ({
        type,
        subject,
        owner_id: ownerId,
        data,
        previous: previous ?? null,
        fields: fields ?? null,
      })),
    )}::jsonb) as e (type text, subject text, owner_id text, data jsonb, previous jsonb, fields text[])`.compile(tx);
  await tx.executeQuery(prepared(insert));
}

/**
 * The next events after a place, oldest first. Only transactions older than every one still running are read, so a
 * reader that goes on from the last event it got never misses one, however commits interleave.
 */
export async function readEvents(pool: Pool, after: Cursor, limit: number): Promise<JournalEvent[]> {
  const { rows } = await pool.query<JournalEvent>({
    name: 'events-after',
    text: `select seq, xid::text as xid, type, subject, owner_id from events
           where (xid, seq) > ($1::xid8, $2) and xid < pg_snapshot_xmin(pg_current_snapshot())
           order by xid, seq limit $3`,
    values: [after.xid, after.seq, limit],
  });
  return rows;
}

/** The place just behind the newest event that is final. */
export async function journalEnd(pool: Pool): Promise<Cursor> {
  const { rows } = await pool.query<Cursor>(
    `select xid::text as xid, seq from events where xid < pg_snapshot_xmin(pg_current_snapshot()) order by events.xid desc, seq desc limit 1`,
  );
  return rows[0] ?? { xid: '0', seq: 0 };
}

/** The place of the newest event that is committed; others before it may not be final yet. */
export async function newestEvent(pool: Pool): Promise<Cursor> {
  const { rows } = await pool.query<Cursor>(
    'select xid::text as xid, seq from events order by events.xid desc, seq desc limit 1',
  );
  return rows[0] ?? { xid: '0', seq: 0 };
}

/** Whether one place in the journal comes before another. */
export const isBefore = (a: Cursor, b: Cursor): boolean =>
  a.xid === b.xid ? a.seq < b.seq : BigInt(a.xid) < BigInt(b.xid);
