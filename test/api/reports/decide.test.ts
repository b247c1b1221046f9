import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { createConversation } from '../../support/recipes/conversations.ts';
import { createReview } from '../../support/recipes/reviews.ts';
import { reportUntilHidden } from '../../support/reporters.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

const profiles = ['nautical', 'general'] as const;
const apps = new Map<(typeof profiles)[number], { app: TestApp; workers: TestWorkers }>();
beforeAll(async () => {
  for (const profile of profiles) {
    const app = await startApp({ profile });
    apps.set(profile, { app, workers: await startWorkers(app) });
  }
});
afterAll(async () => {
  for (const { app, workers } of apps.values()) {
    await workers.close();
    await app.close();
  }
});

const facts = 'The photos are those of another boat.';

describe.each(profiles)('in the %s profile', (profile) => {
  let app: TestApp;
  let workers: TestWorkers;
  let owner: TestUser;
  let reader: TestUser;
  let moderator: TestUser;
  let admin: TestUser;
  beforeAll(async () => {
    ({ app, workers } = apps.get(profile)!);
    [owner, reader] = [await app.createUser({ name: 'Olga Owner' }), await app.createUser({ name: 'Rita Reader' })];
    [moderator, admin] = [await app.createUser({ role: 'moderator' }), await app.createUser({ role: 'admin' })];
  });

  const offer = async (who = owner): Promise<{ id: string; slug: string; title: string }> => {
    const category_id = profile === 'nautical' ? 'cruising' : 'boats';
    const { body } = await app
      .as(who)
      .post('/api/listings', listingBody({ category_id, title: `A boat ${newId('listing')}` }));
    await app.as(who).post(`/api/listings/${body.id}/publish`);
    return body;
  };
  const report = (subject_type: string, subject_id: string, who = reader) =>
    app.as(who).post('/api/reports', { subject_type, subject_id, reason: 'fraud', text: 'Pay first?' });
  const decide = (id: string, body: object, who = moderator) =>
    app.as(who).post(`/api/admin/reports/${id}/decide`, body);
  const newestNotice = async (who = owner) => (await app.as(who).get('/api/me/notices')).body.results[0];
  const newestReport = async () => (await app.as(reader).get('/api/me/reports')).body.results[0];
  const statusOf = async (id: string) => (await app.as(admin).get(`/api/listings/${id}`)).body.status;
  const mailsOf = async (template: string, who: TestUser): Promise<number> => {
    const { rows } = await app.database.pool.query<{ n: number }>(
      `select count(*)::int as n from pgboss.job where name = 'send-email' and data->>'template' = $1 and data->>'user_id' = $2`,
      [template, who.id],
    );
    return rows[0]!.n;
  };
  const reportedMessage = async () => {
    const conversation = await createConversation(app.services, reader, owner);
    const { rows } = await app.database.pool.query<{ id: string }>(
      'select id from messages where conversation_id = $1 and sender_id = $2',
      [conversation, owner.id],
    );
    await report('message', rows[0]!.id);
    return { conversation, message: rows[0]!.id };
  };

  test('what is reported is listed once, most reported first, with its reasons; decided, it is among the decisions', async () => {
    const [one, two] = [await offer(), await offer()];
    await report('listing', one.id);
    await report('listing', two.id);
    await report('listing', two.id, await app.createUser());
    const open = async () => (await app.as(moderator).get('/api/admin/reports?subject_type=listing')).body.results;
    const found = (await open()).filter(({ subject }: { subject: { id: string } }) =>
      [one.id, two.id].includes(subject.id),
    );
    expect(found).toMatchObject([
      {
        subject: { id: two.id, owner: { id: owner.id, name: 'Olga Owner' } },
        count: 2,
        reasons: { fraud: 2 },
        decision: null,
      },
      { subject: { id: one.id, title: one.title, slug: one.slug, status: 'active' }, count: 1 },
    ]);
    expect((await decide(two.id, { action: 'dismiss', note: 'Looks fine.' })).body).toMatchObject({
      status: 'decided',
    });
    expect((await decide(one.id, { action: 'dismiss' })).status).toBe(200);
    expect((await open()).map(({ subject }: { subject: { id: string } }) => subject.id)).not.toContain(two.id);
    const { body } = await app.as(moderator).get('/api/admin/reports?state=decided&limit=2');
    expect(body.results).toMatchObject([
      { subject: { id: one.id }, count: 1, decision: { action: 'dismiss', decided_by: moderator.id } },
      { subject: { id: two.id }, count: 2 },
    ]);
    expect(await newestReport()).toMatchObject({
      status: 'decided',
      outcome: 'no_action',
      decided_at: expect.any(String),
    });
    const detail = (await app.as(moderator).get(`/api/admin/reports/${two.id}`)).body;
    expect(detail).toMatchObject({ reports: [{ text: 'Pay first?' }, {}], decisions: [{ note: 'Looks fine.' }] });
  });

  test('hiding a listing takes it off the lists, and tells its owner facts, ground and how to appeal', async () => {
    const { id, title } = await offer();
    await report('listing', id);
    expect((await decide(id, { action: 'hide' })).status).toBe(400);
    const reasons = { ground: 'law', rule: 'illegal', facts, explanation: 'Section 263 of the criminal code.' };
    expect((await decide(id, { action: 'hide', ...reasons })).status).toBe(200);
    expect(await statusOf(id)).toBe('flagged');
    expect(await newestNotice()).toMatchObject({
      subject: { type: 'listing', id, title },
      restriction: 'listing_hidden',
      ground: 'law',
      rule: 'illegal',
      automated: { detection: false, decision: false },
      statement: { facts, explanation: 'Section 263 of the criminal code.' },
      can_appeal: true,
    });
    expect(await newestReport()).toMatchObject({ outcome: 'acted' });
    expect(await mailsOf('report-decided', reader)).toBeGreaterThan(0);
    expect((await workers.work('send-email')).filter(({ status }) => status !== 'completed')).toEqual([]);
  });

  test('removing a listing, by a report or by rejecting it, settles its reports and gives the reasons', async () => {
    for (const remove of [
      (id: string) => decide(id, { action: 'remove', facts }),
      (id: string) => app.as(moderator).post(`/api/admin/listings/${id}/reject`, { reason: facts }),
    ]) {
      const { id } = await offer();
      await report('listing', id);
      expect((await remove(id)).status).toBe(200);
      expect(await statusOf(id)).toBe('deleted');
      expect(await newestNotice()).toMatchObject({
        subject: { id },
        restriction: 'listing_removed',
        statement: { facts },
      });
      expect(await newestReport()).toMatchObject({ subject: { id }, outcome: 'acted' });
      expect((await decide(id, { action: 'dismiss' })).status).toBe(409);
    }
  });

  test('approving a reported listing that is on show dismisses the reports, and it stays as it was', async () => {
    const { id } = await offer();
    await report('listing', id);
    expect((await app.as(moderator).post(`/api/admin/listings/${id}/approve`)).status).toBe(200);
    expect(await statusOf(id)).toBe('active');
    expect(await newestReport()).toMatchObject({ subject: { id }, outcome: 'no_action' });
    expect((await app.as(moderator).post(`/api/admin/listings/${id}/approve`)).status).toBe(409);
  });

  test('dismissing what reports have hidden brings it back as it was, and its notice is over', async () => {
    const { id } = await offer();
    expect((await reportUntilHidden(app, id)).body.listing_status).toBe('flagged');
    expect((await decide(id, { action: 'dismiss' })).status).toBe(200);
    expect(await statusOf(id)).toBe('active');
    expect(await newestNotice()).toMatchObject({ subject: { id }, lifted_at: expect.any(String), can_appeal: false });
  });

  test('a removed review is shown and counted no more; a removed message loses its words for both', async () => {
    const seller = await app.createUser();
    const { id, reviewId } = await createReview(app.services, seller);
    await report('review', reviewId);
    expect((await app.as().get(`/api/users/${seller.id}/rating`)).body.total_reviews).toBe(1);
    expect((await decide(reviewId, { action: 'remove', facts })).status).toBe(200);
    expect((await app.as().get(`/api/users/${seller.id}/rating`)).body.total_reviews).toBe(0);
    expect((await app.as().get(`/api/listings/${id}/reviews`)).body).toMatchObject({
      results: [],
      pagination: { total: 0 },
    });

    const { conversation, message } = await reportedMessage();
    const read = async (who: TestUser) =>
      (await app.as(who).get(`/api/conversations/${conversation}`)).body.messages.results.find(
        (each: { id: string }) => each.id === message,
      );
    expect(await read(owner)).not.toHaveProperty('removed');
    expect((await decide(message, { action: 'remove', facts })).status).toBe(200);
    for (const who of [owner, reader]) expect(await read(who)).toMatchObject({ content: '', removed: true });
    expect(await newestNotice()).toMatchObject({ restriction: 'message_removed', subject: { type: 'message' } });
  });

  test('moderators read the messages around a reported one, and none that nobody has reported', async () => {
    const { conversation, message } = await reportedMessage();
    const { body } = await app.as(moderator).get(`/api/admin/reports/${message}`);
    expect(body.context).toHaveLength(2);
    expect(body.subject).toMatchObject({ type: 'message', id: message, owner: { id: owner.id } });
    const { rows } = await app.database.pool.query<{ id: string }>(
      'select id from messages where conversation_id = $1 and id <> $2',
      [conversation, message],
    );
    expect((await app.as(moderator).get(`/api/admin/reports/${rows[0]!.id}`)).status).toBe(404);
    const { body: audit } = await app.as(admin).get(`/api/admin/audit?actor=${moderator.id}&action=getReportedSubject`);
    expect(audit.results[0]).toMatchObject({ subject: message });
  });

  test('a warning is a notice that restricts nothing; a decision and its audit entry are told of a moderator', async () => {
    await report('user', owner.id);
    expect((await decide(owner.id, { action: 'remove', facts })).status).toBe(400);
    expect((await decide(owner.id, { action: 'warn', facts })).status).toBe(200);
    expect(await newestNotice()).toMatchObject({ restriction: 'warning', subject: { type: 'user', id: owner.id } });
    const { body: audit } = await app.as(admin).get(`/api/admin/audit?actor=${moderator.id}&action=decideReport`);
    expect(audit.results[0]).toMatchObject({ subject: owner.id });
  });

  test('of ten decisions at once one succeeds, and one notice is given', async () => {
    const { id } = await offer();
    await report('listing', id);
    const replies = await Promise.all(Array.from({ length: 10 }, () => decide(id, { action: 'hide', facts })));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(9).fill(409)]);
    const { rows } = await app.database.pool.query('select count(*)::int as n from notices where subject_id = $1', [
      id,
    ]);
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('moderators propose a suspension, administrators carry it out; the account is restored with a mail', async () => {
    const fraud = await app.createUser();
    const { id } = await offer(fraud);
    await report('listing', id);
    expect((await decide(id, { action: 'suspend', facts })).status).toBe(403);
    expect((await decide(id, { action: 'propose_suspension', note: 'Third time.' })).body.status).toBe('open');
    const { body } = await app.as(admin).get('/api/admin/reports?subject_type=listing&limit=100');
    expect(body.results.find((each: { subject: { id: string } }) => each.subject.id === id)).toMatchObject({
      proposed: true,
    });
    expect((await decide(id, { action: 'suspend', facts }, admin)).status).toBe(200);
    expect((await app.as(fraud).get('/api/me')).status).toBe(401);
    expect((await app.as(admin).post(`/api/admin/users/${fraud.id}/unsuspend`)).status).toBe(200);
    expect(await mailsOf('account-suspended', fraud)).toBe(1);
    expect(await mailsOf('account-restored', fraud)).toBe(1);
    expect(await newestNotice(await signIn(fraud))).toMatchObject({
      restriction: 'account_suspended',
      lifted_at: expect.any(String),
      can_appeal: false,
      statement: { facts },
    });
  });

  /** The sessions of before a suspension have ended. */
  async function signIn(user: TestUser): Promise<TestUser> {
    const { rows } = await app.database.pool.query<{ session_epoch: number }>(
      'select session_epoch from users where id = $1',
      [user.id],
    );
    const epoch = Number(rows[0]!.session_epoch);
    return { ...user, token: await app.services.tokens.sign({ id: user.id, role: 'user', session_epoch: epoch }) };
  }

  test('the administration of reports is closed to users, and unknown things are 404', async () => {
    expect((await app.as(reader).get('/api/admin/reports')).status).toBe(403);
    expect((await app.as(reader).get('/api/admin/appeals')).status).toBe(403);
    for (const id of ['lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2', 'nothing', (await offer()).id])
      expect((await app.as(moderator).get(`/api/admin/reports/${id}`)).status).toBe(404);
    expect((await decide('nothing', { action: 'dismiss' })).status).toBe(404);
  });

  describe('appeals', () => {
    const hidden = async (by = moderator) => {
      const { id } = await offer();
      await report('listing', id, await app.createUser());
      await decide(id, { action: 'hide', facts }, by);
      return id;
    };
    const appeal = (id: string, who = owner) =>
      app.as(who).post(`/api/listings/${id}/appeal`, { text: 'The boat is mine.' });
    const decideAppeal = (id: string, outcome: string, who: TestUser) =>
      app.as(who).post(`/api/admin/appeals/${id}/decide`, { outcome, answer: 'We have looked again.' });

    test('the owner appeals once; somebody else than who decided grants it, and the listing is back', async () => {
      const id = await hidden();
      expect((await appeal(id, reader)).status).toBe(403);
      const { status, body } = await appeal(id);
      expect(status).toBe(202);
      expect((await appeal(id)).body.error.details).toMatchObject({ reason: 'already_appealed' });
      const { body: open } = await app.as(moderator).get('/api/admin/appeals?limit=100');
      expect(open.results.at(-1)).toMatchObject({
        id: body.id,
        user: { id: owner.id },
        notice_decided_by: moderator.id,
      });
      expect((await decideAppeal(body.id, 'granted', moderator)).status).toBe(403);
      expect((await decideAppeal(body.id, 'granted', admin)).status).toBe(200);
      expect((await decideAppeal(body.id, 'refused', admin)).status).toBe(409);
      expect(await statusOf(id)).toBe('active');
      expect(await newestNotice()).toMatchObject({
        lifted_at: expect.any(String),
        appeal: { outcome: 'granted', answer: 'We have looked again.' },
      });
      expect(await mailsOf('appeal-decided', owner)).toBeGreaterThan(0);
      expect((await appeal(id)).status).toBe(409);
    });

    test('a removed listing comes back too, what was hidden before it on show; a refused appeal changes nothing', async () => {
      const removed = await offer();
      await reportUntilHidden(app, removed.id);
      await decide(removed.id, { action: 'remove', facts });
      const { body } = await appeal(removed.id);
      expect((await decideAppeal(body.id, 'granted', admin)).status).toBe(200);
      expect(await statusOf(removed.id)).toBe('active');
      const kept = await hidden();
      expect((await decideAppeal((await appeal(kept)).body.id, 'refused', admin)).status).toBe(200);
      expect(await statusOf(kept)).toBe('flagged');
      expect(await newestNotice()).toMatchObject({
        lifted_at: null,
        can_appeal: false,
        appeal: { outcome: 'refused' },
      });
    });

    test('reviews and messages come back when an appeal by their notice is granted', async () => {
      const { conversation, message } = await reportedMessage();
      await decide(message, { action: 'remove', facts });
      const { id: notice } = await newestNotice();
      const appealed = (who: TestUser) =>
        app.as(who).post(`/api/me/notices/${notice}/appeal`, { text: 'It was a joke.' });
      expect((await appealed(reader)).status).toBe(404);
      const { body } = await appealed(owner);
      expect((await decideAppeal(body.id, 'granted', admin)).status).toBe(200);
      const { body: read } = await app.as(reader).get(`/api/conversations/${conversation}`);
      expect(read.messages.results.find((each: { id: string }) => each.id === message).content).not.toBe('');
    });

    test('of ten appeals at once one is kept, and of ten decisions one is made', async () => {
      const id = await hidden();
      const appeals = await Promise.all(Array.from({ length: 10 }, () => appeal(id)));
      expect(appeals.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, ...Array(9).fill(409)]);
      const { id: stored } = appeals.find(({ status }) => status === 202)!.body;
      const decisions = await Promise.all(Array.from({ length: 10 }, () => decideAppeal(stored, 'granted', admin)));
      expect(decisions.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(9).fill(409)]);
    });

    test('nothing is appealed that moderation does not restrict, and nobody appeals in another’s name', async () => {
      const { id } = await offer();
      expect((await appeal(id)).status).toBe(409);
      expect((await appeal('lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2')).status).toBe(404);
      expect((await app.as(owner).post(`/api/listings/${id}/appeal`, { text: ' ' })).status).toBe(400);
    });
  });
});

test('who alone could decide about an appeal decides also about a decision of their own', async () => {
  const app = await startApp({ profile: 'general' });
  const [owner, reader] = [await app.createUser(), await app.createUser()];
  const admin = await app.createUser({ role: 'admin' });
  const { body: listing } = await app.as(owner).post('/api/listings', listingBody({ category_id: 'boats' }));
  await app.as(owner).post(`/api/listings/${listing.id}/publish`);
  await app.as(reader).post(`/api/listings/${listing.id}/flag`, { reason: 'fraud' });
  await app.as(admin).post(`/api/admin/reports/${listing.id}/decide`, { action: 'hide', facts });
  const { body: appeal } = await app.as(owner).post(`/api/listings/${listing.id}/appeal`, { text: 'It is mine.' });
  const decide = () => app.as(admin).post(`/api/admin/appeals/${appeal.id}/decide`, { outcome: 'granted' });
  const other = await app.createUser({ role: 'moderator' });
  expect((await decide()).status).toBe(403);
  await app.as(admin).post(`/api/admin/users/${other.id}/role`, { role: 'user' });
  expect((await decide()).status).toBe(200);
  await app.close();
});
