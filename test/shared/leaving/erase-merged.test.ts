import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { leaveAccount } from '../../../shared/leaving/leave.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { findMarks, marked, workUntilIdle } from '../../support/leaving.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { formOf, newPhoto } from '../../support/pictures.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
beforeAll(async () => {
  app = await startApp({ profile: 'general' });
  workers = await startWorkers(app);
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

async function offer(who: TestUser, title: string, images: { url: string }[] = []): Promise<string> {
  const { body: categories } = await app.as().get('/api/categories/flat');
  const category_id = categories.categories[0].id;
  const fields = { ...listingBody({ title, category_id }), images };
  const { status, body, text } = await app.as(who).post('/api/listings', fields);
  expect(status, text).toBe(201);
  await app.as(who).post(`/api/listings/${body.id}/publish`);
  return body.id;
}

const upload = async (who: TestUser, photo: Buffer) =>
  (await app.as(who).post('/api/upload', undefined, { raw: formOf([['file', photo]]) })).body as { url: string };

async function merge(members: string[], canonical: string): Promise<void> {
  const admin = await app.createUser({ role: 'admin' });
  const id = `ddg_01K6QC1A2B3C4D5E6F7G8H9J${canonical.slice(-2)}`;
  await app.database.pool.query(`insert into dedup_groups (id, confidence, detected_at) values ($1, 0.9, now())`, [id]);
  for (const member of members)
    await app.database.pool.query(
      `insert into dedup_members (group_id, listing_id, score, evidence) values ($1, $2, 0.9, $3)`,
      [
        id,
        member,
        JSON.stringify(
          members
            .filter((each) => each !== member)
            .map((each) => ({ listing_id: each, score: 0.9, reasons: [], restraints: [] })),
        ),
      ],
    );
  const { status, text } = await app
    .as(admin)
    .post(`/api/admin/nautical/dedup/${id}/merge`, { canonical_id: canonical });
  expect(status, text).toBe(200);
}

async function leaveAndErase(person: TestUser): Promise<void> {
  await inTransaction(app.services.db, (tx) => leaveAccount(tx, app.services, person.id));
  await workUntilIdle(workers);
}

const read = async (id: string) =>
  (await app.database.pool.query('select status, images, merged_into, sources from listings where id = $1', [id]))
    .rows[0];

test("a listing that theirs was merged into loses what it was given, and stays somebody else's", async () => {
  const [person, friend] = [await app.createUser(), await app.createUser()];
  const photo = await upload(person, await newPhoto(320, 240));
  const theirs = await offer(person, `Kayak ${marked('merged')} of one owner`, [photo]);
  const kept = await offer(friend, 'Kayak of a friend, little used');
  await merge([theirs, kept], kept);
  expect((await read(kept)).images).toHaveLength(1);
  await leaveAndErase(person);
  expect(await read(kept)).toMatchObject({ status: 'active', images: [] });
  expect(await read(theirs)).toBeUndefined();
  expect(await findMarks(app.database.pool)).toEqual([]);
});

test('a listing that was merged into theirs is back', async () => {
  const [person, friend] = [await app.createUser(), await app.createUser()];
  const theirs = await offer(person, `Canoe ${marked('canonical')} of one owner`);
  const other = await offer(friend, 'Canoe of a friend, with two paddles');
  await merge([theirs, other], theirs);
  expect(await read(other)).toMatchObject({ status: 'deleted', merged_into: theirs });
  await leaveAndErase(person);
  expect(await read(other)).toMatchObject({ status: 'active', merged_into: null });
  expect(await findMarks(app.database.pool)).toEqual([]);
});

test('the files of a photo stay while somebody else shows the same, and go with the last who does', async () => {
  const [person, friend] = [await app.createUser(), await app.createUser()];
  const photo = await newPhoto(320, 240);
  const [image] = [await upload(person, photo), await upload(friend, photo)];
  await offer(person, 'Rowing boat of one owner', [image]);
  await offer(friend, 'Rowing boat of a friend', [image]);
  const path = new URL(image.url).pathname;
  await leaveAndErase(person);
  expect((await fetch(app.url + path)).status).toBe(200);
  await leaveAndErase(friend);
  expect((await fetch(app.url + path)).status).toBe(404);
});

test('whoever owns scrapers cannot leave, whatever their role is by now, and is told which, until they are deleted', async () => {
  const [owner, admin] = [await app.createUser({ role: 'admin' }), await app.createUser({ role: 'admin' })];
  const fields = { name: 'Harbour board', start_urls: ['https://boats.example.com/'], link_pattern: '/ads/' };
  const { body: scraper } = await app.as(owner).post('/api/admin/scrapers', fields);
  const leave = () => inTransaction(app.services.db, (tx) => leaveAccount(tx, app.services, owner.id));
  await expect(leave()).rejects.toThrow('cannot leave: Harbour board.');
  await app.database.pool.query(`update users set role = 'user' where id = $1`, [owner.id]);
  await expect(leave()).rejects.toThrow('cannot leave: Harbour board.');
  expect((await app.as(admin).delete(`/api/admin/scrapers/${scraper.id}`)).status).toBe(200);
  await leave();
});

test('the last administrator cannot leave; of two who leave at once, one stays', async () => {
  const { rows } = await app.database.pool.query<{ id: string }>(`select id from users where role = 'admin'`);
  const admins = [await app.createUser({ role: 'admin' }), await app.createUser({ role: 'admin' })];
  await app.database.pool.query(`update users set role = 'user' where id = any($1)`, [rows.map(({ id }) => id)]);
  const tries = await Promise.allSettled(
    admins.map(({ id }) => inTransaction(app.services.db, (tx) => leaveAccount(tx, app.services, id))),
  );
  expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('a wrong password, and the link of somebody else, end nothing', async () => {
  const person = await app.createUser();
  const [wrong, stranger] = await Promise.all(
    [{ password: 'not this one at all' }, { token: 'not a token' }].map((body) =>
      app.as(person).delete('/api/me', { body }),
    ),
  );
  expect([wrong?.status, stranger?.status]).toEqual([400, 400]);
  expect((await app.as(person).get('/api/me')).status).toBe(200);
});
