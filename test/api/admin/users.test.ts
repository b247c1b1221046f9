import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { createPerson, password } from '../../support/openapi-cases-things.ts';
import { codeOf, createPasskeyOf } from '../../support/recipes/sign-in.ts';
import { offer } from '../../support/dedup-groups.ts';
import { startWorkers } from '../../support/workers.ts';

let app: TestApp;
let admin: TestUser;
beforeAll(async () => {
  app = await startApp();
  admin = await app.createUser({ role: 'admin', name: 'Ada Admin', email: 'ada@example.com' });
});
afterAll(() => app.close());

const find = async (query: string): Promise<string[]> => {
  const { status, body, text } = await app.as(admin).get(`/api/admin/users?${query}`);
  expect(status, text).toBe(200);
  return body.results.map(({ id }: { id: string }) => id);
};
const act = (user: Pick<TestUser, 'id'>, what: string, body?: object) =>
  app.as(admin).post(`/api/admin/users/${user.id}/${what}`, body);

describe('the list of accounts', () => {
  test('is searched by any part of a name, an address or an id, in any letter case', async () => {
    const user = await app.createUser({ name: 'Zoë Quintessa_50%', email: 'zq.boats@harbour.example' });
    for (const q of ['quintessa', 'QUINT', 'q.boats@harb', user.id, user.id.slice(5).toLowerCase(), 'sa_50%', 'ZO'])
      expect(await find(`q=${encodeURIComponent(q)}`)).toContain(user.id);
    for (const q of ['quintessax', 'sa_51', 'uin%te', 'QU__', 'oz'])
      expect(await find(`q=${encodeURIComponent(q)}`)).not.toContain(user.id);
  });

  test('is filtered by role and status, newest first, and pages go on from a cursor', async () => {
    const users: TestUser[] = [];
    for (let n = 0; n < 5; n += 1) users.push(await app.createUser({ name: `Paged ${n}` }));
    await act(users[0]!, 'role', { role: 'moderator' });
    await act(users[1]!, 'suspend', { reason: 'For the tests.' });
    expect(await find('role=moderator')).toEqual([users[0]!.id]);
    expect(await find('status=suspended')).toEqual([users[1]!.id]);
    expect(await find('role=admin&status=active')).toEqual([admin.id]);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await app.as(admin).get(`/api/admin/users?q=paged&limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...body.results.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor as string | null;
    } while (cursor !== null);
    expect(seen).toEqual(users.map(({ id }) => id).toReversed());
  });

  test('answers 400 to a cursor that is none of its own', async () => {
    for (const cursor of [
      'bm9wZQ',
      'WzEsMl0',
      Buffer.from('["2027-13-45T99:99:99.000000Z","x"]').toString('base64url'),
    ])
      expect((await app.as(admin).get(`/api/admin/users?cursor=${cursor}`)).status).toBe(400);
  });
});

test('the detail has listings, reports, counts, payments and the last activity; 404 for nobody', async () => {
  const seller = await app.createUser();
  const { id } = await offer(app, seller);
  await app.as(await app.createUser()).post(`/api/listings/${id}/flag`, { reason: 'fraud', description: 'Not hers.' });
  const paid = await offer(app, seller);
  const { body: checkout } = await app
    .as(seller)
    .post(`/api/listings/${paid.id}/premium/checkout`, { plan: 'featured', duration: 7 });
  await app.as().post(`/api/payments/stub/${checkout.session_id}`);
  await app.as(seller).post('/api/api-keys', { name: 'Listing agent' });
  await app.as(seller).get('/api/me/sessions');
  const { status, body, text } = await app.as(admin).get(`/api/admin/users/${seller.id}`);
  expect(status).toBe(200);
  expect(text).not.toContain('key_hash');
  expect(body).toMatchObject({
    account: { id: seller.id, role: 'user', status: 'active' },
    listings: { by_status: { active: 2 }, newest: [{ id: paid.id }, { id }] },
    flags: [{ listing_id: id, reason: 'fraud', description: 'Not hers.' }],
    second_factors: { app: false, passkeys: 0 },
    sessions: [{ second_factor: false }],
    api_keys: [{ label: 'Listing agent', permissions: 'write', last_used_at: null }],
    flags_made: [],
    counts: { flags_received: 1, flags_made: 0, api_keys: 1 },
    payments: [{ currency: 'EUR', count: 1, amount_cents: 1_900 }],
    suspensions: [],
  });
  expect(body.last_activity_at).not.toBeNull();
  expect(body.history).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'listing.published',
        subject: id,
        actor: { id: seller.id, name: expect.any(String) },
      }),
    ]),
  );
  expect((await app.as(admin).get('/api/admin/users/usr_nobody')).status).toBe(404);
});

test('the detail has every report of the person, of their listings, reviews and messages, and those that they have made', async () => {
  const [person, other] = [await app.createUser({ name: 'Vera' }), await app.createUser({ name: 'Otto' })];
  const theirs = await offer(app, other);
  const { body: chat } = await app.as(person).post('/api/conversations', { listing_id: theirs.id, message: 'Fool!' });
  await app.as(other).post(`/api/listings/${theirs.id}/mark-sold`, { buyer_id: person.id });
  const { body: review } = await app
    .as(person)
    .post(`/api/listings/${theirs.id}/reviews`, { rating: 1, comment: 'Bad.' });
  const own = await offer(app, person);
  const subjects = { user: person.id, listing: own.id, review: review.id, message: chat.message.id };
  for (const [subject_type, subject_id] of Object.entries(subjects)) {
    const report = { subject_type, subject_id, reason: 'fraud', text: `About the ${subject_type}.` };
    expect((await app.as(other).post('/api/reports', report)).status).toBe(202);
  }
  const detailOf = async ({ id }: TestUser) => (await app.as(admin).get(`/api/admin/users/${id}`)).body;
  const { reports, flags, counts } = await detailOf(person);
  expect(reports.received).toMatchObject([
    {
      subject: { type: 'message', id: subjects.message, title: theirs.title },
      reporter: { id: other.id, name: 'Otto' },
    },
    { subject: { type: 'review', id: subjects.review, title: theirs.title }, text: 'About the review.' },
    { subject: { type: 'listing', id: subjects.listing, title: own.title }, reason: 'fraud' },
    { subject: { type: 'user', id: subjects.user, title: 'Vera' }, status: 'open' },
  ]);
  expect(flags).toMatchObject([{ listing_id: own.id }]);
  expect(counts).toMatchObject({ reports_received: 4, flags_received: 1, flags_made: 0 });
  const by = await detailOf(other);
  expect(by.reports.made.map(({ subject }: { subject: { type: string } }) => subject.type)).toEqual([
    'message',
    'review',
    'listing',
    'user',
  ]);
  await app.as(admin).post(`/api/admin/reports/${person.id}/decide`, { action: 'dismiss' });
  expect((await detailOf(person)).reports.received.at(-1)).toMatchObject({ status: 'decided' });
});

describe('what is done to an account', () => {
  test('a role is in force with the next request, on every process, and ends as quickly', async () => {
    const twin = await app.twin();
    const user = await app.createUser();
    const moderate = () => twin.as(user).get('/api/admin/flagged');
    const administer = () => twin.as(user).get('/api/admin/users');
    const statuses = async () => [(await moderate()).status, (await administer()).status];
    expect(await statuses()).toEqual([403, 403]);
    await act(user, 'role', { role: 'moderator' });
    expect(await statuses()).toEqual([200, 403]);
    await act(user, 'role', { role: 'admin' });
    expect(await statuses()).toEqual([200, 200]);
    expect((await act(user, 'role', { role: 'user' })).body.role).toBe('user');
    expect(await statuses()).toEqual([403, 403]);
    await twin.close();
  });

  test('logging out ends the sessions, and keys when asked to; a suspension ends what is listed of them too', async () => {
    const user = await app.createUser();
    const sessionsOf = async ({ id }: TestUser) => (await app.as(admin).get(`/api/admin/users/${id}`)).body.sessions;
    const other = await app.createUser();
    for (const each of [user, other]) await app.as(each).get('/api/me/sessions');
    expect([await sessionsOf(user), await sessionsOf(other)]).toMatchObject([[{}], [{}]]);
    const { body } = await app.as(user).post('/api/api-keys', { name: 'agent' });
    expect((await act(user, 'logout')).status).toBe(200);
    await act(other, 'suspend', { reason: 'For the tests.' });
    expect([await sessionsOf(user), await sessionsOf(other)]).toEqual([[], []]);
    expect((await app.as(user).get('/api/me')).status).toBe(401);
    expect((await app.as(body.key).get('/api/me')).status).toBe(200);
    await act(user, 'logout', { keys: true });
    expect((await app.as(body.key).get('/api/me')).status).toBe(401);
  });

  test('lost second factors are removed: sessions end, the owner is told, and the password alone opens the account; 409 without any', async () => {
    const workers = await startWorkers(app);
    await workers.take('send-email');
    const user = await createPerson(app.services, 'user');
    await createPasskeyOf(app.services, user);
    const { body: totp } = await app.as(user.token).post('/api/me/totp');
    const code = codeOf(totp.secret, app.services.clock.now());
    expect((await app.as(user.token).post('/api/me/totp/confirm', { code })).status).toBe(200);
    await workers.take('send-email');
    const factors = async () => (await app.as(admin).get(`/api/admin/users/${user.id}`)).body.second_factors;
    expect(await factors()).toEqual({ app: true, passkeys: 1 });

    expect((await act(user, 'reset-second-factors')).status).toBe(200);
    expect(await factors()).toEqual({ app: false, passkeys: 0 });
    expect((await app.as(user.token).get('/api/me')).status).toBe(401);
    expect((await app.as().post('/api/auth/login', { email: user.email, password })).status).toBe(200);
    expect((await workers.work('send-email')).map(({ output }) => output)).toContainEqual({
      sent: 'second-factors-reset',
    });
    expect((await act(user, 'reset-second-factors')).status).toBe(409);
    const { body: log } = await app.as(admin).get(`/api/admin/audit?subject=${user.id}&action=resetSecondFactors`);
    expect(log.results).toMatchObject([{ actor: admin.id, subject: user.id }]);
    await workers.close();
  });

  test('an address is taken for proved, once and again', async () => {
    const user = await app.createUser({ verified: false });
    expect((await act(user, 'verify-email')).body.verified).toBe(true);
    expect((await act(user, 'verify-email')).body.verified).toBe(true);
    expect((await app.as(user).get('/api/me')).body.user.verified).toBe(true);
  });

  test('a link to sign in goes to the owner alone; 409 for one who is suspended', async () => {
    const workers = await startWorkers(app);
    await workers.take('send-email');
    const user = await app.createUser();
    const { status, text } = await act(user, 'sign-in-link');
    expect([status, text.includes('token')]).toEqual([202, false]);
    await workers.work('mail-account-link');
    expect((await workers.work('send-email')).map(({ output }) => output)).toEqual([{ sent: 'magic-link' }]);
    await act(user, 'suspend', { reason: 'For the tests.' });
    expect((await act(user, 'sign-in-link')).status).toBe(409);
    await workers.close();
  });
});

test('one knows one’s own role', async () => {
  const moderator = await app.createUser({ role: 'moderator' });
  expect((await app.as(moderator).get('/api/me')).body.user.role).toBe('moderator');
});
