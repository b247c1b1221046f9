import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/kit/clock.ts';
import { personalTables } from '../../../shared/leaving/personal-tables.ts';
import { writeArchive } from '../../../shared/leaving/archive.ts';
import { movableClock } from '../../api/rentals/fixture.ts';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { marked, plant, workUntilIdle, type Planted } from '../../support/leaving.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

const clock = movableClock();
let app: TestApp;
let workers: TestWorkers;
let planted: Planted;
beforeAll(async () => {
  app = await startApp({ clock, env: { FETCH_ALLOW: '127.0.0.1' } });
  workers = await startWorkers(app);
  planted = await plant(app, async () => {
    await app.services.tracker.flush();
    await workUntilIdle(workers);
  });
}, 120_000);
afterAll(async () => {
  await workers.close();
  await app.close();
});

const status = async (who: TestUser) => (await app.as(who).get('/api/me/export')).body.export;
const fetchArchive = (url: string) => app.as().get(new URL(url).pathname);

test('the archive holds all that a person has left in the service, and none of its secrets', async () => {
  const { person, exportUrl } = planted;
  const { status: code, headers, body: archive, text } = await fetchArchive(exportUrl);
  expect(code, text).toBe(200);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="export-\w+\.json"$/);
  expect(archive).toMatchObject({ format: 'quayside-person-1', user_id: person.id });
  const sections = Object.values(personalTables).flatMap(({ archive: each }) =>
    'section' in each ? each.section : [],
  );
  expect(Object.keys(archive)).toEqual(expect.arrayContaining([...sections, 'images']));
  for (const name of [
    'title',
    'description',
    'alt',
    'brand',
    'draft',
    'sold',
    'record',
    'page',
    'search',
    'saved',
    'rental',
    'booking',
    'flag',
    'reply',
    'hook',
    'key',
    'email',
    'name',
    'contact',
    'tracked',
    'photo',
  ])
    expect(text, name).toContain(marked(name));
  expect(archive.messages.map(({ content }: Json) => content)).toEqual(
    expect.arrayContaining(['When can I see her?', 'On Saturday.', 'Is the dinghy dry?']),
  );
  expect(archive.images[0].url).toContain('/images/');
  expect(text).not.toMatch(/password_hash|key_hash|"secret"|token_hash|argon2/);
});

test('a link fetches the archive once, and only within 24 hours', async () => {
  const { person, exportUrl } = planted;
  expect((await fetchArchive(exportUrl)).status).toBe(404);
  expect(await status(person)).toMatchObject({ status: 'fetched', url: null });
  await app.as(person).post('/api/me/export');
  await workUntilIdle(workers);
  const ready = await status(person);
  expect(ready).toMatchObject({ status: 'ready' });
  clock.move(DAY_MS + 1);
  expect((await fetchArchive(ready.url)).status).toBe(404);
  expect(await status(person)).toMatchObject({ status: 'expired', url: null });
  clock.move(2 * HOUR_MS);
  await inTransaction(app.services.db, (tx) => app.services.jobs.enqueue(tx, 'sweep-leavings', {}));
  expect(await workers.work('sweep-leavings')).toMatchObject([{ output: { exports_deleted: 1 } }]);
});

test('of two who fetch at the same time, one gets it; one that breaks off may be begun again', async () => {
  const { person } = planted;
  await app.as(person).post('/api/me/export');
  await workUntilIdle(workers);
  const { url } = await status(person);
  const broken = await fetch(url);
  await broken.body?.cancel();
  const tries = await Promise.all([fetchArchive(url), fetchArchive(url)]);
  const { rows } = await app.database.pool.query('select fetched_at from account_exports where user_id = $1', [
    person.id,
  ]);
  expect([tries.filter((each) => each.status === 200).length <= 1, rows.length]).toEqual([true, 1]);
});

test('one archive is made at a time, and three a day', async () => {
  const limited = await startApp({ database: app.database, clock, env: { RATE_LIMIT_MULTIPLIER: '1' } });
  const person = await limited.createUser();
  const ask = async () => (await limited.as(person).post('/api/me/export')).status;
  expect([await ask(), await ask()]).toEqual([202, 409]);
  const answers: number[] = [];
  for (let times = 0; times < 3; times += 1) {
    await workUntilIdle(workers);
    answers.push(await ask());
  }
  expect(answers).toEqual([202, 202, 429]);
  await limited.close();
});

test('an archive of 100,000 messages takes no more memory than one of 1,000', async () => {
  const { person, conversation } = planted;
  const add = (count: number) =>
    app.database.pool.query(
      `insert into messages (id, conversation_id, sender_id, content, created_at)
       select 'msg_' || substr(md5(random()::text) || md5(n::text), 1, 26), $1, $2, repeat('words of a message ', 20), now() from generate_series(1, $3) n`,
      [conversation, person.id, count],
    );
  const measure = async () => {
    let [bytes, peak] = [0, 0];
    const options = { userId: person.id, staticUrl: '', now: clock.now(), signal: new AbortController().signal };
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    for await (const piece of writeArchive(app.database.pool, options)) {
      bytes += piece.length;
      peak = Math.max(peak, piece.length);
    }
    return { bytes, peak, before };
  };
  await add(1_000);
  const small = await measure();
  await add(99_000);
  const large = await measure();
  expect(large.bytes).toBeGreaterThan(40_000_000);
  // Nothing that is held at once grows with the archive.
  expect(large.peak).toBeLessThan(2 * small.peak);
}, 60_000);
