import { afterEach, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { formOf, newPhoto } from '../../support/pictures.ts';

/** Neither a minute nor a day ends while a test runs. */
const clock = { now: () => new Date('2026-05-01T12:00:10Z') };
const apps: TestApp[] = [];
afterEach(async () => {
  for (const app of apps.splice(0).toReversed()) await app.close();
});

/** Two API processes on one database; the minute's budget of requests is out of the way, the day's of images is not. */
async function startTwo(profile: 'nautical' | 'general') {
  const app = await startApp({ profile, clock, env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const twin = await app.twin();
  apps.push(app, twin);
  for (const { services } of [app, twin])
    services.limiter.take = () => Promise.resolve({ allowed: true, remaining: 9, resetAt: new Date() });
  return [app, twin] as const;
}

const photos = (count: number) => Promise.all(Array.from({ length: count }, () => newPhoto()));
const uploadTo = (app: TestApp, user: TestUser, bytes: Buffer) =>
  app.as(user).post('/api/upload', undefined, { raw: formOf([['file', bytes]]) });
const addTo = (app: TestApp, user: TestUser, id: string, files: Buffer[]) =>
  app.as(user).post(`/api/listings/${id}/images`, undefined, { raw: formOf(files.map((bytes) => ['files', bytes])) });
const usedBy = async (app: TestApp, user: TestUser) =>
  (
    await app.database.pool.query<{ used: number }>(
      `select coalesce(sum(used), 0)::int as used from quota_uses where quota like 'image_upload%' and subject = $1`,
      [user.id],
    )
  ).rows[0]?.used;
const stored = async (app: TestApp) =>
  (await app.database.pool.query<{ n: number }>('select count(*)::int as n from images')).rows[0]?.n;

test.each(['nautical', 'general'] as const)(
  'exactly 50 images a day are accepted of parallel single and batch uploads on two processes (%s)',
  async (profile) => {
    const [app, twin] = await startTwo(profile);
    const user = await app.createUser();
    const category_id = profile === 'nautical' ? 'nautical-equipment' : 'boats';
    const listings = await Promise.all(
      Array.from(
        { length: 6 },
        async () => (await app.as(user).post('/api/listings', listingBody({ category_id }))).body.id,
      ),
    );
    const batches = await Promise.all(listings.map(() => photos(2)));
    const singles = await photos(40);
    const replies = await Promise.all([
      ...batches.map((files, index) => addTo(index % 2 === 0 ? app : twin, user, listings[index], files)),
      ...singles.map((bytes, index) => uploadTo(index % 2 === 0 ? app : twin, user, bytes)),
    ]);
    const accepted = replies.filter(({ status }) => status === 201);
    const images = accepted.reduce((sum, { body }) => sum + (body.uploaded ?? 1), 0);
    expect(images).toBe(50);
    const refused = replies.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
    for (const { headers, body } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(body.error.code).toBe('rate_limited');
    }
    expect(await usedBy(app, user)).toBe(50);
    expect(await stored(app)).toBe(50);
    const { rows } = await app.database.pool.query('select sha256 from picture_leftovers');
    expect(rows).toEqual([]);
  },
);

test('what is refused uses none of the quota, and a batch that is too much for what is left uses none either', async () => {
  const [app] = await startTwo('nautical');
  const user = await app.createUser();
  const { id } = (await app.as(user).post('/api/listings', listingBody())).body;
  for (const bad of [Buffer.from('no picture'), Buffer.alloc(0)])
    expect((await uploadTo(app, user, bad)).status).toBe(400);
  const [good = Buffer.alloc(0), ...more] = await photos(6);
  expect((await addTo(app, user, id, [good, Buffer.from('no picture')])).status).toBe(400);
  expect((await addTo(app, user, 'no-such-listing', [good])).status).toBe(404);
  expect(await usedBy(app, user)).toBe(0);
  const now = app.services.clock.now().getTime();
  await app.database.pool.query(
    `insert into quota_uses (quota, subject, window_start, used) values ('image_upload:user', $1, $2, 46)`,
    [user.id, new Date(now - (now % 86_400_000))],
  );
  expect((await addTo(app, user, id, more)).status).toBe(429);
  expect((await addTo(app, user, id, more.slice(1))).status).toBe(201);
  expect((await uploadTo(app, user, good)).status).toBe(429);
});

test('the nautical profile also allows 20 uploads a minute, told in the headers', async () => {
  const app = await startApp({ clock, env: { RATE_LIMIT_MULTIPLIER: '1' } });
  apps.push(app);
  const user = await app.createUser();
  const replies = await Promise.all(Array.from({ length: 22 }, () => uploadTo(app, user, Buffer.from('no picture'))));
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(2);
  expect(replies[0]?.headers.get('x-ratelimit-limit')).toBe('20');
});
