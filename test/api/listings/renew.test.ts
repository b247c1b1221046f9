import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';

const DAY_MS = 86_400_000;

let now = new Date('2026-03-01T10:00:00.000Z');
let app: TestApp;
let owner: TestUser;
beforeAll(async () => {
  app = await startApp({ clock: { now: () => now } });
  owner = await app.createUser();
});
afterAll(() => app.close());

const after = async (days: number) => {
  now = new Date(now.getTime() + days * DAY_MS);
  owner = { ...owner, token: await app.services.tokens.sign({ id: owner.id, role: 'user', session_epoch: 0 }) };
};
const published = async () => {
  const { body } = await app.as(owner).post('/api/listings', listingBody());
  return (await app.as(owner).post(`/api/listings/${body.id}/publish`)).body;
};
const renew = (id: string) => app.as(owner).post(`/api/listings/${id}/renew`);

test.each(['expired', 'active', 'paused'])(
  'a listing that is %s gets 30 days from now and is active',
  async (status) => {
    const { id } = await published();
    await app.database.pool.query('update listings set status = $2 where id = $1', [id, status]);
    await after(29);
    const { body } = await renew(id);
    expect(body).toMatchObject({
      status: 'active',
      expires_at: new Date(now.getTime() + 30 * DAY_MS).toISOString(),
      updated_at: now.toISOString(),
    });
  },
);

test('renewing moves no listing up', async () => {
  const [older, newer] = [await published(), (await after(1), await published())];
  await after(1);
  await renew(older.id);
  const { body } = await app.as().get('/api/listings?limit=2&status=all');
  expect(body.results.map(({ id }: { id: string }) => id)).toEqual([newer.id, older.id]);
});

test('20 parallel renewals: every one 200, one date, nobody is mailed', async () => {
  const { id } = await published();
  const mails = async () =>
    (await app.database.pool.query(`select 1 from pgboss.job where name = 'send-email'`)).rows.length;
  const before = await mails();
  await app.database.pool.query(`update listings set status = 'expired' where id = $1`, [id]);
  await after(3);
  const replies = await Promise.all(Array.from({ length: 20 }, () => renew(id)));
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  const expiry = new Date(now.getTime() + 30 * DAY_MS).toISOString();
  expect(new Set(replies.map(({ body }) => body.expires_at))).toEqual(new Set([expiry]));
  expect((await app.as(owner).get(`/api/listings/${id}`)).body).toMatchObject({ status: 'active', expires_at: expiry });
  expect(await mails()).toBe(before);
});

test('a renewal and a sale at once: sold in the end, or the renewal is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id } = await published();
    const [renewal, sale] = await Promise.all([renew(id), app.as(owner).post(`/api/listings/${id}/mark-sold`)]);
    expect(sale.status).toBe(200);
    expect([200, 409]).toContain(renewal.status);
    expect((await app.as(owner).get(`/api/listings/${id}`)).body.status).toBe('sold');
  }
});

test('what was never public is judged before it is, and is new then', async () => {
  const expired = async (description: string) => {
    const { body } = await app.as(owner).post('/api/listings', listingBody());
    await app.database.pool.query(`update listings set status = 'expired', description = $2 where id = $1`, [
      body.id,
      description,
    ]);
    return body.id as string;
  };
  const spam = `Look at ${Array.from({ length: 8 }, (_, index) => `https://spam${index}.example.com/x`).join(' ')}`;
  const refused = await renew(await expired(spam));
  expect([refused.status, refused.body.error.code]).toEqual([400, 'moderation_rejected']);
  const id = await expired('A sound boat that nobody has seen yet, with sails.');
  await after(1);
  expect((await renew(id)).status).toBe(200);
  const { rows } = await app.database.pool.query('select published_at from listings where id = $1', [id]);
  expect(rows[0].published_at).toEqual(now);
  const events = await app.database.pool.query(`select type from events where subject = $1 order by seq desc limit 1`, [
    id,
  ]);
  expect(events.rows).toEqual([{ type: 'listing.published' }]);
});
