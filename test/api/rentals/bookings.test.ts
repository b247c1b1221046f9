import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../../shared/kit/clock.ts';
import { startApp, type Client, type Json, type Reply, type TestApp, type TestUser } from '../../support/app.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { lapseBookings } from '../../../workers/lapse-bookings.ts';
import { ask, movableClock, offer, START } from './fixture.ts';

const clock = movableClock();
let app: TestApp;
let twin: TestApp;
let workers: TestWorkers;
let ownerUser: TestUser;
let renterUser: TestUser;
let [owner, renter, stranger]: Client[] = [];
beforeAll(async () => {
  app = await startApp({ clock });
  twin = await app.twin();
  workers = await startWorkers(app);
  ownerUser = await app.createUser({ name: 'Mateu' });
  renterUser = await app.createUser({ name: 'Anna' });
  [owner, renter, stranger] = [app.as(ownerUser), app.as(renterUser), app.as(await app.createUser())];
});
afterAll(async () => {
  await workers.close();
  await twin.close();
  await app.close();
});

const context = { signal: new AbortController().signal, log: undefined as never, jobId: 'none', attempt: 0 };
const as = { owner: () => owner!, renter: () => renter!, stranger: () => stranger! };
const move = (who: keyof typeof as, rentalId: string, id: string, verb: 'confirm' | 'decline' | 'cancel') =>
  as[who]().post(`/api/rentals/${rentalId}/bookings/${id}/${verb}`);
const request = (rentalId: string, date_from: string, date_to: string, client = as.renter()) =>
  client.post(`/api/rentals/${rentalId}/bookings`, { date_from, date_to });
const errorOf = ({ status, body }: Reply<Json>) => [status, body.error?.code];
/** The messages on their way since the last look: template, and to whom. */
const mails = async () =>
  (await workers.take('send-email')).map(({ data }) => {
    expect(Object.keys(data.data)).toEqual(['booking_id']);
    return [data.template, data.user_id === ownerUser.id ? 'owner' : 'renter'];
  });

describe('asking for a boat', () => {
  test('the request holds the price of today and waits for the owner, who is mailed', async () => {
    const id = await offer(as.owner(), { price_per_day: 33.335 });
    await mails();
    const { status, body } = await as.renter().post(`/api/rentals/${id}/bookings`, {
      date_from: '2027-07-10',
      date_to: '2027-07-13',
      message: 'Two families with a licence.',
    });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^bkg_/),
        rental_id: id,
        rental: { id, slug: expect.any(String), title: expect.any(String) },
        renter: { id: renterUser.id, name: 'Anna' },
        date_from: '2027-07-10',
        date_to: '2027-07-13',
        days: 3,
        total_price: 100.01,
        currency: 'EUR',
        message: 'Two families with a licence.',
        status: 'requested',
        created_at: `${START}T12:00:00.000Z`,
        updated_at: `${START}T12:00:00.000Z`,
      },
    ]);
    expect(await mails()).toEqual([['booking-requested', 'owner']]);
    await as.owner().patch(`/api/rentals/${id}`, { price_per_day: 999 });
    expect((await as.renter().get('/api/me/bookings')).body.results[0].total_price).toBe(100.01);
  });

  test.each([
    ['2027-02-28', '2027-03-02', 'a day that is over'],
    ['2027-07-10', '2027-07-10', 'no day at all'],
    ['2027-07-10', '2027-07-09', 'an end before the beginning'],
    ['2027-05-01', '2028-05-01', 'more than 365 days'],
    ['2027-02-30', '2027-07-10', 'a day that is not on the calendar'],
    ['2027-7-1', '2027-07-10', 'a day written in another way'],
    ['2027-07-10T00:00:00Z', '2027-07-12', 'a time'],
  ])('400 from %s to %s: %s', async (from, to) => {
    const id = await offer(as.owner(), { availability: { available_from: '2027-01-01', available_to: '2029-12-31' } });
    expect(errorOf(await request(id, from, to))).toEqual([400, 'validation_error']);
  });

  test('today and 365 days are taken', async () => {
    const id = await offer(as.owner(), { availability: { available_from: '2027-01-01', available_to: '2029-12-31' } });
    expect((await request(id, START, '2028-02-29')).body).toMatchObject({ days: 365, status: 'requested' });
  });

  test('the last day of the season can be booked, the day after it cannot: 409', async () => {
    const id = await offer(as.owner());
    expect((await request(id, '2027-09-30', '2027-10-01')).status).toBe(201);
    expect((await request(id, '2027-05-01', '2027-05-02')).status).toBe(201);
    expect(errorOf(await request(id, '2027-09-30', '2027-10-02'))).toEqual([409, 'conflict']);
    expect(errorOf(await request(id, '2027-04-30', '2027-05-02'))).toEqual([409, 'conflict']);
  });

  test('several may ask for the same time; once it is booked it is 409, what touches it is not', async () => {
    const id = await offer(as.owner());
    const first = await ask(as.renter(), id, '2027-07-10', '2027-07-17');
    await ask(as.stranger(), id, '2027-07-12', '2027-07-14');
    await move('owner', id, first, 'confirm');
    const refused = await request(id, '2027-07-16', '2027-07-20', as.stranger());
    expect(errorOf(refused)).toEqual([409, 'conflict']);
    expect(refused.body.error.details.conflicts).toEqual([{ from: '2027-07-10', to: '2027-07-17' }]);
    for (const [from, to] of [
      ['2027-07-17', '2027-07-20'],
      ['2027-07-08', '2027-07-10'],
    ] as const)
      expect((await request(id, from, to, as.stranger())).status).toBe(201);
  });

  test('403 for the owner, 409 while it is paused, 404 for a rental that is deleted or never was', async () => {
    const id = await offer(as.owner());
    expect(errorOf(await request(id, '2027-07-10', '2027-07-12', as.owner()))).toEqual([403, 'forbidden']);
    await as.owner().patch(`/api/rentals/${id}`, { status: 'paused' });
    expect(errorOf(await request(id, '2027-07-10', '2027-07-12'))).toEqual([409, 'conflict']);
    await as.owner().delete(`/api/rentals/${id}`);
    expect(errorOf(await request(id, '2027-07-10', '2027-07-12'))).toEqual([404, 'not_found']);
    expect(errorOf(await request('no-such-boat', '2027-07-10', '2027-07-12'))).toEqual([404, 'not_found']);
  });
});

test('the mails that go out say what is in the database then, and link to the rental while it is there', async () => {
  const id = await offer(as.owner(), { title: 'Lagoon 42 of the mails' });
  await mails();
  const booking = await ask(as.renter(), id, '2027-07-10', '2027-07-17');
  await move('owner', id, booking, 'confirm');
  await as.owner().delete(`/api/rentals/${id}`);
  await move('renter', id, booking, 'cancel');
  const results = await workers.work('send-email');
  expect(results.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  const folder = join(app.dataDir, 'outbox');
  const sent = await Promise.all(readdirSync(folder).map((name) => PostalMime.parse(readFileSync(join(folder, name)))));
  expect(
    sent.map(({ to, subject, text }) => [to?.[0]?.address, subject, text?.includes('Anna')].join()).toSorted(),
  ).toEqual(
    [
      [ownerUser.email, 'Booking request: Lagoon 42 of the mails', true].join(),
      [renterUser.email, 'Booked: Lagoon 42 of the mails', false].join(),
      [ownerUser.email, 'Cancelled: Lagoon 42 of the mails', false].join(),
    ].toSorted(),
  );
  for (const { text, subject } of sent) {
    expect(text).toContain('July 10');
    const page = subject?.startsWith('Booking request') ? '/my/bookings' : '/rentals';
    expect(text).toContain(`${app.url}${page}\n`);
  }
});

describe('answering', () => {
  const everyMove = [
    ['requested', 'owner', 'confirm', 200, 'confirmed'],
    ['requested', 'owner', 'decline', 200, 'declined'],
    ['requested', 'owner', 'cancel', 200, 'cancelled'],
    ['requested', 'renter', 'cancel', 200, 'cancelled'],
    ['requested', 'renter', 'confirm', 403, 'requested'],
    ['requested', 'renter', 'decline', 403, 'requested'],
    ['requested', 'stranger', 'confirm', 403, 'requested'],
    ['requested', 'stranger', 'cancel', 403, 'requested'],
    ['confirmed', 'owner', 'confirm', 409, 'confirmed'],
    ['confirmed', 'owner', 'decline', 409, 'confirmed'],
    ['confirmed', 'owner', 'cancel', 200, 'cancelled'],
    ['confirmed', 'renter', 'cancel', 200, 'cancelled'],
    ...(['declined', 'cancelled', 'lapsed'] as const).flatMap((from) =>
      (['confirm', 'decline', 'cancel'] as const).map((verb) => [from, 'owner', verb, 409, from] as const),
    ),
    ['declined', 'renter', 'cancel', 409, 'declined'],
  ] as const;

  test('every move from every status by everybody leads where it is decided, and tells the other side', async () => {
    const id = await offer(as.owner());
    await mails();
    for (const [from, who, verb, status, to] of everyMove) {
      const booking = await ask(as.renter(), id, '2027-07-10', '2027-07-17');
      await app.database.pool.query('update bookings set status = $2 where id = $1', [booking, from]);
      await mails();
      const reply = await move(who, id, booking, verb);
      const told = status === 200 ? [[`booking-${to}`, who === 'owner' ? 'renter' : 'owner']] : [];
      expect([from, who, verb, reply.status, reply.body.status ?? to, await mails()]).toEqual([
        from,
        who,
        verb,
        status,
        to,
        told,
      ]);
      const { rows } = await app.database.pool.query('select status from bookings where id = $1', [booking]);
      expect(rows[0].status).toBe(to);
      await app.database.pool.query(`update bookings set status = 'declined' where id = $1`, [booking]);
    }
  });

  test('404 for a booking of another rental', async () => {
    const [id, another] = [await offer(as.owner()), await offer(as.owner())];
    const booking = await ask(as.renter(), id, '2027-07-10', '2027-07-17');
    expect(errorOf(await move('owner', another, booking, 'confirm'))).toEqual([404, 'not_found']);
  });

  test('of 20 overlapping requests confirmed at the same time on two processes exactly one wins', async () => {
    const id = await offer(as.owner());
    const bookings = await Promise.all(
      Array.from({ length: 20 }, (_, day) =>
        ask(as.renter(), id, '2027-07-10', `2027-07-${String(day + 11).padStart(2, '0')}`),
      ),
    );
    const replies = await Promise.all(
      bookings.map((booking, index) =>
        (index % 2 === 0 ? app : twin).as(ownerUser).post(`/api/rentals/${id}/bookings/${booking}/confirm`),
      ),
    );
    expect(replies.filter(({ status }) => status !== 409).map(({ status }) => status)).toEqual([200]);
    const { body } = await as.owner().get(`/api/rentals/${id}/bookings?status=confirmed`);
    expect(body.pagination.total).toBe(1);
  });

  test('without the lock of the service, the database alone lets no two of them win', async () => {
    const id = await offer(as.owner());
    const [first, second] = await Promise.all([
      ask(as.renter(), id, '2027-07-10', '2027-07-17'),
      ask(as.renter(), id, '2027-07-16', '2027-07-18'),
    ]);
    const confirm = (booking: string) =>
      app.database.pool.query(`update bookings set status = 'confirmed' where id = $1`, [booking]);
    await confirm(first);
    await expect(confirm(second)).rejects.toMatchObject({ code: '23P01', constraint: 'bookings_never_overlap' });
  });

  test('requests that touch are both confirmed', async () => {
    const id = await offer(as.owner());
    const bookings = [
      await ask(as.renter(), id, '2027-07-10', '2027-07-17'),
      await ask(as.renter(), id, '2027-07-17', '2027-07-24'),
      await ask(as.renter(), id, '2027-07-03', '2027-07-10'),
    ];
    const replies = await Promise.all(bookings.map((booking) => move('owner', id, booking, 'confirm')));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('a cancelled booking makes room for another', async () => {
    const id = await offer(as.owner());
    const [first, second] = [
      await ask(as.renter(), id, '2027-07-10', '2027-07-17'),
      await ask(as.renter(), id, '2027-07-12', '2027-07-14'),
    ];
    await move('owner', id, first, 'confirm');
    expect(errorOf(await move('owner', id, second, 'confirm'))).toEqual([409, 'conflict']);
    await move('renter', id, first, 'cancel');
    expect((await move('owner', id, second, 'confirm')).status).toBe(200);
  });

  test('while a rental is paused a request can still be confirmed, outside of a new season it cannot', async () => {
    const id = await offer(as.owner());
    const [july, september] = [
      await ask(as.renter(), id, '2027-07-10', '2027-07-17'),
      await ask(as.renter(), id, '2027-09-10', '2027-09-17'),
    ];
    const availability = { available_from: '2027-05-01', available_to: '2027-09-15' };
    await as.owner().patch(`/api/rentals/${id}`, { status: 'paused', availability });
    expect((await move('owner', id, july, 'confirm')).status).toBe(200);
    expect(errorOf(await move('owner', id, september, 'confirm'))).toEqual([409, 'conflict']);
  });
});

describe('the rental meanwhile', () => {
  test('409 for a season that leaves out a confirmed booking, to the day', async () => {
    const id = await offer(as.owner());
    await move('owner', id, await ask(as.renter(), id, '2027-07-10', '2027-07-17'), 'confirm');
    const season = (available_from: string, available_to: string) =>
      as.owner().patch(`/api/rentals/${id}`, { availability: { available_from, available_to } });
    expect(errorOf(await season('2027-07-10', '2027-07-15'))).toEqual([409, 'conflict']);
    expect(errorOf(await season('2027-07-11', '2027-07-31'))).toEqual([409, 'conflict']);
    expect((await season('2027-07-10', '2027-07-16')).body.availability).toEqual({
      available_from: '2027-07-10',
      available_to: '2027-07-16',
    });
  });

  test('deleting it declines who waits, tells them, and leaves what is confirmed to both sides', async () => {
    const id = await offer(as.owner());
    const confirmed = await ask(as.renter(), id, '2027-07-10', '2027-07-17');
    await move('owner', id, confirmed, 'confirm');
    const waiting = await ask(as.renter(), id, '2027-08-10', '2027-08-17');
    await mails();
    expect((await as.owner().delete(`/api/rentals/${id}`)).body).toEqual({ deleted: true, id });
    expect(await mails()).toEqual([['booking-declined', 'renter']]);
    const { body } = await as.owner().get(`/api/rentals/${id}/bookings`);
    expect(body.results.map((each: { id: string; status: string }) => [each.id, each.status])).toEqual([
      [waiting, 'declined'],
      [confirmed, 'confirmed'],
    ]);
    expect((await move('renter', id, confirmed, 'cancel')).body.status).toBe('cancelled');
  });
});

describe('lists', () => {
  test('the owner alone lists the bookings of a rental; one who has asked finds their own', async () => {
    const id = await offer(as.owner());
    const mine = await ask(as.stranger(), id, '2027-07-10', '2027-07-12');
    const theirs = await ask(as.renter(), id, '2027-07-10', '2027-07-13');
    expect(errorOf(await as.stranger().get(`/api/rentals/${id}/bookings`))).toEqual([403, 'forbidden']);
    const all = await as.owner().get(`/api/rentals/${id}/bookings?limit=1&page=2`);
    expect([all.body.results[0].id, all.body.pagination]).toEqual([mine, { page: 2, limit: 1, total: 2, pages: 2 }]);
    const own = await as.stranger().get('/api/me/bookings?status=requested&limit=100');
    const ids = new Set(own.body.results.map((each: { id: string }) => each.id));
    expect([ids.has(mine), ids.has(theirs)]).toEqual([true, false]);
  });
});

describe('requests without an answer', () => {
  test('lapse after 48 hours to the minute, by the job or before it, and are never confirmed then', async () => {
    const id = await offer(as.owner());
    const [one, two] = [
      await ask(as.renter(), id, '2027-07-10', '2027-07-17'),
      await ask(as.renter(), id, '2027-07-20', '2027-07-24'),
    ];
    const confirmed = await ask(as.renter(), id, '2027-08-20', '2027-08-24');
    await move('owner', id, confirmed, 'confirm');
    await mails();
    clock.move(48 * HOUR_MS - 60_000);
    await lapseBookings(workers.services, {}, context);
    expect((await move('owner', id, one, 'confirm')).status).toBe(200);
    clock.move(60_000);
    expect(errorOf(await move('owner', id, two, 'confirm'))).toEqual([409, 'conflict']);
    const shown = await as.owner().get(`/api/rentals/${id}/bookings?status=lapsed`);
    expect(shown.body.results).toMatchObject([{ id: two, status: 'lapsed' }]);
    await mails();
    await lapseBookings(workers.services, {}, context);
    const told = await mails();
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told.map(String))).toEqual(new Set(['booking-lapsed,renter']));
    expect(await lapseBookings(workers.services, {}, context)).toEqual({ lapsed: 0 });
    expect(await mails()).toEqual([]);
    const { rows } = await app.database.pool.query(
      'select status from bookings where id = any($1) order by date_from',
      [[one, two, confirmed]],
    );
    expect(rows.map(({ status }) => status)).toEqual(['confirmed', 'lapsed', 'confirmed']);
  });
});
