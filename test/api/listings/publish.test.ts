import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody, listingBody } from '../../support/listing-bodies.ts';

let app: TestApp;
let owner: TestUser;
beforeAll(async () => {
  app = await startApp();
  owner = await app.createUser();
});
afterAll(() => app.close());

const draft = async () => (await app.as(owner).post('/api/listings', listingBody())).body;
const jobsOf = async (queue: string, where: string) =>
  (await app.database.pool.query(`select data from pgboss.job where name = $1 and ${where}`, [queue])).rows;
const eventsOf = async (id: string, type: string) =>
  (
    await app.database.pool.query('select data, previous, owner_id from events where subject = $1 and type = $2', [
      id,
      type,
    ])
  ).rows;

test('200 with the listing now active, to everybody', async () => {
  const { id, slug, created_at } = await draft();
  const { status, body } = await app.as(owner).post(`/api/listings/${slug}/publish`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ id, slug, status: 'active', created_at });
  expect(Date.parse(body.expires_at) - Date.parse(body.updated_at)).toBe(30 * 86_400_000);
  const { rows } = await app.database.pool.query(
    'select published_at, updated_at, sort_at, version from listings where id = $1',
    [id],
  );
  expect(rows[0].published_at).toEqual(rows[0].updated_at);
  expect(rows[0].sort_at).toEqual(rows[0].published_at);
  expect(rows[0].version).toBe(2);
  expect(await eventsOf(id, 'listing.published')).toEqual([
    {
      data: expect.objectContaining({ listing_id: id, status: 'active' }),
      previous: { status: 'draft' },
      owner_id: owner.id,
    },
  ]);
  expect(await jobsOf('index-listing', `data->'listing_ids' ? '${id}'`)).toHaveLength(1);
});

test('the owner gets one mail, in the profile that sends it', async () => {
  const { id } = await draft();
  await app.as(owner).post(`/api/listings/${id}/publish`);
  const mails = await jobsOf('send-email', `data->>'message_id' = 'listing-approved.${id}'`);
  expect(mails).toEqual([{ data: expect.objectContaining({ template: 'listing-approved', user_id: owner.id }) }]);
  expect(JSON.stringify(mails)).not.toContain(owner.email);

  const general = await startApp({ profile: 'general' });
  try {
    const client = general.as(await general.createUser());
    const { body } = await client.post('/api/listings', listingBody({ category_id: 'boats' }));
    expect((await client.post(`/api/listings/${body.id}/publish`)).status).toBe(200);
    const { rows } = await general.database.pool.query(`select 1 from pgboss.job where name = 'send-email'`);
    expect(rows).toEqual([]);
  } finally {
    await general.close();
  }
});

test('20 parallel publishes: one 200, the others 409, one event, one mail', async () => {
  const { id } = await draft();
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => app.as(owner).post(`/api/listings/${id}/publish`)),
  );
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array.from({ length: 19 }, () => 409),
  ]);
  expect(await eventsOf(id, 'listing.published')).toHaveLength(1);
  expect(await jobsOf('send-email', `data->>'message_id' = 'listing-approved.${id}'`)).toHaveLength(1);
});

test('401 without a credential', async () => {
  expect((await app.as().post(`/api/listings/${(await draft()).id}/publish`)).status).toBe(401);
});

test('403 for anybody but the owner, admins included', async () => {
  const { id } = await draft();
  for (const role of ['user', 'admin'] as const) {
    expect((await app.as(await app.createUser({ role })).post(`/api/listings/${id}/publish`)).status).toBe(403);
  }
});

test('404 for a listing that does not exist or was deleted', async () => {
  const { id } = await draft();
  await app.database.pool.query(`update listings set status = 'deleted' where id = $1`, [id]);
  for (const name of [id, 'no-such-listing', 'lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2']) {
    expect((await app.as(owner).post(`/api/listings/${name}/publish`)).status).toBe(404);
  }
});

test.each(['active', 'paused', 'sold', 'expired', 'flagged'])('409 when the listing is %s', async (status) => {
  const { id } = await draft();
  await app.database.pool.query('update listings set status = $2 where id = $1', [id, status]);
  const reply = await app.as(owner).post(`/api/listings/${id}/publish`);
  expect(reply.status).toBe(409);
  expect(reply.body.error.code).toBe('conflict');
});

test('400 moderation_rejected for a scraped draft that may not be shown', async () => {
  const record = ingestBody({
    description: `Look ${Array.from({ length: 8 }, (_, index) => `https://spam${index}.example.com/x`).join(' ')}`,
  });
  const { body } = await app.as(owner).post('/api/ingest', { records: [record] });
  const reply = await app.as(owner).post(`/api/listings/${body.ids[record.url]}/publish`);
  expect(reply.status).toBe(400);
  expect(reply.body.error).toMatchObject({ code: 'moderation_rejected', details: { reasons: ['link_spam'] } });
});
