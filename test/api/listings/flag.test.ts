import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { createReporter, reportUntilHidden } from '../../support/reporters.ts';

let nautical: TestApp;
let general: TestApp;
beforeAll(async () => {
  [nautical, general] = await Promise.all([startApp(), startApp({ profile: 'general' })]);
});
afterAll(() => Promise.all([nautical.close(), general.close()]));

async function listingOf(app: TestApp, owner: TestUser, status = 'active'): Promise<{ id: string; slug: string }> {
  const category_id = app === nautical ? 'cruising' : 'boats';
  const { body } = await app.as(owner).post('/api/listings', listingBody({ category_id }));
  if (status === 'active') await app.as(owner).post(`/api/listings/${body.id}/publish`);
  else await app.database.pool.query('update listings set status = $2 where id = $1', [body.id, status]);
  return body;
}
const flag = (app: TestApp, who: TestUser, id: string, body: object = { reason: 'spam' }) =>
  app.as(who).post(`/api/listings/${id}/flag`, body);
const rows = async (app: TestApp, text: string, id: string) => (await app.database.pool.query(text, [id])).rows;
const flagsOf = (app: TestApp, id: string) => rows(app, 'select * from flags where listing_id = $1', id);
const eventsOf = (app: TestApp, id: string) =>
  rows(app, `select previous, owner_id, data from events where subject = $1 and type = 'listing.flagged'`, id);

describe.each(['nautical', 'general'] as const)('in the %s profile', (profile) => {
  let app: TestApp;
  let owner: TestUser;
  let reader: TestUser;
  beforeAll(async () => {
    app = profile === 'nautical' ? nautical : general;
    owner = await app.createUser();
    reader = await app.createUser();
  });

  test('201 with the report, by id or slug; the listing stays on show until a moderator has looked', async () => {
    const { id, slug } = await listingOf(app, owner);
    const { status, body } = await flag(app, reader, slug, { reason: 'fraud', description: 'Wants a deposit first.' });
    expect(status).toBe(201);
    expect(body).toEqual({
      flag_id: expect.stringMatching(/^flg_/),
      listing_id: id,
      listing_status: 'active',
      reason: 'fraud',
      created_at: expect.any(String),
    });
    expect((await app.as(owner).get(`/api/listings/${id}`)).body.status).toBe('active');
    expect(await flagsOf(app, id)).toMatchObject([
      { id: body.flag_id, reporter_id: reader.id, reason: 'fraud', description: 'Wants a deposit first.' },
    ]);
    expect(await eventsOf(app, id)).toEqual([]);
  });

  test('the third report of an account older than a day hides it, with one event that names no reporter', async () => {
    const { id } = await listingOf(app, owner);
    const { status, body } = await reportUntilHidden(app, id);
    expect({ status, body }).toMatchObject({ status: 201, body: { listing_status: 'flagged' } });
    expect((await app.as(owner).get(`/api/listings/${id}`)).body.status).toBe('flagged');
    const [event, ...others] = await eventsOf(app, id);
    expect(event).toMatchObject({ previous: { status: 'active' }, owner_id: owner.id });
    const reporters = (await flagsOf(app, id)).map(({ reporter_id }) => reporter_id);
    for (const each of reporters) expect(JSON.stringify(event)).not.toContain(each);
    expect(others).toEqual([]);
  });

  test('what was cached of it is as the profile shows flagged listings', async () => {
    const { id } = await listingOf(app, owner);
    expect((await app.as().get(`/api/listings/${id}`)).status).toBe(200);
    await reportUntilHidden(app, id);
    await expect
      .poll(async () => {
        const { status, body } = await app.as().get(`/api/listings/${id}`);
        return status === 200 ? body.status : status;
      })
      .toBe(profile === 'nautical' ? 404 : 'flagged');
  });

  test('409 for the second report of one user, also of 20 at once, and also when it was approved between', async () => {
    const { id } = await listingOf(app, owner);
    const replies = await Promise.all(Array.from({ length: 20 }, () => flag(app, reader, id)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array(19).fill(409)]);
    const admin = await app.createUser({ role: 'admin' });
    expect((await app.as(admin).post(`/api/admin/listings/${id}/approve`)).status).toBe(200);
    expect((await flag(app, reader, id)).status).toBe(409);
    expect(await flagsOf(app, id)).toHaveLength(1);
    expect((await app.as().get(`/api/listings/${id}`)).body.status).toBe('active');
  });

  test('every reader may report, also what others have reported until it was hidden: one event, a report of each', async () => {
    const { id } = await listingOf(app, owner);
    const readers = await Promise.all(Array.from({ length: 6 }, () => createReporter(app)));
    const replies = await Promise.all(readers.map((each) => flag(app, each, id)));
    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(await flagsOf(app, id)).toHaveLength(6);
    expect(await eventsOf(app, id)).toHaveLength(1);
  });

  test.each(['paused', 'sold'])('201 for a listing that is %s', async (status) => {
    const { id } = await listingOf(app, owner, status);
    expect((await flag(app, reader, id)).status).toBe(201);
  });

  test('404 for what is unknown, deleted or a draft of somebody else, and nothing is stored', async () => {
    const [draft, deleted] = [await listingOf(app, owner, 'draft'), await listingOf(app, owner, 'deleted')];
    for (const name of [draft.id, draft.slug, deleted.id, 'no-such-listing', 'lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2'])
      expect((await flag(app, reader, name)).status).toBe(404);
    expect([...(await flagsOf(app, draft.id)), ...(await flagsOf(app, deleted.id))]).toEqual([]);
  });

  test('the owner may report a listing of their own, but no draft: 409', async () => {
    const draft = await listingOf(app, owner, 'draft');
    expect((await flag(app, owner, draft.id)).status).toBe(409);
    expect((await app.as(owner).get(`/api/listings/${draft.id}`)).body.status).toBe('draft');
    expect((await flag(app, owner, (await listingOf(app, owner)).id)).status).toBe(201);
  });

  test('400 for a reason that does not exist, 401 without a credential', async () => {
    const { id } = await listingOf(app, owner);
    for (const body of [{}, { reason: 'boring' }, { reason: 'spam', description: 'x'.repeat(2_001) }, { reason: null }])
      expect((await flag(app, reader, id, body)).status).toBe(400);
    expect((await app.as().post(`/api/listings/${id}/flag`, { reason: 'spam' })).status).toBe(401);
    expect(await flagsOf(app, id)).toEqual([]);
  });
});

test('an expired listing can be reported where it is public', async () => {
  for (const [app, expected] of [
    [nautical, 404],
    [general, 201],
  ] as const) {
    const { id } = await listingOf(app, await app.createUser(), 'expired');
    expect((await flag(app, await app.createUser(), id)).status).toBe(expected);
  }
});
