import { sql } from 'kysely';
import { inTransaction, isConnectionError, type Database } from '../../db/client.ts';
import { addMilliseconds, DAY_MS, type Clock } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';
import { urlTo } from '../kit/site-links.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { Logger } from '../kit/log.ts';
import type { FailedListing } from './expire.ts';

type Services = {
  db: Database;
  jobs: Pick<Jobs, 'enqueueAll'>;
  clock: Clock;
  config: Pick<Config, 'site'>;
  log: Logger;
};

export type Notified = { notified: number; errors: FailedListing[] };

const CHUNK = 500;

/** How many days (UTC) before its last one a listing is told of; each once, as long as the one after it is not due. */
const reminders = [1, 7] as const;
type Reminder = (typeof reminders)[number];

type Due = { id: string; seller_id: string; title: string; expires_at: Date; at: string };

/**
 * Mails owners whose listings expire in seven days and in one, by the calendar of UTC, so that the time of day of a run does not
 * count. Each reminder goes out once for one date of expiry, and anew for the date that a renewal sets: the row that says so is
 * written with the job of the mail, whoever runs at the same time. A run that comes late still reminds of what is not over.
 */
export async function remindOfExpiry(services: Services, signal?: AbortSignal): Promise<Notified> {
  const now = services.clock.now();
  const outcome: Notified = { notified: 0, errors: [] };
  for (const reminder of reminders) {
    let after: Due | undefined;
    do {
      signal?.throwIfAborted();
      const due = await findDue(services.db, reminder, now, after);
      const done = await remindEach(services, reminder, due, now);
      outcome.notified += done.notified;
      outcome.errors.push(...done.errors);
      after = due.length === CHUNK ? due.at(-1) : undefined;
    } while (after !== undefined);
  }
  return outcome;
}

const startOfDay = (at: Date) => new Date(at.getTime() - (at.getTime() % DAY_MS));

/** When the listings expire that a reminder is about: after the one, and before the other. */
function windowOf(reminder: Reminder, now: Date): { from: Date; before: Date } {
  const today = startOfDay(now);
  const first = addMilliseconds(today, 2 * DAY_MS);
  return reminder === 1 ? { from: now, before: first } : { from: first, before: addMilliseconds(today, 8 * DAY_MS) };
}

async function findDue(db: Database, reminder: Reminder, now: Date, after?: Due): Promise<Due[]> {
  const { from, before } = windowOf(reminder, now);
  const { rows } = await sql<Due>`
    select id, seller_id, title, expires_at, expires_at::text as at from listings l
    where status in ('active', 'paused') and source <> 'scraped' and expires_at > ${now} and expires_at >= ${from} and expires_at < ${before}
      and (expires_at, id) > (${after?.at ?? '-infinity'}::timestamptz, ${after?.id ?? ''})
      and not exists (
        select from listing_reminders r where r.listing_id = l.id and r.expires_at = l.expires_at and r.days = ${reminder})
    order by expires_at, id limit ${CHUNK}`.execute(db);
  return rows;
}

/** A chunk at once; where that fails, one by one, so that the one at fault is found. */
async function remindEach(services: Services, reminder: Reminder, due: readonly Due[], now: Date): Promise<Notified> {
  if (due.length === 0) return { notified: 0, errors: [] };
  try {
    const remind = (tx: Tx) => remindChunk(tx, services, reminder, due, now);
    return { notified: await inTransaction(services.db, remind, { autonomous: true }), errors: [] };
  } catch (error) {
    if (isConnectionError(error)) throw error;
    const [only] = due;
    if (due.length > 1 || only === undefined) return remindSingly(services, reminder, due, now);
    services.log.error({ err: error, listing_id: only.id }, 'an owner could not be reminded');
    return { notified: 0, errors: [{ listing_id: only.id, message: 'The owner could not be reminded.' }] };
  }
}

async function remindSingly(services: Services, reminder: Reminder, due: readonly Due[], now: Date): Promise<Notified> {
  const outcome: Notified = { notified: 0, errors: [] };
  for (const listing of due) {
    const { notified, errors } = await remindEach(services, reminder, [listing], now);
    outcome.notified += notified;
    outcome.errors.push(...errors);
  }
  return outcome;
}

/** Only those whose row was new are mailed; a listing that was renewed, sold or deleted meanwhile has none. */
async function remindChunk(
  tx: Tx,
  { jobs, config }: Services,
  reminder: Reminder,
  due: readonly Due[],
  now: Date,
): Promise<number> {
  // By id alone, which the offset enforces: what was published together expires in one moment, however much it is.
  const { rows: claimed } = await sql<{ listing_id: string }>`
    insert into listing_reminders (listing_id, expires_at, days, reminded_at)
    select l.id, l.expires_at, ${reminder}, ${now}
    from unnest(${due.map(({ id }) => id)}::text[], ${due.map(({ at }) => at)}::timestamptz[]) as d (id, expires_at)
    cross join lateral (select id, expires_at, status from listings where id = d.id offset 0) as l
    where l.expires_at = d.expires_at and l.status in ('active', 'paused')
    order by l.id on conflict do nothing returning listing_id`.execute(tx);
  const mailed = new Set(claimed.map(({ listing_id }) => listing_id));
  await jobs.enqueueAll(
    tx,
    'send-email',
    due.filter(({ id }) => mailed.has(id)).map((listing) => ({ payload: mailOf(listing, reminder, now, config) })),
  );
  return mailed.size;
}

function mailOf(
  { id, seller_id, title, expires_at }: Due,
  reminder: Reminder,
  now: Date,
  { site }: Services['config'],
) {
  const days = Math.round((startOfDay(expires_at).getTime() - startOfDay(now).getTime()) / DAY_MS);
  return {
    message_id: `listing-expiring.${id}.${expires_at.getTime()}.${reminder}`,
    template: 'listing-expiring',
    user_id: seller_id,
    data: {
      listing_id: id,
      title,
      url: urlTo(site, 'edit_listing', { id }),
      expires_at: expires_at.toISOString(),
      days,
    },
  };
}
