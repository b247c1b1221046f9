import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { createListing } from '../../support/openapi-cases-things.ts';

let now = new Date('2026-05-04T09:00:00.000Z');
let app: TestApp;
let seller: TestUser;
let buyer: TestUser;
let stranger: TestUser;
let admin: TestUser;
beforeAll(async () => {
  app = await startApp({ clock: { now: () => now } });
  seller = await app.createUser({ name: 'Annika Berg' });
  buyer = await app.createUser({ name: 'Jonas Lind' });
  stranger = await app.createUser();
  admin = await app.createUser({ role: 'admin' });
});
afterAll(async () => {
  await app.close();
});

const minutesPass = (minutes = 1) => {
  now = new Date(now.getTime() + minutes * 60_000);
  return now.toISOString();
};
const publicListing = (status = 'active') => createListing(app.services, seller, status);
const start = (who: TestUser, listing_id: string, message = 'Is she still for sale?') =>
  app.as(who).post('/api/conversations', { listing_id, message });
const say = (who: TestUser, id: string, content: string) =>
  app.as(who).post(`/api/conversations/${id}/messages`, { content });
const detail = async (who: TestUser, id: string, query = '') =>
  (await app.as(who).get(`/api/conversations/${id}${query}`)).body;
const item = async (who: TestUser, id: string) =>
  (await app.as(who).get('/api/conversations?limit=100')).body.results.find((each: { id: string }) => each.id === id);

test('201 for the first message of a buyer, 200 for the next ones, which come into the same conversation', async () => {
  const { id: listing_id, slug } = await publicListing();
  const created_at = minutesPass();
  const first = await start(buyer, listing_id);
  expect([first.status, first.body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^cnv_/),
      message: {
        id: expect.stringMatching(/^msg_/),
        conversation_id: first.body.id,
        sender_id: buyer.id,
        content: 'Is she still for sale?',
        read_at: null,
        created_at,
      },
      created: true,
      warnings: [],
    },
  ]);
  const second = await start(buyer, slug, 'And the trailer?');
  expect([second.status, second.body.id, second.body.created]).toEqual([200, first.body.id, false]);
  const other = await start(stranger, listing_id);
  expect([other.status, other.body.id === first.body.id]).toEqual([201, false]);
});

test('both parties see the same conversation, each with what is unread for them', async () => {
  const { id: listing_id, slug } = await publicListing();
  const created_at = minutesPass();
  const { id } = (await start(buyer, listing_id)).body;
  await say(buyer, id, 'I could come on Saturday.');
  const asked = now.toISOString();
  const last_message_at = minutesPass();
  const answer = await say(seller, id, 'Saturday suits me.');
  expect([answer.status, answer.body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^msg_/),
      conversation_id: id,
      sender_id: seller.id,
      content: 'Saturday suits me.',
      read_at: null,
      created_at: last_message_at,
      warnings: [],
    },
  ]);
  const { title } = (await item(seller, id)).listing;
  const frame = {
    id,
    listing: { id: listing_id, title, slug },
    buyer: { id: buyer.id, name: 'Jonas Lind' },
    seller: { id: seller.id, name: 'Annika Berg' },
    created_at,
    last_message_at,
  };
  const last_message = { content: 'Saturday suits me.', sender_id: seller.id, created_at: last_message_at };
  expect(await item(seller, id)).toEqual({ ...frame, last_message, unread_count: 2 });
  expect(await item(buyer, id)).toEqual({ ...frame, last_message, unread_count: 1 });
  for (const who of [buyer, seller])
    expect(await detail(who, id)).toEqual({
      ...frame,
      messages: {
        results: [
          [buyer, 'Jonas Lind', 'Is she still for sale?', asked],
          [buyer, 'Jonas Lind', 'I could come on Saturday.', asked],
          [seller, 'Annika Berg', 'Saturday suits me.', last_message_at],
        ].map(([sender, sender_name, content, created_at]) => ({
          id: expect.stringMatching(/^msg_/),
          sender_id: (sender as TestUser).id,
          sender_name,
          content,
          read_at: null,
          created_at,
        })),
        pagination: { page: 1, limit: 20, total: 3, pages: 1 },
      },
    });
});

test('reading marks nothing; marking as read counts what was unread, once, and only what the caller has received', async () => {
  const { id } = (await start(buyer, (await publicListing()).id)).body;
  await say(buyer, id, 'Hello?');
  await say(seller, id, 'Yes.');
  await detail(seller, id);
  expect((await item(seller, id)).unread_count).toBe(2);
  const read_at = minutesPass();
  const marked = await app.as(seller).patch(`/api/conversations/${id}/read`);
  expect([marked.status, marked.body]).toEqual([200, { conversation_id: id, marked_read: 2, read_at }]);
  minutesPass();
  const again = await app.as(seller).patch(`/api/conversations/${id}/read`);
  expect(again.body.marked_read).toBe(0);
  expect([(await item(seller, id)).unread_count, (await item(buyer, id)).unread_count]).toEqual([0, 1]);
  const { results } = (await detail(buyer, id)).messages;
  expect(results.map((each: { read_at: string | null }) => each.read_at)).toEqual([read_at, read_at, null]);
});

test('messages come in the order they were written in, page by page; sort=newest turns it round', async () => {
  const { id } = (await start(buyer, (await publicListing()).id, '1')).body;
  for (let number = 2; number <= 5; number += 1) await say(number % 2 === 0 ? seller : buyer, id, String(number));
  const contents = async (query: string) => {
    const { messages } = await detail(buyer, id, query);
    return [messages.results.map(({ content }: { content: string }) => content).join(''), messages.pagination];
  };
  expect(await contents('?limit=2')).toEqual(['12', { page: 1, limit: 2, total: 5, pages: 3 }]);
  expect(await contents('?limit=2&page=3')).toEqual(['5', { page: 3, limit: 2, total: 5, pages: 3 }]);
  expect(await contents('?limit=2&sort=newest')).toEqual(['54', { page: 1, limit: 2, total: 5, pages: 3 }]);
  expect(await contents('?limit=2&page=2&sort=newest')).toEqual(['32', { page: 2, limit: 2, total: 5, pages: 3 }]);
  expect(await contents('?page=1000000&limit=100')).toEqual(['', expect.objectContaining({ total: 5 })]);
});

test('conversations of both roles come the one written in last first; listing_id leaves those about one listing', async () => {
  const [mine, first, second] = [
    await createListing(app.services, stranger, 'active'),
    await publicListing(),
    await publicListing(),
  ];
  const user = await app.createUser();
  const other = await app.createUser();
  await app.services.db.updateTable('listings').set({ seller_id: user.id }).where('id', '=', mine.id).execute();
  const ids = [];
  for (const [who, { id: listing_id }] of [
    [user, first],
    [other, mine],
    [user, second],
  ] as const) {
    minutesPass();
    ids.push((await start(who, listing_id)).body.id);
  }
  const [a, b, c] = ids;
  const listed = async (query = '') => {
    const { results, pagination } = (await app.as(user).get(`/api/conversations${query}`)).body;
    return [results.map(({ id }: { id: string }) => id), pagination.total, pagination.pages];
  };
  expect(await listed()).toEqual([[c, b, a], 3, 1]);
  minutesPass();
  await say(user, a, 'Are you there?');
  expect(await listed('?limit=2')).toEqual([[a, c], 3, 2]);
  expect(await listed('?limit=2&page=2')).toEqual([[b], 3, 2]);
  expect(await listed('?limit=2&page=3')).toEqual([[], 3, 2]);
  expect(await listed(`?listing_id=${mine.id}`)).toEqual([[b], 1, 1]);
  expect(await listed(`?listing_id=${first.slug}`)).toEqual([[a], 1, 1]);
  expect(await listed('?listing_id=no-such-listing')).toEqual([[], 0, 0]);
});

describe('404 for everybody but its two parties', () => {
  test('an administrator too; nothing is told and nothing changes', async () => {
    const { id } = (await start(buyer, (await publicListing()).id, 'a secret between us')).body;
    for (const who of [stranger, admin]) {
      const replies = [
        await app.as(who).get(`/api/conversations/${id}`),
        await say(who, id, 'Let me in.'),
        await app.as(who).patch(`/api/conversations/${id}/read`),
        await app.as(who).get('/api/conversations?limit=100'),
      ];
      expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 200]);
      expect(replies.map(({ text }) => text).join('')).not.toContain('secret');
    }
    expect((await detail(buyer, id)).messages.results).toMatchObject([{ read_at: null }]);
  });

  test('one that does not exist', async () => {
    const none = 'cnv_01K6QC1A2B3C4D5E6F7G8H9J0K';
    const replies = [
      await app.as(buyer).get(`/api/conversations/${none}`),
      await say(buyer, none, 'Hello?'),
      await app.as(buyer).patch(`/api/conversations/${none}/read`),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});

describe('about which listings a conversation can begin', () => {
  test.each([
    ['active', 201],
    ['paused', 201],
    ['sold', 409],
    ['draft', 404],
    ['expired', 404],
    ['flagged', 404],
    ['deleted', 404],
  ])('%s is %i in the nautical profile, and one that has begun goes on', async (status, expected) => {
    const { id: listing_id } = await publicListing();
    const known = (await start(stranger, listing_id)).body.id;
    await app.services.db.updateTable('listings').set({ status }).where('id', '=', listing_id).execute();
    expect((await start(buyer, listing_id)).status).toBe(expected);
    const more = await start(stranger, listing_id, 'Still there?');
    expect([more.status, more.body.id]).toEqual([200, known]);
    expect((await say(seller, known, 'Yes.')).status).toBe(201);
  });

  test('in the general profile what is flagged is still on offer, and what is expired is 409', async () => {
    const general = await startApp({ profile: 'general' });
    try {
      const [owner, user] = [await general.createUser(), await general.createUser()];
      for (const [status, expected] of Object.entries({
        flagged: 201,
        expired: 409,
        sold: 409,
        deleted: 404,
        draft: 404,
      })) {
        const { id: listing_id } = await createListing(general.services, owner, status);
        const reply = await general.as(user).post('/api/conversations', { listing_id, message: 'Hello' });
        expect([status, reply.status]).toEqual([status, expected]);
      }
    } finally {
      await general.close();
    }
  });

  test('a sold one for the buyer whom the seller has named', async () => {
    const { id } = await publicListing();
    await app.as(seller).post(`/api/listings/${id}/mark-sold`, { buyer_id: buyer.id });
    expect([(await start(buyer, id)).status, (await start(stranger, id)).status]).toEqual([201, 409]);
  });

  test('400 with oneself; 404 about what never was', async () => {
    const { id } = await publicListing();
    const reply = await start(seller, id);
    expect([reply.status, reply.body.error.details.errors]).toEqual([
      400,
      [{ path: '/body/listing_id', message: expect.any(String) }],
    ]);
    expect((await start(buyer, 'lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2')).status).toBe(404);
    expect((await start(buyer, 'no-such-listing')).status).toBe(404);
  });
});

test('a conversation outlives its listing, which the seller has deleted for good, with its title and slug', async () => {
  const { id: listing_id, slug } = await publicListing();
  const { id } = (await start(buyer, listing_id)).body;
  const { listing } = await item(buyer, id);
  expect((await app.as(seller).delete(`/api/listings/${listing_id}`)).status).toBe(200);
  expect((await app.database.pool.query('select from listings where id = $1', [listing_id])).rowCount).toBe(0);
  expect((await detail(buyer, id)).listing).toEqual({ ...listing, id: listing_id, slug });
  expect((await say(seller, id, 'She is gone.')).status).toBe(201);
  const more = await start(buyer, listing_id, 'What a pity.');
  expect([more.status, more.body.id]).toEqual([200, id]);
  expect((await app.as(buyer).get(`/api/conversations?listing_id=${listing_id}`)).body.results).toMatchObject([{ id }]);
  expect((await start(buyer, slug)).status).toBe(404);
  expect((await start(stranger, listing_id)).status).toBe(404);
});

describe('what is worth a second thought in a first message is named, and nothing is held back', () => {
  test.each([
    ['Call me: +49 30 901820', ['phone']],
    ['All about me: https://example.com/me', ['link']],
    ['See www.example.com or call 0151 2345678', ['phone', 'link']],
    ['She is 11.99 m long, built in 2006, and costs 129000 EUR', []],
  ])('%s', async (message, codes) => {
    const codesOf = ({ body }: { body: { warnings: { code: string; message: string }[] } }) =>
      body.warnings.map(({ code }) => code);
    const { id: listing_id } = await publicListing();
    const first = await start(buyer, listing_id, message);
    expect([first.status, first.body.message.content, codesOf(first)]).toEqual([201, message, codes]);
    const { id } = first.body;
    expect(codesOf(await start(buyer, listing_id, message))).toEqual([]);
    expect(codesOf(await say(buyer, id, message))).toEqual([]);
    expect(codesOf(await say(seller, id, message))).toEqual(codes);
    expect(codesOf(await say(seller, id, message))).toEqual([]);
  });
});

describe('400 for a message that is none', () => {
  test.each([[''], ['  \n '], ['x'.repeat(5_001)], [null], [7], ['a\u0000b']])('%j', async (text) => {
    const { id: listing_id } = await publicListing();
    const { id } = (await start(stranger, listing_id)).body;
    const replies = [
      await app.as(buyer).post('/api/conversations', { listing_id, message: text }),
      await app.as(stranger).post(`/api/conversations/${id}/messages`, { content: text }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([400, 400]);
  });

  test('5,000 characters are a message, whatever alphabet or emoji they are', async () => {
    const { id } = (await start(stranger, (await publicListing()).id)).body;
    for (const text of ['船'.repeat(5_000), '⛵'.repeat(5_000), '😀'.repeat(5_000)]) {
      const reply = await say(stranger, id, text);
      expect([reply.status, reply.body.content === text]).toEqual([201, true]);
    }
  });
});

test('a repetition with the same Idempotency-Key is the same message', async () => {
  const { id: listing_id } = await publicListing();
  const headers = { 'Idempotency-Key': 'only-once' };
  const body = { listing_id, message: 'Hello' };
  const first = await app.as(buyer).post('/api/conversations', body, { headers });
  const second = await app.as(buyer).post('/api/conversations', body, { headers });
  expect([second.status, second.body]).toEqual([201, first.body]);
  expect((await detail(buyer, first.body.id)).messages.pagination.total).toBe(1);
});
