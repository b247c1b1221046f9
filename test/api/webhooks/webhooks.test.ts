import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { startSite, type Site } from '../../support/site-server.ts';

let app: TestApp;
let site: Site;
let owner: TestUser;
let admin: TestUser;
let client: Client;
beforeAll(async () => {
  site = await startSite({ '/hook': 'noted' });
  app = await startApp({ env: { FETCH_ALLOW: new URL(site.url).host } });
  owner = await app.createUser();
  admin = await app.createUser({ role: 'admin' });
  client = app.as(owner);
});
afterAll(async () => {
  await app.close();
  await site.close();
});

const target = 'https://hooks.example.com/quayside';
const create = async (fields: object = {}, as: Client = client) =>
  as.post('/api/webhooks', { url: target, events: ['listing.sold'], ...fields });
const deliveriesOf = async (id: string, status: string, count = 1) => {
  const { rows } = await app.database.pool.query<{ id: string }>(
    `insert into webhook_deliveries (id, webhook_id, event_type, payload, status, attempts, created_at, next_attempt_at)
     select 'whd_' || lpad(upper(substr(md5(random()::text), 1, 24)), 26, '0'), $1, 'listing.sold',
       '{"id": "x", "type": "listing.sold", "created_at": "2026-01-01T00:00:00Z", "data": {}}', $2, 3, now(),
       case when $2 = 'pending' then now() + interval '1 hour' end
     from generate_series(1, $3::int) returning id`,
    [id, status, count],
  );
  return rows.map((row) => row.id);
};
const jobsOf = async (deliveryId: string) =>
  (
    await app.database.pool.query(
      `select from pgboss.job where name = 'deliver-webhook' and data->>'delivery_id' = $1`,
      [deliveryId],
    )
  ).rowCount;

describe('POST /api/webhooks', () => {
  test('201 with the secret, which is never shown again', async () => {
    const user = app.as(await app.createUser());
    const { status, body, headers } = await create({ events: ['*'], description: 'Mine' }, user);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^whk_/),
      url: target,
      events: ['*'],
      scope: 'own',
      description: 'Mine',
      active: true,
      created_at: expect.any(String),
      last_delivery_at: null,
      failing_since: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(headers.get('location')).toBe(`${app.url}/api/webhooks/${body.id}`);
    const { secret, ...shown } = body;
    expect((await user.get(`/api/webhooks/${body.id}`)).body).toEqual(shown);
    const list = await user.get('/api/webhooks');
    expect(list.body).toEqual({ results: [shown], pagination: { page: 1, limit: 20, total: 1, pages: 1 } });
    expect(list.text).not.toContain(secret);
  });

  test.each([
    'http://127.0.0.1/hook',
    'http://localhost/hook',
    'http://[::1]/hook',
    'http://10.1.2.3/hook',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://db.internal/',
    'http://hooks.example.com:5432/',
    'ftp://hooks.example.com/',
    'file:///etc/passwd',
    'gopher://hooks.example.com/',
    'javascript:alert(1)',
    'https://user:secret@hooks.example.com/',
    'hooks.example.com',
  ])('400 for the target %s', async (url) => {
    const refused = await create({ url });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/body/url' }] },
    });
  });

  test('201 for a private address that FETCH_ALLOW names, 400 for another port of it', async () => {
    const user = app.as(await app.createUser());
    expect((await create({ url: `${site.url}/hook` }, user)).status).toBe(201);
    expect((await create({ url: 'http://127.0.0.1:1/hook' }, user)).status).toBe(400);
  });

  test('400 for an unknown event and for none; repeated ones count once', async () => {
    const lists = [['listing.bought'], [], 'listing.sold', ['rental.changed'], [null]];
    for (const events of lists) expect((await create({ events })).status).toBe(400);
    const user = app.as(await app.createUser());
    const { body } = await create({ events: ['ping', 'listing.sold', 'ping'] }, user);
    expect(body.events).toEqual(['ping', 'listing.sold']);
    const changed = await user.patch(`/api/webhooks/${body.id}`, { events: ['*', '*'] });
    expect(changed.body.events).toEqual(['*']);
  });

  test('scope all is for administrators: 403 for others, and for their keys without the permission admin', async () => {
    expect((await create({ scope: 'all' })).status).toBe(403);
    expect((await create({ scope: 'all' }, app.as(admin))).status).toBe(201);
    const { body } = await app.as(admin).post('/api/api-keys', { name: 'hooks' });
    expect((await create({ scope: 'all' }, app.as(body.key))).status).toBe(403);
  });

  test('409 beyond twenty, also when they are made at once', async () => {
    const user = app.as(await app.createUser());
    const replies = await Promise.all(Array.from({ length: 25 }, () => create({}, user)));
    const created = replies.filter(({ status }) => status === 201);
    const refused = replies.filter(({ status }) => status === 409);
    expect([created.length, refused.length]).toEqual([20, 5]);
    const { body } = await user.get('/api/webhooks?limit=7&page=3');
    expect(body.pagination).toEqual({ page: 3, limit: 7, total: 20, pages: 3 });
    expect(body.results).toHaveLength(6);
  });
});

describe('PATCH and DELETE /api/webhooks/{id}', () => {
  test('changes what is sent; 400 for a private target; 404 for somebody else', async () => {
    const { body: webhook } = await create({ description: 'Mine' });
    const path = `/api/webhooks/${webhook.id}`;
    const changed = await client.patch(path, { events: ['review.created'], description: null });
    expect(changed.body).toMatchObject({ url: target, events: ['review.created'], description: null, active: true });
    expect((await client.patch(path, { url: 'http://10.0.0.1/' })).status).toBe(400);
    expect((await client.patch(path, {})).status).toBe(400);
    expect((await client.patch(path, { scope: 'all' })).status).toBe(400);
    expect((await app.as(admin).patch(path, { active: false })).status).toBe(404);
    expect((await client.get(path)).body).toMatchObject({ url: target, active: true });
  });

  test('off ends what waits; on forgets the failures and leaves the past alone', async () => {
    const { body: webhook } = await create();
    const path = `/api/webhooks/${webhook.id}`;
    const [waiting = ''] = await deliveriesOf(webhook.id, 'pending');
    await app.database.pool.query('update webhooks set failing_since = now() where id = $1', [webhook.id]);
    const off = await client.patch(path, { active: false });
    expect(off.body).toMatchObject({ active: false, failing_since: expect.any(String) });
    const log = await client.get(`${path}/deliveries?status=failed`);
    expect(log.body.results).toMatchObject([
      { id: waiting, status: 'failed', error: 'The webhook was switched off.', next_attempt_at: null },
    ]);
    expect((await client.post(`${path}/deliveries/${waiting}/retry`)).status).toBe(409);
    expect((await client.patch(path, { active: true })).body).toMatchObject({ active: true, failing_since: null });
    expect(await jobsOf(waiting)).toBe(0);
  });

  test('deleted: gone with its log, 404 from then on', async () => {
    const { body: webhook } = await create();
    const path = `/api/webhooks/${webhook.id}`;
    await deliveriesOf(webhook.id, 'delivered');
    expect((await client.delete(path)).body).toEqual({ id: webhook.id, deleted: true });
    for (const reply of [await client.get(path), await client.delete(path), await client.get(`${path}/deliveries`)])
      expect(reply.status).toBe(404);
  });
});

describe('GET /api/webhooks/{id}/deliveries and retry', () => {
  test('one page, newest first, of one status', async () => {
    const { body: webhook } = await create();
    const path = `/api/webhooks/${webhook.id}/deliveries`;
    await deliveriesOf(webhook.id, 'delivered', 3);
    await deliveriesOf(webhook.id, 'failed', 2);
    const page = await client.get(`${path}?limit=2&page=2`);
    expect(page.body.pagination).toEqual({ page: 2, limit: 2, total: 5, pages: 3 });
    expect(page.body.results).toHaveLength(2);
    expect((await client.get(`${path}?status=failed`)).body.pagination.total).toBe(2);
    expect((await client.get(`${path}?page=1000000&limit=100`)).body.results).toEqual([]);
    expect((await client.get(`${path}?status=lost`)).status).toBe(400);
    expect((await app.as(admin).get(path)).status).toBe(404);
  });

  test('202 for a delivery that failed, arrived or waits: due at once, its attempts counted anew', async () => {
    const { body: webhook } = await create();
    for (const status of ['failed', 'delivered', 'pending']) {
      const [id = ''] = await deliveriesOf(webhook.id, status);
      const again = await client.post(`/api/webhooks/${webhook.id}/deliveries/${id}/retry`);
      expect(again.status).toBe(202);
      expect(again.body).toMatchObject({
        id,
        status: 'pending',
        attempts: 0,
        next_attempt_at: null,
        delivered_at: null,
      });
      expect(await jobsOf(id)).toBe(1);
    }
  });

  test('409 while it is being posted, 404 for a delivery of another webhook', async () => {
    const [{ body: first }, { body: second }] = [await create(), await create()];
    const [id = ''] = await deliveriesOf(first.id, 'pending');
    expect((await client.post(`/api/webhooks/${second.id}/deliveries/${id}/retry`)).status).toBe(404);
    await app.database.pool.query(
      `update webhook_deliveries set claimed_until = now() + interval '30 seconds' where id = $1`,
      [id],
    );
    expect((await client.post(`/api/webhooks/${first.id}/deliveries/${id}/retry`)).status).toBe(409);
  });
});
