import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { createConversation } from '../../support/recipes/conversations.ts';
import { createReview } from '../../support/recipes/reviews.ts';
import { createReporter } from '../../support/reporters.ts';

const profiles = ['nautical', 'general'] as const;
const apps = new Map<(typeof profiles)[number], TestApp>();
beforeAll(async () => {
  for (const profile of profiles) apps.set(profile, await startApp({ profile }));
});
afterAll(async () => {
  for (const app of apps.values()) await app.close();
});

describe.each(profiles)('in the %s profile', (profile) => {
  let app: TestApp;
  let owner: TestUser;
  beforeAll(async () => {
    app = apps.get(profile)!;
    owner = await app.createUser({ name: 'Olga Owner' });
  });

  const offer = async (): Promise<{ id: string; slug: string }> => {
    const category_id = profile === 'nautical' ? 'cruising' : 'boats';
    const { body } = await app.as(owner).post('/api/listings', listingBody({ category_id }));
    await app.as(owner).post(`/api/listings/${body.id}/publish`);
    return body;
  };
  const report = (who: TestUser, subject_type: string, subject_id: string, more: object = {}) =>
    app.as(who).post('/api/reports', { subject_type, subject_id, reason: 'fraud', ...more });
  const statusOf = async (id: string) => (await app.as(owner).get(`/api/listings/${id}`)).body.status;
  const noticesOf = async (who: TestUser) => (await app.as(who).get('/api/me/notices')).body.results;
  const messageIn = async (conversation: string, sender: TestUser): Promise<string> => {
    const text = 'select id from messages where conversation_id = $1 and sender_id = $2';
    return (await app.database.pool.query<{ id: string }>(text, [conversation, sender.id])).rows[0]!.id;
  };

  test('a listing, a person, a review and a message are reported, and stand among my reports as open', async () => {
    const reader = await app.createUser();
    const listing = await offer();
    const review = await createReview(app.services, owner);
    const message = await messageIn(await createConversation(app.services, owner, reader), owner);
    const asked = [
      ['listing', listing.slug, listing.id],
      ['user', owner.id, owner.id],
      ['review', review.reviewId, review.reviewId],
      ['message', message, message],
    ] as const;
    for (const [type, name, id] of asked) {
      const { status, body } = await report(reader, type, name, { text: `Look at this ${type}.` });
      expect({ status, body }).toMatchObject({
        status: 202,
        body: { id: expect.stringMatching(/^flg_/), subject_type: type, subject_id: id, status: 'open' },
      });
    }
    const { body } = await app.as(reader).get('/api/me/reports');
    expect(body.results).toMatchObject(
      asked
        .map(([type, , id]) => ({
          subject: { type, id },
          text: `Look at this ${type}.`,
          status: 'open',
          outcome: 'open',
        }))
        .toReversed(),
    );
    expect(body.results.at(-1).subject).toMatchObject({ title: expect.any(String), slug: listing.slug });
    expect((await app.as(owner).get('/api/me/reports')).body.results).toEqual([]);
  });

  test('each person reports a thing once, also when 20 of their requests arrive at once, and by whichever way', async () => {
    const reader = await app.createUser();
    const listing = await offer();
    const replies = await Promise.all(Array.from({ length: 20 }, () => report(reader, 'user', owner.id)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, ...Array(19).fill(409)]);
    expect((await app.as(reader).post(`/api/listings/${listing.id}/flag`, { reason: 'spam' })).status).toBe(201);
    expect((await report(reader, 'listing', listing.id)).body.error.details).toMatchObject({
      reason: 'already_reported',
    });
  });

  test('a message can be reported by those who are in its conversation, and by nobody else', async () => {
    const [buyer, stranger] = [await app.createUser(), await app.createUser()];
    const message = await messageIn(await createConversation(app.services, buyer, owner), buyer);
    expect((await report(stranger, 'message', message)).status).toBe(404);
    expect((await report(await app.createUser({ role: 'admin' }), 'message', message)).status).toBe(404);
    expect((await report(buyer, 'message', message)).status).toBe(409);
    expect((await report(owner, 'message', message)).status).toBe(202);
  });

  test('what is unknown is 404, what is one’s own 409, an id of another kind 400', async () => {
    const reader = await app.createUser();
    const review = await createReview(app.services, owner);
    for (const [type, id] of [
      ['listing', 'lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2'],
      ['listing', 'no-such-listing'],
      ['user', 'usr_01K6Q8Z3V4H5J6K7M8N9P0Q1R2'],
      ['review', 'rev_01K6Q8Z3V4H5J6K7M8N9P0Q1R2'],
      ['message', 'msg_01K6Q8Z3V4H5J6K7M8N9P0Q1R2'],
    ] as const)
      expect([type, (await report(reader, type, id)).status]).toEqual([type, 404]);
    expect((await report(reader, 'user', reader.id)).status).toBe(409);
    expect((await report(reader, 'user', review.reviewId)).status).toBe(400);
    expect((await report(reader, 'rental', owner.id)).status).toBe(400);
    expect((await report(reader, 'user', owner.id, { text: 'x'.repeat(2_001) })).status).toBe(400);
    expect((await app.as().post('/api/reports', {})).status).toBe(401);
  });

  test('a listing stays as it is until the third account older than a day has reported it; then its owner is told why', async () => {
    const { id } = await offer();
    const young = await Promise.all(Array.from({ length: 4 }, () => app.createUser()));
    for (const each of young) expect((await report(each, 'listing', id)).status).toBe(202);
    const [first, second, third] = [await createReporter(app), await createReporter(app), await createReporter(app)];
    await report(first, 'listing', id);
    expect((await app.as(second).post(`/api/listings/${id}/flag`, { reason: 'spam' })).body.listing_status).toBe(
      'active',
    );
    expect(await statusOf(id)).toBe('active');
    expect((await app.as(third).post(`/api/listings/${id}/flag`, { reason: 'spam' })).body.listing_status).toBe(
      'flagged',
    );
    expect(await statusOf(id)).toBe('flagged');
    const [notice] = await noticesOf(owner);
    expect(notice).toMatchObject({
      subject: { type: 'listing', id },
      restriction: 'listing_hidden',
      scope: 'everywhere',
      until: null,
      automated: { detection: true, decision: true },
      ground: 'terms',
      rule: 'fraud',
      prompted_by: 'reports',
      can_appeal: true,
      appeal: null,
    });
    const text = Object.values(notice.statement).join(' ');
    for (const reporter of [first, second, third, ...young]) expect(text).not.toContain(reporter.id);
    const { rows } = await app.database.pool.query(
      `select data from pgboss.job where name = 'send-email' and data->>'template' = 'content-restricted' and data->>'user_id' = $1`,
      [owner.id],
    );
    expect(rows.map(({ data }) => data.data.notice_id)).toContain(notice.id);
  });

  test('of twelve reports at once that would hide a listing one does, and its owner is told once', async () => {
    const { id } = await offer();
    const readers = await Promise.all(Array.from({ length: 12 }, () => createReporter(app)));
    const replies = await Promise.all(readers.map((each) => report(each, 'listing', id)));
    expect(replies.map(({ status }) => status)).toEqual(Array(12).fill(202));
    const { rows } = await app.database.pool.query(
      `select (select count(*)::int from events where subject = $1 and type = 'listing.flagged') as events,
        (select count(*)::int from notices where subject_id = $1) as notices`,
      [id],
    );
    expect(rows).toEqual([{ events: 1, notices: 1 }]);
  });

  test('the owner’s own report, and those of suspended accounts, count towards nothing', async () => {
    const { id } = await offer();
    const admin = await app.createUser({ role: 'admin' });
    const banned = await createReporter(app);
    await report(banned, 'listing', id);
    await app.as(admin).post(`/api/admin/users/${banned.id}/suspend`, { reason: 'Reports out of spite.' });
    await app.database.pool.query(`update users set created_at = created_at - interval '9 days' where id = $1`, [
      owner.id,
    ]);
    await report(owner, 'listing', id);
    for (let n = 0; n < 2; n += 1) await report(await createReporter(app), 'listing', id);
    expect(await statusOf(id)).toBe('active');
  });

  test('reports that moderation has dismissed do not count again', async () => {
    const { id } = await offer();
    const moderator = await app.createUser({ role: 'moderator' });
    for (let n = 0; n < 2; n += 1) await report(await createReporter(app), 'listing', id);
    expect((await app.as(moderator).post(`/api/admin/reports/${id}/decide`, { action: 'dismiss' })).status).toBe(200);
    for (let n = 0; n < 2; n += 1) await report(await createReporter(app), 'listing', id);
    expect(await statusOf(id)).toBe('active');
    await report(await createReporter(app), 'listing', id);
    expect(await statusOf(id)).toBe('flagged');
  });
});
