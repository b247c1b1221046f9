import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { createListing } from '../../support/openapi-cases-things.ts';

let now = new Date('2026-05-04T22:00:00.000Z');
let app: TestApp;
let twin: TestApp;
let seller: TestUser;
beforeAll(async () => {
  // Ten times the limits, so that those of a minute never come first: 500 conversations a day.
  app = await startApp({ env: { RATE_LIMIT_MULTIPLIER: '10' }, clock: { now: () => now } });
  twin = await app.twin();
  seller = await app.createUser();
});
afterAll(async () => {
  await twin.close();
  await app.close();
});

const inTurn = (index: number) => (index % 2 === 0 ? app : twin);
const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const unreadOf = async (who: TestUser, listingId: string) =>
  (await app.as(who).get(`/api/conversations?listing_id=${listingId}`)).body.results[0].unread_count;

test('20 parallel first messages over two processes make one conversation with 20 messages, all unread', async () => {
  const buyer = await app.createUser();
  const { id: listing_id, slug } = await createListing(app.services, seller, 'active');
  const replies = await times(20, (index) =>
    inTurn(index)
      .as(buyer)
      .post('/api/conversations', { listing_id: index % 3 === 0 ? slug : listing_id, message: `Message ${index}` }),
  );
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(19).fill(200), 201]);
  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
  const { messages } = (await app.as(seller).get(`/api/conversations/${replies[0]?.body.id}?limit=100`)).body;
  expect(new Set(messages.results.map(({ content }: { content: string }) => content)).size).toBe(20);
  expect(await unreadOf(seller, listing_id)).toBe(20);
  const { rows } = await app.database.pool.query('select used from quota_uses where subject = $1', [buyer.id]);
  expect(rows).toEqual([{ used: 1 }]);
  const events = await app.database.pool.query(`select from events where type = 'message.received' and owner_id = $1`, [
    seller.id,
  ]);
  const mails = await app.database.pool.query(`select from pgboss.job where data->>'template' = 'new-message'`);
  expect([events.rowCount, mails.rowCount]).toEqual([20, 1]);
});

test('what is marked as read while messages come in, and what stays unread, is together what was sent', async () => {
  const buyer = await app.createUser();
  const { id: listing_id } = await createListing(app.services, seller, 'active');
  const { id } = (await app.as(buyer).post('/api/conversations', { listing_id, message: 'Hello' })).body;
  const counts: number[] = [];
  const replies = await times(45, async (index) => {
    if (index % 3 === 0)
      return inTurn(index)
        .as(buyer)
        .post(`/api/conversations/${id}/messages`, { content: `Message ${index}` });
    if (index % 3 === 1) return inTurn(index).as(seller).patch(`/api/conversations/${id}/read`);
    const unread = await unreadOf(seller, listing_id);
    counts.push(unread);
    return inTurn(index)
      .as(seller)
      .post(`/api/conversations/${id}/messages`, { content: `Answer ${index}` });
  });
  expect(replies.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
  const marked = replies.reduce((sum, { body }) => sum + (body.marked_read ?? 0), 0);
  expect(marked + (await unreadOf(seller, listing_id))).toBe(16);
  expect(counts.filter((count) => count < 0 || count > 16)).toEqual([]);
  expect(await unreadOf(buyer, listing_id)).toBe(15);
  const { rows } = await app.database.pool.query(
    `select c.last_message->>'content' as told, m.content from conversations c
     join lateral (select content from messages where conversation_id = c.id order by id desc limit 1) m on true where c.id = $1`,
    [id],
  );
  expect(rows[0].told).toBe(rows[0].content);
});

test('of parallel calls that mark as read each message is counted by one', async () => {
  const buyer = await app.createUser();
  const { id: listing_id } = await createListing(app.services, seller, 'active');
  const post = () => app.as(buyer).post('/api/conversations', { listing_id, message: 'Hello' });
  const { id } = (await post()).body;
  await post();
  const replies = await times(10, (index) => inTurn(index).as(seller).patch(`/api/conversations/${id}/read`));
  const marked = replies.map(({ body }) => body.marked_read);
  expect(marked.toSorted((a, b) => a - b)).toEqual([...Array(9).fill(0), 2]);
});

test('exactly so many new conversations a day for each user; messages in those that there are use none', async () => {
  const buyer = await app.createUser();
  const start = async (who: TestUser, index: number, listing_id: string) =>
    inTurn(index).as(who).post('/api/conversations', { listing_id, message: 'Hello' });
  const listings = await times(8, () => createListing(app.services, seller, 'active'));
  await app.database.pool.query(
    `insert into quota_uses (quota, subject, window_start, used) values ('new_conversation:user', $1, '2026-05-04', 495)`,
    [buyer.id],
  );
  expect((await start(buyer, 0, 'no-such-listing')).status).toBe(404);
  const replies = await times(8, (index) => start(buyer, index, listings[index]?.id ?? ''));
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    ...Array(5).fill(201),
    ...Array(3).fill(429),
  ]);
  const refused = replies.findIndex(({ status }) => status === 429);
  expect(replies[refused]?.headers.get('retry-after')).toBe('7200');
  const stored = await app.database.pool.query('select from conversations where buyer_id = $1', [buyer.id]);
  expect(stored.rowCount).toBe(5);
  const begun = replies.findIndex(({ status }) => status === 201);
  expect((await start(buyer, 0, listings[begun]?.id ?? '')).status).toBe(200);
  now = new Date('2026-05-05T00:00:00.000Z');
  expect((await start(buyer, 0, listings[refused]?.id ?? '')).status).toBe(201);
});
