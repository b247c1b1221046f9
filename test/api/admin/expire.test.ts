import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Jobs } from '../../../shared/queues/jobs.ts';
import { expireListings as letExpire } from '../../../shared/listings/expire.ts';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { createListing } from '../../support/openapi-cases-things.ts';
import { ingestBody } from '../../support/listing-bodies.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
let now = new Date('2026-03-28T08:00:00.000Z');
const clock = { now: () => now };

let app: TestApp;
let workers: TestWorkers;
let admin: Client;
let administrator: TestUser;
let seller: TestUser;
beforeAll(async () => {
  app = await startApp({ clock });
  workers = await startWorkers(app);
  administrator = await app.createUser({ role: 'admin' });
  seller = await app.createUser();
});
afterAll(async () => {
  await workers.close();
  await app.close();
});
beforeEach(async () => {
  await query(`update listings set status = 'deleted'`);
  await query(`delete from pgboss.job where name in ('send-email', 'index-listing')`);
  await query('delete from events');
  await moveTo(new Date('2026-03-28T08:00:00.000Z'));
});

/** Sessions last a week: whoever comes later has logged in anew. */
async function moveTo(time: Date): Promise<void> {
  now = time;
  admin = app.as(await app.services.tokens.sign({ id: administrator.id, role: 'admin', session_epoch: 0 }));
}
const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows;
const later = (ms: number) => new Date(now.getTime() + ms);

/** A listing of the seller that expires so many milliseconds from now. */
async function listing(inMs: number, status = 'active'): Promise<string> {
  const { id } = await createListing(app.services, { ...seller }, status);
  await query('update listings set expires_at = $2 where id = $1', [id, later(inMs)]);
  return id;
}
const statusOf = async (id: string) => (await query('select status from listings where id = $1', [id]))[0]?.status;
const events = () =>
  query(`select subject, previous ->> 'status' as before from events where type = 'listing.expired' order by subject`);
const mails = () =>
  query(`select data -> 'data' ->> 'title' as title, (data -> 'data' ->> 'days')::int as days, data ->> 'message_id' as id
         from pgboss.job where name = 'send-email' order by created_on, id`);

test('active and paused listings expire when their date is over, once, with an event and an index job', async () => {
  const [active, paused, sold, coming] = [
    await listing(-1),
    await listing(-DAY, 'paused'),
    await listing(-DAY, 'sold'),
    await listing(HOUR),
  ];
  const { body } = await admin.post('/api/admin/expire-listings');
  expect(body).toEqual({ expired: 2, errors: [], timestamp: now.toISOString() });
  expect(await Promise.all([active, paused, sold, coming].map(statusOf))).toEqual([
    'expired',
    'expired',
    'sold',
    'active',
  ]);
  expect(await events()).toEqual(
    [
      { subject: active, before: 'active' },
      { subject: paused, before: 'paused' },
    ].toSorted((a, b) => (a.subject < b.subject ? -1 : 1)),
  );
  const jobs = await query(
    `select jsonb_array_length(data -> 'listing_ids') as n from pgboss.job where name = 'index-listing'`,
  );
  expect(jobs.reduce((sum, { n }) => sum + Number(n), 0)).toBe(2);
  expect((await admin.post('/api/admin/expire-listings')).body.expired).toBe(0);
  expect(await events()).toHaveLength(2);
});

test('two runs at a time share the work: every listing expires once', async () => {
  await Promise.all(Array.from({ length: 60 }, () => listing(-HOUR)));
  const counts = await Promise.all(
    Array.from({ length: 4 }, async () => (await admin.post('/api/admin/expire-listings')).body.expired as number),
  );
  expect(counts.reduce((sum, n) => sum + n, 0)).toBe(60);
  expect(await events()).toHaveLength(60);
});

test('a run cut off halfway is completed by the next, and nothing happens twice', async () => {
  await query(
    `insert into listings (id, slug, seller_id, category_id, status, condition, title, description, price_amount, price_currency, country, city,
       source, language, created_at, updated_at, expires_at)
     select 'lst_' || n, 'cut-' || n, $1, 'cruising', 'active', 'good', 'Cut off ' || n, 'What is half done.', 1, 'EUR', 'DE', 'Kiel', 'api', 'en', $2, $2,
       $2::timestamptz - make_interval(secs => n) from generate_series(1, 1200) as n`,
    [seller.id, now],
  );
  const stop = new AbortController();
  const stoppingJobs: Pick<Jobs, 'enqueue'> = {
    enqueue(...job) {
      stop.abort(new Error('stopped'));
      return app.services.jobs.enqueue(...job);
    },
  };
  await expect(letExpire({ ...app.services, jobs: stoppingJobs }, stop.signal)).rejects.toThrow('stopped');
  expect(await events()).toHaveLength(500);
  await workers.services.jobs.boss.send('expire-listings', {});
  expect(await workers.work('expire-listings')).toEqual([
    { id: expect.any(String), status: 'completed', output: { expired: 700 } },
  ]);
  const all = await events();
  expect([all.length, new Set(all.map(({ subject }) => subject)).size]).toEqual([1_200, 1_200]);
});

test('a listing that cannot be changed is named, and stops none of the others', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, () => listing(-HOUR)));
  const poison = ids[2]!;
  await query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`);
  await query(
    `create trigger refused before update on listings for each row when (new.id = '${poison}' and new.status = 'expired') execute function refuse()`,
  );
  try {
    const { body } = await admin.post('/api/admin/expire-listings');
    expect(body).toMatchObject({
      expired: 4,
      errors: [{ listing_id: poison, message: 'The listing could not be changed.' }],
    });
  } finally {
    await query('drop trigger refused on listings');
    await query('drop function refuse');
  }
  expect((await admin.post('/api/admin/expire-listings')).body).toMatchObject({ expired: 1, errors: [] });
});

test('scraped listings stay as long as their page is seen, and expire when nobody has seen it for 60 days', async () => {
  const [seen, unseen, verified] = [ingestBody(), ingestBody(), ingestBody()];
  const { body } = await admin.post('/api/ingest', { records: [seen, unseen, verified] });
  const ids: string[] = [seen, unseen, verified].map(({ url }) => body.ids[url]);
  await query(`update listings set status = 'active', expires_at = $2 where id = any($1)`, [ids, later(-DAY)]);
  await query('update listing_sources set scraped_at = $2, last_verified_at = $2 where listing_id = any($1)', [
    ids.slice(1),
    later(-60 * DAY),
  ]);
  await query('update listing_sources set last_verified_at = $2 where listing_id = $1', [ids[2], later(-59 * DAY)]);
  expect((await admin.post('/api/admin/expire-listings')).body.expired).toBe(1);
  expect(await Promise.all(ids.map(statusOf))).toEqual(['active', 'expired', 'active']);
});

test('owners are reminded 7 days and 1 day before, each once, however often it is asked for', async () => {
  const id = await listing(7 * DAY + HOUR);
  await listing(9 * DAY);
  const ask = async () => (await admin.post('/api/admin/notify-expiring')).body;
  expect(await ask()).toEqual({ notified: 1, errors: [], timestamp: now.toISOString() });
  expect((await ask()).notified).toBe(0);
  const days: number[] = [];
  for (let day = 1; day <= 8; day += 1) {
    await moveTo(later(DAY));
    days.push((await ask()).notified);
  }
  // The other listing is told of twice as well, on its own days.
  expect(days).toEqual([0, 1, 0, 0, 0, 1, 0, 1]);
  const own = (await mails()).filter(({ id: name }) => name.includes(id));
  expect(own.map(({ days: left }) => left)).toEqual([7, 1]);
});

test('renewing arms both reminders again', async () => {
  const id = await listing(DAY);
  const ask = async () => (await admin.post('/api/admin/notify-expiring')).body.notified;
  expect(await ask()).toBe(1);
  await app.as(seller).post(`/api/listings/${id}/renew`);
  expect(await ask()).toBe(0);
  await moveTo(later(23 * DAY));
  expect(await ask()).toBe(1);
  await moveTo(later(6 * DAY));
  expect([await ask(), await ask()]).toEqual([1, 0]);
});

test('a run that comes late reminds of what is not over, and of nothing else', async () => {
  await listing(3 * DAY);
  await listing(HOUR);
  await listing(-HOUR);
  await listing(3 * DAY, 'sold');
  expect((await admin.post('/api/admin/notify-expiring')).body.notified).toBe(2);
  expect((await mails()).map(({ days }) => days).toSorted((a, b) => a - b)).toEqual([0, 3]);
});

test('runs at the same time mail each reminder once', async () => {
  await Promise.all(Array.from({ length: 40 }, (_, n) => listing(DAY + n * 1_000)));
  const counts = await Promise.all(
    Array.from({ length: 4 }, async () => (await admin.post('/api/admin/notify-expiring')).body.notified as number),
  );
  expect(counts.reduce((sum, n) => sum + n, 0)).toBe(40);
  expect(new Set((await mails()).map(({ id }) => id)).size).toBe(40);
});

test('the mail says when and links to the listing; the night of a time change is a day like any other', async () => {
  // Clocks in Europe go forward in this night: the day is an hour short there, and none in UTC.
  const id = await listing(DAY);
  await workers.services.jobs.boss.send('notify-expiring', {});
  expect(await workers.work('notify-expiring')).toMatchObject([{ status: 'completed', output: { notified: 1 } }]);
  const [mail] = await query(`select data -> 'data' as data from pgboss.job where name = 'send-email'`);
  expect(mail.data).toMatchObject({ days: 1, expires_at: '2026-03-29T08:00:00.000Z' });
  expect(await workers.work('send-email')).toMatchObject([
    { status: 'completed', output: { sent: 'listing-expiring' } },
  ]);
  expect(await query('select days from listing_reminders where listing_id = $1', [id])).toEqual([{ days: 1 }]);
});

test('a clock that jumps ahead and back expires nothing twice, and takes nothing back', async () => {
  const id = await listing(30 * DAY);
  await moveTo(later(40 * DAY));
  expect((await admin.post('/api/admin/expire-listings')).body.expired).toBe(1);
  await moveTo(later(-40 * DAY - HOUR));
  expect((await admin.post('/api/admin/expire-listings')).body.expired).toBe(0);
  expect((await admin.post('/api/admin/notify-expiring')).body.notified).toBe(0);
  expect(await statusOf(id)).toBe('expired');
  expect(await events()).toHaveLength(1);
});
