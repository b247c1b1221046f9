import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { createAccountToken } from '../../../shared/accounts/account-tokens.ts';
import { createPasswords } from '../../../shared/accounts/password.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/kit/clock.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { offer } from '../../support/dedup-groups.ts';
import { openEventStream } from '../../support/event-stream.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { visitPages } from '../../support/page-visitor.ts';
import { createConversation } from '../../support/recipes/conversations.ts';
import { eventually } from '../../support/waiting.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { ask, movableClock, offer as offerRental, rentalBody } from '../rentals/fixture.ts';

const clock = movableClock();
const reason = 'Several buyers have paid for boats that do not exist.';
let app: TestApp;
let twin: TestApp;
let workers: TestWorkers;
let admin: TestUser;
beforeAll(async () => {
  app = await startApp({ clock });
  twin = await app.twin();
  workers = await startWorkers(app);
  admin = await app.createUser({ role: 'admin', name: 'Ada' });
});
afterAll(async () => {
  await workers.close();
  await twin.close();
  await app.close();
});

const suspend = (user: Pick<TestUser, 'id'>, fields: object = {}) =>
  app.as(admin).post(`/api/admin/users/${user.id}/suspend`, { reason, ...fields });
const unsuspend = (user: Pick<TestUser, 'id'>) => twin.as(admin).post(`/api/admin/users/${user.id}/unsuspend`);
const found = async (id: string) =>
  (await twin.as().get('/api/listings?limit=100')).body.results.some((listing: { id: string }) => listing.id === id);
const rowOf = async (id: string) =>
  (await app.database.pool.query('select * from listings where id = $1', [id])).rows[0];

test('it ends sessions, keys, webhooks, streams and publications on every process, and is told by mail', async () => {
  const seller = await app.createUser({ name: 'Sam' });
  const listing = await offer(app, seller);
  const rental = await offerRental(app.as(seller));
  const key = (await app.as(seller).post('/api/api-keys', { name: 'agent' })).body.key;
  const hook = await app
    .as(seller)
    .post('/api/webhooks', { url: 'https://hooks.example.com/', events: ['*'], description: null });
  await workers.readJournal();
  const stream = await openEventStream(`${twin.url}/api/events/stream`, seller.token);
  expect(await found(listing.id)).toBe(true);
  expect((await twin.as().get(`/api/listings/${listing.id}`)).status).toBe(200);

  const reply = await suspend(seller);
  expect(reply.body).toMatchObject({ id: seller.id, status: 'suspended' });

  await stream.ended;
  expect((await twin.as(seller).get('/api/me')).status).toBe(401);
  expect((await twin.as(key).get('/api/me')).status).toBe(401);
  await eventually(async () => !(await found(listing.id)));
  await eventually(async () => (await twin.as().get(`/api/listings/${listing.id}`)).status === 404);
  expect((await twin.as().get(`/api/listings/${listing.slug}.md`)).status).toBe(404);
  expect((await twin.as().get(`/api/rentals/${rental}`)).status).toBe(404);
  expect((await twin.as().get('/feeds/listings.atom')).text).not.toContain(listing.slug);
  expect((await twin.as().get(`/api/users/${seller.id}`)).status).toBe(404);
  expect((await visitPages(twin).open(`/listings/${listing.slug}`)).status).toBe(404);
  expect((await visitPages(twin).open(`/sellers/${seller.id}`)).status).toBe(404);
  expect((await twin.as(admin).get(`/api/listings/${listing.id}`)).body.status).toBe('suspended');

  await workers.work('deliver-webhook');
  const deliveries = await app.database.pool.query(`select status from webhook_deliveries where webhook_id = $1`, [
    hook.body.id,
  ]);
  expect(deliveries.rows.filter(({ status }) => status !== 'failed')).toEqual([]);

  const mails = await workers.work('send-email');
  expect(mails.map(({ output }) => output)).toContainEqual({ sent: 'account-suspended' });
});

test('lifting it brings back what has not expired, exactly as it was, and keys and webhooks stay ended', async () => {
  const seller = await app.createUser();
  const [kept, paused, over] = [await offer(app, seller), await offer(app, seller), await offer(app, seller)];
  await app.as(seller).patch(`/api/listings/${paused.id}`, { status: 'paused' });
  await app.database.pool.query('update listings set expires_at = $2 where id = $1', [
    over.id,
    new Date(clock.now().getTime() + HOUR_MS),
  ]);
  const rental = await offerRental(app.as(seller));
  const key = (await app.as(seller).post('/api/api-keys', { name: 'agent' })).body.key;
  const before = await rowOf(kept.id);
  await suspend(seller);
  expect((await rowOf(paused.id)).status).toBe('suspended');
  clock.move(2 * HOUR_MS);
  expect((await unsuspend(seller)).body.status).toBe('active');
  const after = await rowOf(kept.id);
  const ignored = { updated_at: null, version: null };
  expect({ ...after, ...ignored }).toEqual({ ...before, ...ignored });
  expect((await rowOf(paused.id)).status).toBe('paused');
  expect((await rowOf(over.id)).status).toBe('expired');
  expect((await app.as().get(`/api/rentals/${rental}`)).status).toBe(200);
  expect(await found(kept.id)).toBe(true);
  expect((await app.as(key).get('/api/me')).status).toBe(401);
  expect((await app.as(seller).get('/api/me')).status).toBe(401);
});

test('more listings than one transaction takes are hidden and brought back by the job', async () => {
  const seller = await app.createUser();
  await offer(app, seller);
  await app.database.pool.query(
    `insert into listings (id, slug, seller_id, category_id, status, condition, title, price_amount, price_currency, country, city,
       source, language, created_at, updated_at, published_at, expires_at, description)
     select 'lst_' || lpad(n::text, 26, '0'), 'copy-' || n, seller_id, category_id, status, condition, title || n, price_amount, price_currency,
       country, city, source, language, created_at, updated_at, published_at, expires_at, description
     from listings, generate_series(1, 450) as n where seller_id = $1`,
    [seller.id],
  );
  const count = async (status: string) =>
    (
      await app.database.pool.query('select count(*)::int as n from listings where seller_id = $1 and status = $2', [
        seller.id,
        status,
      ])
    ).rows[0].n;
  await suspend(seller);
  await workers.work('align-publications');
  expect([await count('active'), await count('suspended')]).toEqual([0, 451]);
  await unsuspend(seller);
  await workers.work('align-publications');
  expect([await count('active'), await count('suspended')]).toEqual([451, 0]);
});

test('a publication that is under way when the suspension commits is refused by the database', async () => {
  const seller = await app.createUser();
  const { id } = await offer(app, seller);
  await suspend(seller);
  const publish = app.database.pool.query(`update listings set status = 'active' where id = $1`, [id]);
  await expect(publish).rejects.toMatchObject({ code: 'QS001' });
  const again = app.database.pool.query(
    `insert into rentals (id, slug, owner_id, title, description, boat_type, price_per_day, currency, country, city, available_from,
       available_to, created_at, updated_at)
     values ('rent_x', 'x', $1, 'x', 'x', 'x', 1, 'EUR', 'DE', 'x', '2027-01-01', '2027-02-01', now(), now())`,
    [seller.id],
  );
  await expect(again).rejects.toMatchObject({ code: 'QS001' });
});

test('approving a draft of somebody suspended is 409, and bulk publishing names the reason', async () => {
  const seller = await app.createUser();
  const { body: draft } = await app.as(seller).post('/api/listings', listingBody());
  await suspend(seller);
  expect((await app.as(admin).post(`/api/admin/listings/${draft.id}/approve`)).status).toBe(409);
  const { body } = await app.as(admin).post('/api/ingest/publish-bulk', { ids: [draft.id] });
  expect(body).toMatchObject({ published: 0, failed: [{ id: draft.id, reason: 'Its seller is suspended.' }] });
});

describe('signing in', () => {
  const password = 'five gulls over Flensburg';
  const withPassword = async () => {
    const user = await app.createUser();
    const passwordHash = await createPasswords().hash(password);
    await app.services.db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', user.id).execute();
    return user;
  };

  test('with the right password is 403 with the reason, the end and the way to appeal; a wrong one says nothing', async () => {
    const user = await withPassword();
    const until = new Date(clock.now().getTime() + DAY_MS).toISOString();
    await suspend(user, { until });
    const right = await twin.as().post('/api/auth/login', { email: user.email, password });
    expect(right.status).toBe(403);
    expect(right.body.error).toMatchObject({
      code: 'account_suspended',
      details: { suspension: { reason, until, appeal: { email: 'no-reply@localhost' } } },
    });
    expect(right.body.error.message).toContain(reason);
    const wrong = await twin.as().post('/api/auth/login', { email: user.email, password: 'not this one' });
    expect([wrong.status, wrong.text.includes(reason)]).toEqual([401, false]);
  });

  test('with a link from before is 403 too, and asking for another mails the reason again', async () => {
    const user = await withPassword();
    const token = await createAccountToken(app.services.db, { purpose: 'magic_link', user }, clock.now());
    await suspend(user);
    const reply = await app.as().post('/api/auth/magic-link/verify', { token });
    expect([reply.status, reply.body.error.code]).toEqual([403, 'account_suspended']);
    await workers.take('send-email');
    await app.as().post('/api/auth/magic-link', { email: user.email });
    await workers.work('mail-account-link');
    expect((await workers.work('send-email')).map(({ output }) => output)).toEqual([{ sent: 'account-suspended' }]);
  });

  test('on the pages for people tells it in the language of the visitor', async () => {
    const user = await withPassword();
    await suspend(user);
    const visitor = visitPages(twin);
    await visitor.open('/sign-in?lang=de');
    const page = await visitor.send('form:has([name=password])', { email: user.email, password });
    expect(page.text).toContain('Dieses Konto ist gesperrt.');
    expect(page.text).toContain(reason);
  });
});

test('nothing in the name of a suspended person goes out, and nobody can write to them', async () => {
  const [scammer, victim] = [await app.createUser(), await app.createUser()];
  const conversation = await createConversation(app.services, victim, scammer);
  await workers.take('send-email');
  expect(
    (await app.as(scammer).post(`/api/conversations/${conversation}/messages`, { content: 'Pay here.' })).status,
  ).toBe(201);
  const rental = await offerRental(app.as(victim));
  await ask(app.as(scammer), rental, '2027-06-01', '2027-06-08');
  await suspend(scammer);
  const sent = (await workers.work('send-email')).map(({ output }) => output);
  expect(sent).toContainEqual({ sent: 'account-suspended' });
  expect(sent.filter((output) => !('sent' in output))).toHaveLength(2);
  const answer = await app.as(victim).post(`/api/conversations/${conversation}/messages`, { content: 'Where?' });
  expect(answer.status).toBe(409);
  expect((await app.as(victim).get(`/api/conversations/${conversation}`)).status).toBe(200);
});

test('a request to book of somebody suspended cannot be confirmed, and can be declined', async () => {
  const [owner, renter] = [await app.createUser(), await app.createUser()];
  const rental = await offerRental(app.as(owner), rentalBody());
  const booking = await ask(app.as(renter), rental, '2027-06-01', '2027-06-08');
  await suspend(renter);
  const answer = (how: string) => app.as(owner).post(`/api/rentals/${rental}/bookings/${booking}/${how}`);
  expect((await answer('confirm')).status).toBe(409);
  expect((await answer('decline')).status).toBe(200);
});

test('it ends by itself when its time is over, and a past end is 400', async () => {
  const user = await app.createUser();
  const at = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds).toISOString();
  expect((await suspend(user, { until: at(-HOUR_MS) })).status).toBe(400);
  await suspend(user, { until: at(DAY_MS) });
  const end = async () => {
    await inTransaction(app.services.db, (tx) => app.services.jobs.enqueue(tx, 'end-suspensions', {}));
    await workers.work('end-suspensions');
    return (await app.as(admin).get(`/api/admin/users/${user.id}`)).body;
  };
  expect((await end()).account.status).toBe('suspended');
  clock.move(DAY_MS + HOUR_MS);
  const detail = await end();
  expect(detail.account.status).toBe('active');
  expect(detail.suspensions).toMatchObject([{ reason, ended_by: null, suspended_by: admin.id }]);
  expect(detail.suspensions[0].ended_at).not.toBeNull();
});

test('409 for somebody who is suspended, or is not, and 404 for nobody', async () => {
  const user = await app.createUser();
  expect((await unsuspend(user)).status).toBe(409);
  await suspend(user);
  expect((await suspend(user)).status).toBe(409);
  expect((await suspend({ id: newId('user') })).status).toBe(404);
});

test('what scrapers bring in for an administrator stays when that one is suspended', async () => {
  const scraping = await app.createUser({ role: 'admin' });
  const listing = await offer(app, scraping);
  await app.database.pool.query(
    `insert into listing_sources (listing_id, url, normalized_url, site, scraper_id, raw_record, content_hash, scraped_at, first_seen_at,
       due_at, owner)
     values ($1, $2, $2, 'boats.example.com', 'scr_x', '{}', '', now(), now(), now(), 'marketplace')`,
    [listing.id, `https://boats.example.com/${listing.id}`],
  );
  await suspend(scraping);
  expect((await rowOf(listing.id)).status).toBe('active');
});

describe('the last administrator', () => {
  test('can be neither demoted nor suspended, also when two try at once', async () => {
    const other = await startApp();
    const [first, second] = [await other.createUser({ role: 'admin' }), await other.createUser({ role: 'admin' })];
    const demote = (by: TestUser, whom: TestUser) =>
      other.as(by).post(`/api/admin/users/${whom.id}/role`, { role: 'user' });
    const both = await Promise.all([demote(first, second), demote(second, first)]);
    const statuses = both.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses[0]).toBe(200);
    expect([403, 409]).toContain(statuses[1]);
    const { rows } = await other.database.pool.query(`select id from users where role = 'admin'`);
    expect(rows).toHaveLength(1);
    const last = [first, second].find(({ id }) => id === rows[0].id)!;
    expect((await demote(last, last)).status).toBe(409);
    expect((await other.as(last).post(`/api/admin/users/${last.id}/suspend`, { reason })).status).toBe(409);
    await other.close();
  });
});
