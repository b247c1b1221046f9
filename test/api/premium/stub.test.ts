import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

const DAY = 86_400_000;
let at = Date.UTC(2026, 2, 1, 12);
const clock = { now: () => new Date(at) };
let app: TestApp;
let workers: TestWorkers;
let owner: TestUser;
let me: Client;
// In this profile a deleted listing keeps its row.
beforeAll(async () => {
  app = await startApp({ profile: 'general', clock });
  workers = await startWorkers(app);
  owner = await app.createUser();
  me = app.as(owner);
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

async function activeListing(fields: Parameters<typeof listingBody>[0] = {}): Promise<string> {
  const { body } = await me.post('/api/listings', listingBody({ category_id: 'boats', ...fields }));
  expect((await me.post(`/api/listings/${body.id}/publish`)).status).toBe(200);
  return body.id;
}
async function checkout(id: string, plan = 'featured', duration = 7): Promise<{ path: string; session: string }> {
  const { status, body } = await me.post(`/api/listings/${id}/premium/checkout`, { plan, duration });
  expect([status, body.mode]).toEqual([200, 'stub']);
  expect(body.checkout_url).toBe(`${app.url}/api/payments/stub/${body.session_id}`);
  return { path: new URL(body.checkout_url).pathname, session: body.session_id };
}
const premiumOf = async (id: string) => (await app.as().get(`/api/listings/${id}/premium`)).body;
const none = { type: 'none', until: null, active: false };

test('the status says that payments are played', async () => {
  expect((await app.as().get('/api/payments/status')).body).toEqual({ mode: 'stub', configured: false });
});

test('a checkout leads to a page that shows what is bought; its button buys it, once', async () => {
  const id = await activeListing({ title: 'Folkboat <b>"Ida"</b> & trailer' });
  const { path } = await checkout(id);
  const page = await app.as().get(path);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  for (const text of [
    'Featured listing for 7 days',
    'Folkboat &lt;b&gt;&quot;Ida&quot;&lt;/b&gt; &amp; trailer',
    '€19.00',
  ])
    expect(page.text).toContain(text);
  expect(await premiumOf(id)).toEqual(none);

  const form = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, raw: '' };
  const paid = await Promise.all(Array.from({ length: 4 }, () => app.as().post(path, undefined, form)));
  expect(paid.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(paid[0]?.text).toContain('your listing is promoted');
  const until = new Date(at + 7 * DAY).toISOString();
  expect(await premiumOf(id)).toEqual({ type: 'featured', until, active: true });
  at += 1_000;
  expect((await app.as().get(path)).text).toContain('your listing is promoted');
  await app.as().post(path);
  expect((await premiumOf(id)).until).toBe(until);
  expect((await me.get(`/api/listings/${id}`)).body.premium).toEqual({ type: 'featured', until, active: true });
});

test('every purchase has a session of its own, which nobody can guess', async () => {
  const id = await activeListing();
  const sessions = [(await checkout(id)).session, (await checkout(id)).session];
  expect(new Set(sessions).size).toBe(2);
  for (const session of sessions) expect(session).toMatch(/^stub_[\w-]{43}$/);
  expect((await app.as().get('/api/payments/stub/stub_x')).status).toBe(404);
  expect((await app.as().post('/api/payments/stub/stub_x')).status).toBe(404);
});

test('a listing that was deleted meanwhile is not promoted', async () => {
  const id = await activeListing();
  const { path } = await checkout(id);
  await me.delete(`/api/listings/${id}`);
  const { status, text } = await app.as().post(path);
  expect(status).toBe(200);
  expect(text).toContain('not there any more');
  expect((await app.as().get(`/api/listings/${id}/premium`)).status).toBe(404);
  const { rows } = await app.database.pool.query('select premium_type from listings where id = $1', [id]);
  expect(rows).toEqual([{ premium_type: null }]);
});

test('the promotion of a listing is told to those who may read it, by id and by slug', async () => {
  const { body } = await me.post('/api/listings', listingBody({ category_id: 'boats' }));
  for (const name of [body.id, body.slug]) {
    expect((await app.as().get(`/api/listings/${name}/premium`)).status).toBe(404);
    expect((await me.get(`/api/listings/${name}/premium`)).body).toEqual(none);
  }
});

describe('in the lists', () => {
  test('featured listings come first in newest and relevance, urgent ones where they are', async () => {
    const listings: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      at += 1_000;
      listings.push(await activeListing({ title: `Whitehall skiff number ${i}` }));
    }
    const [oldest = '', second = '', third = '', newest = ''] = listings;
    await app.as().post((await checkout(oldest, 'featured')).path);
    await app.as().post((await checkout(second, 'urgent')).path);
    const found = async (query: string) =>
      (await app.as().get(`/api/listings?${query}`)).body.results.map(({ id }: { id: string }) => id);
    const expected = [oldest, newest, third, second];
    expect(await found('q=whitehall&sort=newest')).toEqual(expected);
    expect(await found('q=whitehall&sort=relevance')).toEqual(expected);
    expect((await found('sort=newest')).slice(0, 1)).not.toEqual([newest]);
    expect((await found('q=whitehall&sort=oldest'))[0]).toBe(oldest);
  });

  test('a promotion that is over is taken off its listing, so that copies follow', async () => {
    const [ended, running] = [await activeListing(), await activeListing()];
    await app.as().post((await checkout(ended, 'urgent', 7)).path);
    await app.as().post((await checkout(running, 'featured', 30)).path);
    await workers.work('close-promotions');
    at += 7 * DAY;
    me = app.as(await app.services.tokens.sign({ id: owner.id, role: 'user', session_epoch: 0 }));
    await app.database.pool.query(`delete from pgboss.job where name = 'index-listing'`);
    await workers.services.jobs.boss.send('close-promotions', {});
    const [result] = await workers.work('close-promotions');
    expect(result).toMatchObject({ status: 'completed' });
    const { rows } = await app.database.pool.query(
      'select id, premium_type, premium_until is null as cleared, updated_at from listings where id = any($1) order by id',
      [[ended, running]],
    );
    expect(rows).toMatchObject([
      { id: ended, premium_type: null, cleared: true, updated_at: clock.now() },
      { id: running, premium_type: 'featured', cleared: false },
    ]);
    const { rows: events } = await app.database.pool.query(
      'select type from events where subject = $1 order by seq desc limit 1',
      [ended],
    );
    expect(events).toEqual([{ type: 'listing.updated' }]);
    const { rows: jobs } = await app.database.pool.query(
      `select data from pgboss.job where name = 'index-listing' and data -> 'listing_ids' ? $1`,
      [ended],
    );
    expect(jobs).toHaveLength(1);
    await workers.services.jobs.boss.send('close-promotions', {});
    expect(await workers.work('close-promotions')).toMatchObject([{ output: { ended: 0 } }]);
  });

  test('a checkout that nobody used for two days is closed', async () => {
    const { path, session } = await checkout(await activeListing());
    at += 3 * DAY;
    await workers.services.jobs.boss.send('close-promotions', {});
    await workers.work('close-promotions');
    const { rows } = await app.database.pool.query('select status from payments where session_id = $1', [session]);
    expect(rows).toEqual([{ status: 'expired' }]);
    const page = await app.as().get(path);
    expect(page.text).toContain('This checkout is closed');
    expect(page.text).not.toContain('<form');
    expect((await app.as().post(path)).text).toContain('This checkout is closed');
  });
});
