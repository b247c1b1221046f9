import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { recordEvents, type EventType } from '../../../shared/journal/events.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { startSite, type Site } from '../../support/site-server.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

type Received = { path: string; headers: IncomingMessage['headers']; body: string };

let app: TestApp;
let workers: TestWorkers;
let site: Site;
let owner: TestUser;
let admin: TestUser;
let received: Received[] = [];
let answer: { status: number; location?: string } = { status: 204 };
let now = new Date();

beforeAll(async () => {
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    received.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    response.writeHead(answer.status, answer.location ? { location: answer.location } : {}).end();
  };
  const hook = (request: IncomingMessage, response: ServerResponse) => void take(request, response);
  site = await startSite({ '/hook': hook, '/other': hook, '/elsewhere': hook });
  app = await startApp({
    env: { FETCH_ALLOW: new URL(site.url).host },
    clock: { now: () => new Date(now) },
  });
  workers = await startWorkers(app);
  owner = await app.createUser();
  admin = await app.createUser({ role: 'admin' });
});
beforeEach(async () => {
  received = [];
  answer = { status: 204 };
  await app.database.pool.query('delete from webhooks');
});
afterAll(async () => {
  await workers.close();
  await app.close();
  await site.close();
});

const subscribe = async (user: TestUser, fields: object = {}) => {
  const { status, body } = await app
    .as(user)
    .post('/api/webhooks', { url: `${site.url}/hook`, events: ['*'], ...fields });
  expect(status).toBe(201);
  return body;
};
const happen = (type: EventType, ownerId: string | null, data: Record<string, unknown> = { note: 'it is so' }) =>
  inTransaction(app.database.db, (tx) => recordEvents(tx, now, [{ type, subject: newId('listing'), ownerId, data }]));
const deliver = async () => {
  await workers.readJournal();
  return workers.work('deliver-webhook');
};
const typesReceived = () => received.map(({ body }): string => JSON.parse(body).type).toSorted();

/** As a subscriber without any library does it. */
function checkByHand(secret: string, { headers, body }: Received): void {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  expect(String(headers['webhook-signature']).split(' ')).toContain(expected);
}

const checkByLibrary = (secret: string, { headers, body }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

describe('what a subscriber is told', () => {
  test('its owner’s events of the kinds it asked for, once, and nobody else’s', async () => {
    await subscribe(owner, { events: ['listing.sold', 'message.received', 'run.completed'] });
    const all: EventType[] = ['listing.sold', 'listing.updated', 'message.received', 'review.created'];
    const rest: EventType[] = ['premium.activated', 'saved_search.matched', 'run.completed', 'run.failed'];
    for (const type of [...all, ...rest]) await happen(type, owner.id);
    await happen('listing.sold', admin.id);
    await happen('listing.sold', null);
    await deliver();
    await deliver();
    expect(typesReceived()).toEqual(['listing.sold', 'message.received', 'run.completed']);
  });

  test('with * every kind, but no ping and nothing that is the service’s own', async () => {
    await subscribe(owner);
    const types: EventType[] = ['message.received', 'review.created', 'premium.activated', 'saved_search.matched'];
    for (const type of types) await happen(type, owner.id);
    await happen('rental.changed', owner.id);
    await deliver();
    expect(typesReceived()).toEqual(types.toSorted());
  });

  test('a real change of a listing, as the feed tells it', async () => {
    await subscribe(owner, { events: ['listing.deleted'] });
    const { body: listing } = await app.as(owner).post('/api/listings', {
      title: 'A dinghy to be delivered',
      description: 'She rows like a dream and leaks a little, as they all do.',
      category_id: 'sailboats',
      condition: 'good',
      price: { amount: 900, currency: 'EUR', negotiable: true },
      location: { country: 'DE', city: 'Kappeln', shipping: false },
    });
    await app.as(owner).delete(`/api/listings/${listing.id}`);
    await deliver();
    expect(received).toHaveLength(1);
    const payload = JSON.parse(received[0]!.body);
    expect(Object.keys(payload).toSorted()).toEqual(['created_at', 'data', 'id', 'type']);
    const feed = await app.as(owner).get(`/api/events?subject=${listing.id}&type=listing.deleted`);
    expect(feed.body.results).toMatchObject([{ data: payload.data, created_at: payload.created_at }]);
  });

  test('scope all: everybody’s, for as long as the owner is an administrator', async () => {
    const second = await app.createUser({ role: 'admin' });
    await subscribe(second, { scope: 'all', events: ['listing.sold'] });
    await happen('listing.sold', owner.id);
    await happen('listing.sold', second.id);
    await happen('listing.sold', null);
    await deliver();
    expect(typesReceived()).toEqual(['listing.sold', 'listing.sold', 'listing.sold']);
    await happen('listing.sold', owner.id);
    await workers.readJournal();
    await app.database.db.updateTable('users').set({ role: 'user' }).where('id', '=', second.id).execute();
    await workers.work('deliver-webhook');
    await happen('listing.sold', owner.id);
    await happen('listing.sold', second.id);
    await deliver();
    expect(received).toHaveLength(3);
  });

  test('no event twice, should the journal be read again from an earlier place', async () => {
    const user = await app.createUser();
    await subscribe(user);
    await happen('listing.sold', user.id);
    await deliver();
    await app.database.pool.query(`update journal_cursors set xid = '0', seq = 0 where reader = 'webhooks'`);
    await deliver();
    expect(typesReceived()).toEqual(['listing.sold']);
  });

  test('nothing while it is switched off', async () => {
    const { id } = await subscribe(owner);
    await app.as(owner).patch(`/api/webhooks/${id}`, { active: false });
    await happen('listing.sold', owner.id);
    await workers.readJournal();
    await app.as(owner).patch(`/api/webhooks/${id}`, { active: true });
    await happen('listing.expired', owner.id);
    await deliver();
    expect(typesReceived()).toEqual(['listing.expired']);
  });
});

describe('signatures', () => {
  test('hold for the library of Standard Webhooks and by hand, for every character', async () => {
    const { secret } = await subscribe(owner);
    await happen('listing.updated', owner.id, { title: 'Größe “XL” 漢字 🛥 \u2028 </script>' });
    await deliver();
    const [message] = received as [Received];
    checkByHand(secret, message);
    checkByLibrary(secret, message);
    expect(JSON.parse(message.body)).toMatchObject({
      id: message.headers['webhook-id'],
      type: 'listing.updated',
      data: { title: 'Größe “XL” 漢字 🛥 \u2028 </script>' },
    });
    const forged = { ...message, body: message.body.replace('XL', 'XS') };
    expect(() => checkByLibrary(secret, forged)).toThrow('No matching signature');
  });

  test('after a rotation both secrets sign for 24 hours, then the new one alone', async () => {
    const started = now;
    const { id, secret } = await subscribe(owner);
    const rotated = await app.as(owner).post(`/api/webhooks/${id}/rotate-secret`);
    expect(rotated.body).toEqual({
      id,
      secret: expect.stringMatching(/^whsec_/),
      previous_secret_until: new Date(now.getTime() + 86_400_000).toISOString(),
    });
    expect(rotated.body.secret).not.toBe(secret);
    await happen('listing.sold', owner.id);
    await deliver();
    for (const key of [secret, rotated.body.secret]) checkByHand(key, received[0]!);
    checkByLibrary(secret, received[0]!);
    now = new Date(now.getTime() + 86_400_000);
    await happen('listing.sold', owner.id);
    await deliver();
    now = started;
    const signatures = String(received[1]?.headers['webhook-signature']).split(' ');
    expect(signatures).toHaveLength(1);
    checkByHand(rotated.body.secret, received[1]!);
  });

  test('nothing of the service travels along', async () => {
    await subscribe(owner);
    await happen('listing.sold', owner.id);
    await deliver();
    const usual = ['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'host', 'user-agent'];
    const own = ['webhook-id', 'webhook-signature', 'webhook-timestamp'];
    expect(Object.keys(received[0]?.headers ?? {}).toSorted()).toEqual([...usual, ...own].toSorted());
  });
});

describe('POST /api/webhooks/{id}/test', () => {
  test('posts a signed ping at once, whatever the webhook is told otherwise, and logs it', async () => {
    const { id, secret } = await subscribe(owner, { events: ['listing.sold'] });
    await app.as(owner).patch(`/api/webhooks/${id}`, { active: false });
    const { status, body } = await app.as(owner).post(`/api/webhooks/${id}/test`);
    expect(status).toBe(200);
    expect(body).toEqual({
      delivery_id: expect.stringMatching(/^whd_/),
      delivered: true,
      status_code: 204,
      duration_ms: expect.any(Number),
      error: null,
    });
    expect(JSON.parse(received[0]!.body)).toMatchObject({ id: body.delivery_id, type: 'ping', data: {} });
    checkByHand(secret, received[0]!);
    const log = await app.as(owner).get(`/api/webhooks/${id}/deliveries`);
    expect(log.body.results).toMatchObject([
      { id: body.delivery_id, event_type: 'ping', status: 'delivered', attempts: 1, status_code: 204 },
    ]);
  });

  test('a failure is told, logged and not repeated; the webhook stays as it is, even on 410', async () => {
    const { id } = await subscribe(owner);
    answer = { status: 410 };
    const { body } = await app.as(owner).post(`/api/webhooks/${id}/test`);
    expect(body).toMatchObject({ delivered: false, status_code: 410, error: 'The server answered 410.' });
    expect((await app.as(owner).get(`/api/webhooks/${id}`)).body).toMatchObject({ active: true, failing_since: null });
    await deliver();
    expect(received).toHaveLength(1);
  });

  test('a redirect is not followed, and the secret goes nowhere else', async () => {
    const { id } = await subscribe(owner);
    answer = { status: 307, location: `${site.url}/elsewhere` };
    const { body } = await app.as(owner).post(`/api/webhooks/${id}/test`);
    expect(body).toMatchObject({ delivered: false, status_code: 307 });
    expect(received.map(({ path }) => path)).toEqual(['/hook']);
  });

  test('a private address is refused when sending too', async () => {
    const { id } = await subscribe(owner);
    await app.database.pool.query('update webhooks set url = $2 where id = $1', [id, 'http://127.0.0.1:1/hook']);
    const { body } = await app.as(owner).post(`/api/webhooks/${id}/test`);
    expect(body).toMatchObject({ delivered: false, status_code: null, error: expect.stringContaining('private') });
  });
});

describe('failures', () => {
  test('are repeated when they are due, with the same id, to the url of then; a retry by hand starts anew', async () => {
    const { id } = await subscribe(owner);
    const path = `/api/webhooks/${id}`;
    const started = now;
    answer = { status: 500 };
    await happen('listing.sold', owner.id);
    await deliver();
    expect((await app.as(owner).get(path)).body.failing_since).toBe(now.toISOString());
    const [first] = (await app.as(owner).get(`${path}/deliveries`)).body.results;
    expect(first).toMatchObject({
      status: 'pending',
      attempts: 1,
      status_code: 500,
      next_attempt_at: new Date(now.getTime() + 5_000).toISOString(),
    });
    await app.as(owner).patch(path, { url: `${site.url}/other` });
    answer = { status: 200 };
    now = new Date(now.getTime() + 5_000);
    await app.database.pool.query(`update pgboss.job set start_after = now() where name = 'deliver-webhook'`);
    await workers.work('deliver-webhook');
    expect(received.map((each) => [each.path, each.headers['webhook-id']])).toEqual([
      ['/hook', first.id],
      ['/other', first.id],
    ]);
    expect((await app.as(owner).get(path)).body).toMatchObject({ failing_since: null });

    await app.as(owner).post(`${path}/deliveries/${first.id}/retry`);
    await workers.work('deliver-webhook');
    expect(received.at(-1)?.headers['webhook-id']).toBe(first.id);
    const [again] = (await app.as(owner).get(`${path}/deliveries`)).body.results;
    expect(again).toMatchObject({ status: 'delivered', attempts: 1 });
    now = started;
  });
});
