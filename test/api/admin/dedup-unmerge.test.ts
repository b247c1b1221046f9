import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { mergeGroup } from '../../../shared/dedup/merge.ts';
import { offer, storeGroup } from '../../support/dedup-groups.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let admin: TestUser;
let anna: TestUser;
let ben: TestUser;
let buyer: TestUser;
beforeAll(async () => {
  app = await startApp({ profile: 'general' });
  workers = await startWorkers(app);
  admin = await app.createUser({ role: 'admin' });
  anna = await app.createUser({ name: 'Anna' });
  ben = await app.createUser({ name: 'Ben' });
  buyer = await app.createUser({ name: 'Bea' });
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

const at = '/api/admin/nautical/dedup';
const decide = (id: string, decision: string, body?: object) => app.as(admin).post(`${at}/${id}/${decision}`, body);
const read = async (id: string) => (await app.as(admin).get(`${at}/${id}`)).body;
const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows;
const rowOf = async (id: string) => (await query('select * from listings where id = $1', [id]))[0];
const statusesOf = async (...ids: string[]) => Promise.all(ids.map(async (id) => (await rowOf(id))?.status));

/** One line per row of everything that a merge may touch; versions only ever grow. */
async function snapshot(): Promise<Record<string, string[]>> {
  const tables = [
    'favorites',
    'conversations',
    'messages',
    'reviews',
    'picture_uses',
    'listing_images',
    'listing_prices',
  ];
  const plain = await Promise.all(
    tables.map(async (table) => [
      table,
      (await query(`select t::text as row from ${table} t order by 1`)).map(({ row }) => row),
    ]),
  );
  const listings = await query(
    `select (to_jsonb(t) - 'version')::text || coalesce(boat::text, '') as row from listings t order by 1`,
  );
  return { ...Object.fromEntries(plain), listings: listings.map(({ row }) => row) };
}

describe('unmerge', () => {
  test('every row is what it was before, no picture is lost, and the group waits again', async () => {
    const one = await offer(app, anna, { boat: { type: 'boat', year: 2001 } }, ['00000000ffffffff']);
    const two = await offer(app, ben, { price: { amount: 99_500, currency: 'EUR', negotiable: false } }, [
      'fffffffff0000000',
    ]);
    const three = await offer(app, buyer, {}, ['0f0f0f0f0f0f0f0f']);
    await app.as(ben).put(`/api/listings/${two.id}`, { price: { amount: 98_000, currency: 'EUR', negotiable: false } });
    const fan = await app.createUser();
    for (const id of [one.id, two.id, three.id]) await app.as(fan).post('/api/me/favorites', { listing_id: id });
    await app.as(admin).post('/api/me/favorites', { listing_id: two.id });
    await app.as(fan).post('/api/conversations', { listing_id: two.id, message: 'Is she still there?' });
    await query(
      `insert into reviews (id, listing_id, seller_id, reviewer_id, rating, created_at) values ('rev_1', $1, $2, $3, 4, now())`,
      [three.id, buyer.id, fan.id],
    );
    const id = await storeGroup(app, [one.id, two.id, three.id]);
    const before = await snapshot();
    expect((await decide(id, 'merge', { canonical_id: one.id })).status).toBe(200);
    expect(await statusesOf(one.id, two.id, three.id)).toEqual(['active', 'deleted', 'deleted']);
    expect(await snapshot()).not.toEqual(before);
    const { status, body } = await decide(id, 'unmerge');
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'detected', not_restored: [], resolved_at: null },
    });
    expect(await snapshot()).toEqual(before);
    expect((await decide(id, 'unmerge')).status).toBe(409);
    await expect(mergeGroup(app.services, { groupId: id, by: null })).rejects.toMatchObject({ status: 409 });
    expect((await decide(id, 'reject')).body.status).toBe('rejected');
  });

  test('what was changed since stays: an edit, a dropped favorite, a new one', async () => {
    const kept = await offer(app, anna, {}, ['00000000ffffffff']);
    const other = await offer(app, ben, { price: { amount: 77_000, currency: 'EUR', negotiable: false } }, [
      'fffffffff0000000',
    ]);
    const [dropper, fan] = [await app.createUser(), await app.createUser()];
    await app.as(dropper).post('/api/me/favorites', { listing_id: other.id });
    const id = await storeGroup(app, [kept.id, other.id]);
    await decide(id, 'merge', { canonical_id: kept.id });
    const edit = await app.as(anna).put(`/api/listings/${kept.id}`, {
      title: 'Bavaria 46 of a later day',
      price: { amount: 120_000, currency: 'EUR', negotiable: true },
    });
    expect(edit.body).toMatchObject({ title: 'Bavaria 46 of a later day' });
    await app.as(dropper).delete(`/api/me/favorites/${kept.id}`);
    await app.as(fan).post('/api/me/favorites', { listing_id: kept.id });
    await decide(id, 'unmerge');
    const { body } = await app.as().get(`/api/listings/${kept.id}`);
    expect(body).toMatchObject({ title: 'Bavaria 46 of a later day', price: { amount: 120_000 } });
    expect(body.images).toHaveLength(1);
    expect(body.price.price_history).toMatchObject([{ amount: 129_000 }]);
    expect(body.boat.source).toBeUndefined();
    expect(await query('select user_id from favorites where listing_id = any($1)', [[kept.id, other.id]])).toEqual([
      { user_id: fan.id },
    ]);
    expect((await app.as().get(`/api/listings/${other.id}`)).status).toBe(200);
  });

  test('a listing whose seller offers the same text again stays merged, and the answer says so', async () => {
    const text = listingBody({ category_id: 'boats' });
    const [kept, other] = [await offer(app, anna), await offer(app, ben, text)];
    const id = await storeGroup(app, [kept.id, other.id]);
    await decide(id, 'merge', { canonical_id: kept.id });
    expect((await app.as(ben).post('/api/listings', text)).status).toBe(201);
    const { status, body } = await decide(id, 'unmerge');
    expect(status).toBe(200);
    expect(body.not_restored).toEqual([{ listing_id: other.id, reason: 'Its seller offers the same text again.' }]);
    expect(await statusesOf(kept.id, other.id)).toEqual(['active', 'deleted']);
  });

  test('after a sale of the kept listing the others are back, and there is nothing left to merge', async () => {
    const [sold, other] = [await offer(app, anna), await offer(app, ben)];
    const id = await storeGroup(app, [sold.id, other.id]);
    await decide(id, 'merge', { canonical_id: sold.id });
    await app.as(anna).post(`/api/listings/${sold.id}/mark-sold`);
    expect((await decide(id, 'unmerge')).body).toMatchObject({ status: 'detected', canonical_id: other.id });
    expect(await statusesOf(sold.id, other.id)).toEqual(['sold', 'active']);
    expect((await decide(id, 'merge')).status).toBe(409);
    expect((await decide(id, 'reject')).status).toBe(200);
  });

  test('a listing that waits in another group by then is claimed back', async () => {
    const [kept, other, third] = [await offer(app, anna), await offer(app, ben), await offer(app, buyer)];
    const id = await storeGroup(app, [kept.id, other.id]);
    await decide(id, 'merge', { canonical_id: kept.id });
    const later = await storeGroup(app, [kept.id, third.id]);
    expect((await decide(id, 'unmerge')).body.members).toHaveLength(2);
    expect((await app.as(admin).get(`${at}/${later}`)).status).toBe(404);
    // The next scan finds them all.
    expect(await storeGroup(app, [kept.id, other.id, third.id])).toBe(id);
    expect((await read(id)).members).toHaveLength(3);
  });

  test('409 while the kept listing is merged into another one', async () => {
    const [first, second, third] = [await offer(app, anna), await offer(app, ben), await offer(app, buyer)];
    const lower = await storeGroup(app, [first.id, second.id]);
    await decide(lower, 'merge', { canonical_id: second.id });
    const upper = await storeGroup(app, [second.id, third.id]);
    await decide(upper, 'merge', { canonical_id: third.id });
    expect((await app.as().get(`/api/listings/${first.id}`)).body.error.details.merged_into.id).toBe(third.id);
    const { status, body } = await decide(lower, 'unmerge');
    expect({ status, details: body.error.details }).toEqual({ status: 409, details: { group_id: upper } });
    for (const id of [upper, lower]) expect((await decide(id, 'unmerge')).status).toBe(200);
    expect(await statusesOf(first.id, second.id, third.id)).toEqual(['active', 'active', 'active']);
  });
});

describe('whose listing was merged into that of somebody else', () => {
  const mailed = async () => (await workers.work('send-email')).map(({ output }) => output);

  test('is mailed once, whatever mail they want; not who keeps it, nor who has both', async () => {
    const [kept, other, own] = [await offer(app, anna), await offer(app, ben), await offer(app, anna)];
    await query('update users set email_notifications = false where id = $1', [ben.id]);
    await mailed();
    const id = await storeGroup(app, [kept.id, other.id, own.id]);
    await decide(id, 'merge', { canonical_id: kept.id });
    const jobs = await query(`select data from pgboss.job where name = 'send-email' and state = 'created'`);
    expect(jobs).toEqual([
      { data: expect.objectContaining({ user_id: ben.id, data: { listing_id: other.id } }) as unknown },
    ]);
    expect(await mailed()).toEqual([{ sent: 'listing-merged' }]);
  });

  test('is told nothing of a merge that was taken back before the mail went out', async () => {
    const [kept, other] = [await offer(app, anna), await offer(app, ben)];
    const id = await storeGroup(app, [kept.id, other.id]);
    await mailed();
    await decide(id, 'merge', { canonical_id: kept.id });
    await decide(id, 'unmerge');
    expect(await mailed()).toEqual([{ skipped: 'there is nothing left to tell' }]);
  });

  test('is told nothing of pages that were found on other sites', async () => {
    const [kept, other] = [await offer(app, anna), await offer(app, ben)];
    await query(`update listings set source = 'scraped' where id = $1`, [other.id]);
    const id = await storeGroup(app, [kept.id, other.id]);
    await mailed();
    await decide(id, 'merge', { canonical_id: kept.id });
    expect(await statusesOf(other.id)).toEqual(['deleted']);
    expect(await mailed()).toEqual([]);
  });
});

describe('when the kept listing goes', () => {
  async function settle(): Promise<void> {
    await workers.readJournal();
    await workers.work('dedup-reelect');
  }

  test('by being deleted, the best of the others takes its place with what is left of the rest', async () => {
    const [gone, poor] = [await offer(app, anna), await offer(app, ben)];
    const rich = await offer(app, buyer, {}, ['00000000ffffffff']);
    await app.as(admin).post('/api/me/favorites', { listing_id: poor.id });
    const id = await storeGroup(app, [gone.id, poor.id, rich.id]);
    await decide(id, 'merge', { canonical_id: gone.id });
    await app.as(anna).delete(`/api/listings/${gone.id}`);
    await settle();
    expect(await statusesOf(gone.id, poor.id, rich.id)).toEqual(['deleted', 'deleted', 'active']);
    expect(await rowOf(poor.id)).toMatchObject({ merged_into: rich.id });
    expect(await read(id)).toMatchObject({ status: 'merged', canonical_id: rich.id });
    expect(await query('select user_id from favorites where listing_id = $1', [rich.id])).toEqual([
      { user_id: admin.id },
    ]);
    await app.as(buyer).delete(`/api/listings/${rich.id}`);
    await settle();
    expect(await statusesOf(poor.id)).toEqual(['active']);
    expect((await app.as(admin).get(`${at}/${id}`)).status).toBe(404);
  });

  test('by being sold, the others stay where they are: it is the same thing', async () => {
    const [sold, other] = [await offer(app, anna), await offer(app, ben)];
    const id = await storeGroup(app, [sold.id, other.id]);
    await decide(id, 'merge', { canonical_id: sold.id });
    await app.as(anna).post(`/api/listings/${sold.id}/mark-sold`);
    await settle();
    expect(await statusesOf(sold.id, other.id)).toEqual(['sold', 'deleted']);
    expect(await read(id)).toMatchObject({ status: 'merged', canonical_id: sold.id });
  });
});
