import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewEvent } from '../../../shared/journal/events.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { openEventStream, type OpenStream } from '../../support/event-stream.ts';
import { eventOf, writeEvents } from '../../support/journal-events.ts';
import { eventually, waitFor } from '../../support/waiting.ts';

let app: TestApp;
let seller: TestUser;
let admin: TestUser;
beforeAll(async () => {
  app = await startApp();
  seller = await app.createUser();
  admin = await app.createUser({ role: 'admin' });
});
afterAll(() => app.close());

const opened: OpenStream[] = [];
afterAll(() => opened.forEach((stream) => stream.close()));
async function follow(token: string, query = '', headers: Record<string, string> = {}, at = app): Promise<OpenStream> {
  const stream = await openEventStream(`${at.url}/api/events/stream${query}`, token, headers);
  opened.push(stream);
  return stream;
}

const write = (...events: NewEvent[]) => writeEvents(app, ...events);
const subjectsOf = ({ events }: OpenStream) => events.map(({ data }) => data.subject);

test('tells the caller their own events as they happen, an administrator those of everybody; the id is the seq', async () => {
  const [own, all] = [await follow(seller.token), await follow(admin.token)];
  expect(own.headers.get('content-type')).toBe('text/event-stream');
  const [mine, theirs] = [eventOf(seller, { type: 'listing.sold' }), eventOf(admin)];
  await write(mine);
  await write(theirs);
  await eventually(() => all.events.length === 2 && own.events.length === 1);
  expect(subjectsOf(all)).toEqual([mine.subject, theirs.subject]);
  expect(own.events[0]).toMatchObject({ event: 'listing.sold', data: { subject: mine.subject, data: mine.data } });
  expect(own.events[0]!.id).toBe(String(own.events[0]!.data.seq));
});

test('the filters of the feed hold: a type, a thing', async () => {
  const wanted = eventOf(seller, { type: 'listing.sold' });
  const [sold, about] = [
    await follow(seller.token, '?type=listing.sold'),
    await follow(seller.token, `?subject=${wanted.subject}`),
  ];
  await write(eventOf(seller), wanted, eventOf(seller));
  await eventually(() => sold.events.length === 1 && about.events.length === 1);
  expect([subjectsOf(sold), subjectsOf(about)]).toEqual([[wanted.subject], [wanted.subject]]);
});

test('none is lost and none comes twice for those who come back with Last-Event-ID, whatever server they come back to', async () => {
  const person = await app.createUser();
  const twin = await app.twin();
  const written = Array.from({ length: 60 }, () => eventOf(person));
  const seen: string[] = [];
  let lastId = '0';
  const writing = (async () => {
    for (const each of written) await write(each);
  })();
  for (let turn = 0; seen.length < written.length; turn += 1) {
    const stream = await follow(person.token, '', { 'Last-Event-ID': lastId }, turn % 2 ? twin : app);
    await eventually(() => stream.events.length > 0);
    stream.close();
    await stream.ended;
    seen.push(...subjectsOf(stream));
    lastId = stream.events.at(-1)!.id;
  }
  await writing;
  await twin.close();
  expect(seen).toEqual(written.map(({ subject }) => subject));
});

test.each(['abc', '-1', '1.5', '99999999999999999999'])('400 for the Last-Event-ID %s', async (id) => {
  const { status } = await follow(seller.token, '', { 'Last-Event-ID': id });
  expect(status).toBe(400);
});

describe('a stream ends', () => {
  test('when its server stops', async () => {
    const twin = await app.twin();
    const stream = await follow(seller.token, '', {}, twin);
    twin.services.subscriptions.stop();
    await stream.ended;
    expect((await follow(seller.token, '', {}, twin)).status).toBe(503);
    await twin.close();
  });

  test('before it tells anything more once its key is revoked, or the role that it reads everybody’s by is gone', async () => {
    const created = (await app.as(seller).post('/api/api-keys', { name: 'follower', permissions: 'read' })).body;
    const demoted = await app.createUser({ role: 'admin' });
    const [byKey, byRole] = [await follow(created.key), await follow(demoted.token)];
    await app.as(seller).delete(`/api/api-keys/${created.id}`);
    await app.database.pool.query(`update users set role = 'user' where id = $1`, [demoted.id]);
    await write(eventOf(seller));
    await Promise.all([byKey.ended, byRole.ended]);
    expect([byKey.events, byRole.events]).toEqual([[], []]);
  });
});

test('a client that goes away before it is answered leaves no stream behind', async () => {
  const before = app.services.subscriptions.count();
  const { port } = new URL(app.url);
  const head = `GET /api/events/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${seller.token}\r\n\r\n`;
  for (let i = 0; i < 50; i += 1) {
    const socket = connect(Number(port), '127.0.0.1');
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
    if (i % 2) await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
  }
  const last = await follow(seller.token);
  last.close();
  await waitFor(() => expect(app.services.subscriptions.count()).toBeLessThanOrEqual(before));
});

test('1,000 streams in one process are told every event once', async () => {
  const streams: OpenStream[] = [];
  while (streams.length < 1_000)
    streams.push(...(await Promise.all(Array.from({ length: 50 }, () => follow(admin.token)))));
  expect(app.services.subscriptions.count()).toBeGreaterThanOrEqual(1_000);
  const written = Array.from({ length: 5 }, () => eventOf(seller));
  for (const each of written) await write(each);
  await eventually(() => streams.every(({ events }) => events.length >= 5));
  const wanted = written.map(({ subject }) => subject);
  for (const stream of streams) {
    expect(subjectsOf(stream)).toEqual(wanted);
    stream.close();
  }
  await eventually(() => app.services.subscriptions.count() < 1_000);
});
