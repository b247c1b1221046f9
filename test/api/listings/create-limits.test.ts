import { afterEach, beforeAll, expect, test } from 'vitest';
import { detectLanguage } from '../../../shared/kit/language.ts';
import { locate } from '../../../shared/places/locate.ts';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';

// What the first create of a process reads takes long on a busy machine; it is not what is raced here.
beforeAll(async () => {
  locate(listingBody().location);
  await detectLanguage(listingBody().description);
});

const running: TestApp[] = [];
afterEach(async () => {
  for (const app of running.splice(0).toReversed()) await app.close();
});

/** Two API processes on one database, and whoever calls them in turn. */
async function startTwo(profile: 'nautical' | 'general', multiplier: string, clock?: { now(): Date }) {
  const app = await startApp({ profile, env: { RATE_LIMIT_MULTIPLIER: multiplier }, clock });
  const twin = await app.twin();
  running.push(app, twin);
  return { app, inTurn: (user: TestUser): Client[] => [app.as(user), twin.as(user)] };
}

const body = (fields = {}) => listingBody({ category_id: 'sailboats', ...fields });
const post = (clients: Client[], bodies: object[]) =>
  Promise.all(bodies.map((each, index) => clients[index % clients.length]!.post('/api/listings', each)));
const count = (replies: { status: number }[], status: number) =>
  replies.filter((reply) => reply.status === status).length;

test('20 parallel posts of one text to two processes make one listing, and use one of the ten', async () => {
  const { app, inTurn } = await startTwo('general', '1');
  const clients = inTurn(await app.createUser());
  const same = body();
  const replies = await post(
    clients,
    Array.from({ length: 20 }, () => same),
  );
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array.from({ length: 19 }, () => 409),
  ]);
  const id = replies.find(({ status }) => status === 201)?.body.id;
  for (const { status, body: answer } of replies.filter((reply) => reply.status === 409)) {
    expect([status, answer.error.code, answer.error.details.listing_id]).toEqual([409, 'duplicate_listing', id]);
  }
  const more = await post(
    clients,
    Array.from({ length: 12 }, () => body()),
  );
  expect([count(more, 201), count(more, 429)]).toEqual([9, 3]);
});

test('ten a day for each user over two processes; what is refused or failed counts for nothing', async () => {
  const { app, inTurn } = await startTwo('general', '1');
  const [first, second] = [inTurn(await app.createUser()), inTurn(await app.createUser())];
  const failing = [
    body({ category_id: 'no-such-category' }),
    body({ title: 'x' }),
    body({ price: { amount: 1, currency: 'XXX', negotiable: false } }),
    body({
      description: `Look at ${Array.from({ length: 8 }, (_, index) => `https://spam${index}.example.com/x`).join(' ')}`,
    }),
    body({ images: [{ url: `${app.services.config.staticUrl}/images/ab/${'ab'.repeat(32)}.webp` }] }),
  ];
  expect(count(await post(first, failing), 400)).toBe(failing.length);
  const [mine, theirs] = await Promise.all([
    post(
      first,
      Array.from({ length: 20 }, () => body()),
    ),
    post(
      second,
      Array.from({ length: 15 }, () => body()),
    ),
  ]);
  expect([count(mine, 201), count(mine, 429)]).toEqual([10, 10]);
  expect([count(theirs, 201), count(theirs, 429)]).toEqual([10, 5]);
  const refused = mine.find(({ status }) => status === 429);
  expect(refused?.body.error.code).toBe('rate_limited');
  const wait = Number(refused?.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(86_400);
});

test('twenty a day for each address in the nautical profile, over two processes and any number of users', async () => {
  // Twice the limits, so that the limit of a minute (60 writes a user) does not come first.
  const { app, inTurn } = await startTwo('nautical', '2');
  const users = await Promise.all(Array.from({ length: 4 }, () => app.createUser()));
  const replies = (
    await Promise.all(
      users.map((user) =>
        post(
          inTurn(user),
          Array.from({ length: 12 }, () => body()),
        ),
      ),
    )
  ).flat();
  expect([count(replies, 201), count(replies, 429)]).toEqual([40, 8]);
});

test('a deleted listing has used its place, and the next day there are ten more', async () => {
  let now = new Date('2026-03-01T23:00:00.000Z');
  const { app, inTurn } = await startTwo('general', '1', { now: () => now });
  const user = await app.createUser();
  const clients = inTurn(user);
  const made = await post(
    clients,
    Array.from({ length: 10 }, () => body()),
  );
  expect(count(made, 201)).toBe(10);
  expect((await clients[0]!.delete(`/api/listings/${made[0]!.body.id}`)).status).toBe(200);
  const refused = await clients[1]!.post('/api/listings', body());
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
  now = new Date('2026-03-02T00:00:00.000Z');
  const next = await post(
    clients,
    Array.from({ length: 11 }, () => body()),
  );
  expect([count(next, 201), count(next, 429)]).toEqual([10, 1]);
});

test('a repetition with the same Idempotency-Key is the same listing, and uses nothing', async () => {
  const { app, inTurn } = await startTwo('general', '1');
  const clients = inTurn(await app.createUser());
  const [same, headers] = [body(), { 'Idempotency-Key': 'once-and-for-all' }];
  const ids: string[] = [];
  for (const client of [...clients, ...clients])
    ids.push((await client.post('/api/listings', same, { headers })).body.id);
  expect(new Set(ids).size).toBe(1);
  expect(
    count(
      await post(
        clients,
        Array.from({ length: 10 }, () => body()),
      ),
      201,
    ),
  ).toBe(9);
});
