import { sql } from 'kysely';
import { deleteEndedJobs, deleteWaitingJobs } from '../queues/inspect.ts';
import type { Erased, EraseStep } from './erase-step.ts';
import { namesTrace } from './traces.ts';

const WINDOW = 10_000;

/** The event by which its consumers learn that a listing of the account is gone; all that it tells is the id. */
const isLastWord = sql<boolean>`type = 'listing.deleted' and data->>'slug' = data->>'listing_id'`;
/** Events of these types hold ids alone; those of others stay with whoever they were for. */
const nameless = ['message.received', 'review.created', 'user.changed', 'user.left', 'rental.changed'];

/**
 * Deletes the events of the account, and what the events of others tell of its listings, some thousand entries of the journal at
 * a time.
 */
export async function eraseEvents({ tx, userId, after }: EraseStep): Promise<Erased> {
  const from = Number(after || '0');
  const { rows } = await sql<{ upto: number | null }>`
    select max(seq) as upto from (select seq from events where seq > ${from} order by seq limit ${WINDOW}) as next`.execute(
    tx,
  );
  const upto = rows[0]?.upto ?? null;
  if (upto === null) return { erased: 0 };
  const { numAffectedRows = 0n } = await sql`
    delete from events where seq > ${from} and seq <= ${upto} and not (${isLastWord})
      and (owner_id = ${userId} or (type <> all(${nameless}::text[]) and ${namesTrace(userId, sql`data`)}))`.execute(
    tx,
  );
  return { erased: Number(numAffectedRows), next: String(upto) };
}

/** Deletes what subscribers have been told, or are about to be told, of the listings of the account. */
export async function eraseDeliveries({ tx, userId, after }: EraseStep): Promise<Erased> {
  const { rows } = await sql<{ upto: string | null }>`
    select max(id) as upto from (select id from webhook_deliveries where id > ${after} order by id limit ${WINDOW}) as next`.execute(
    tx,
  );
  const upto = rows[0]?.upto ?? null;
  if (upto === null) return { erased: 0 };
  const { numAffectedRows = 0n } = await sql`
    delete from webhook_deliveries where id > ${after} and id <= ${upto} and event_type <> all(${nameless}::text[])
      and not (event_type = 'listing.deleted' and payload->'data'->>'slug' = payload->'data'->>'listing_id')
      and ${namesTrace(userId, sql`payload`)}`.execute(tx);
  return { erased: Number(numAffectedRows), next: upto };
}

/**
 * Deletes the jobs that have ended, or that nobody will work, and that name anything of the account, and the mails to it that have not
 * gone out. Other jobs that wait hold ids and end by themselves.
 */
export async function eraseJobs({ tx, userId }: EraseStep): Promise<Erased> {
  const mails = await deleteWaitingJobs(tx, 'send-email', sql`data->>'user_id' = ${userId}`);
  return { erased: mails + (await deleteEndedJobs(tx, namesTrace(userId, sql`concat(data, output)`))) };
}
