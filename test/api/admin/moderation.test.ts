import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody, listingBody } from '../../support/listing-bodies.ts';
import { reportUntilHidden } from '../../support/reporters.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let owner: TestUser;
let admin: TestUser;
beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
  owner = await app.createUser({ name: 'Olga Owner' });
  admin = await app.createUser({ role: 'admin' });
});
afterAll(async () => {
  await workers.close();
  await app.close();
});
beforeEach(async () => {
  await app.database.pool.query(`delete from pgboss.job where name = 'send-email'`);
});

const doubtful = { price: { amount: 123_456, currency: 'EUR', negotiable: false } };
async function listingIn(status: string, fields: Parameters<typeof listingBody>[0] = {}) {
  const { body } = await app.as(owner).post('/api/listings', listingBody(fields));
  if (status === 'active' || status === 'flagged') await app.as(owner).post(`/api/listings/${body.id}/publish`);
  if (status === 'flagged') await reportUntilHidden(app, body.id);
  if (!['draft', 'active', 'flagged'].includes(status))
    await app.database.pool.query('update listings set status = $2 where id = $1', [body.id, status]);
  await app.database.pool.query(`delete from pgboss.job where name = 'send-email'`);
  return body as { id: string; slug: string; title: string };
}
const decide = (id: string, decision: 'approve' | 'reject', body?: object) =>
  app.as(admin).post(`/api/admin/listings/${id}/${decision}`, body);
const rowOf = async (id: string) =>
  (await app.database.pool.query('select * from listings where id = $1', [id])).rows[0];
const mailJobs = async () =>
  (
    await app.database.pool.query(
      `select data from pgboss.job where name = 'send-email' and data->>'template' <> 'report-decided'`,
    )
  ).rows.map(({ data }) => data);
const eventsOf = async (id: string) =>
  (
    await app.database.pool.query(
      `select type, previous from events where subject = $1 and type like 'listing.%' order by seq`,
      [id],
    )
  ).rows;

describe('approve', () => {
  test('a draft is published: 200, its owner is mailed, doubts are settled', async () => {
    const { id, slug } = await listingIn('draft', doubtful);
    expect((await rowOf(id)).moderation).toMatchObject({ verdict: 'review' });
    const { status, body } = await decide(slug, 'approve');
    expect({ status, body }).toEqual({
      status: 200,
      body: { id, status: 'active', message: expect.stringContaining('approved') },
    });
    const row = await rowOf(id);
    expect(row).toMatchObject({ status: 'active', moderation: null });
    expect(row.published_at).toEqual(row.updated_at);
    expect(row.expires_at.getTime() - row.published_at.getTime()).toBe(30 * 86_400_000);
    expect((await eventsOf(id)).at(-1)).toEqual({ type: 'listing.published', previous: { status: 'draft' } });
    expect(await mailJobs()).toMatchObject([{ template: 'listing-approved', user_id: owner.id }]);
    expect((await app.as().get(`/api/listings/${id}`)).status).toBe(200);
  });

  test('a flagged listing is public again, where it was among the newest and as long as it would have been', async () => {
    const { id } = await listingIn('flagged');
    const before = await rowOf(id);
    expect((await decide(id, 'approve')).status).toBe(200);
    const after = await rowOf(id);
    expect(after).toMatchObject({ status: 'active', published_at: before.published_at, expires_at: before.expires_at });
    expect((await eventsOf(id)).at(-1)).toEqual({ type: 'listing.updated', previous: { status: 'flagged' } });
  });

  test('what has expired or was sold meanwhile gets 30 days and no trace of the sale', async () => {
    const { id } = await listingIn('flagged');
    await app.database.pool.query(
      `update listings set expires_at = created_at - interval '1 day', sold_at = created_at, sale_price = 1, sale_currency = 'EUR' where id = $1`,
      [id],
    );
    await decide(id, 'approve');
    const row = await rowOf(id);
    expect(row).toMatchObject({ sold_at: null, sale_price: null, sale_currency: null });
    expect(row.expires_at.getTime() - row.updated_at.getTime()).toBe(30 * 86_400_000);
  });

  test('each approval of one listing is a mail of its own', async () => {
    const { id } = await listingIn('flagged');
    await decide(id, 'approve');
    await reportUntilHidden(app, id, 'other');
    await decide(id, 'approve');
    const approvals = (await mailJobs()).filter(({ template }) => template === 'listing-approved');
    expect(new Set(approvals.map(({ message_id }) => message_id)).size).toBe(2);
  });
});

describe('reject', () => {
  test('a flagged listing is deleted softly, and its owner is mailed the reason, wanted or not', async () => {
    const { id, title } = await listingIn('flagged');
    await app.database.pool.query('update users set email_notifications = false where id = $1', [owner.id]);
    const { status, body } = await decide(id, 'reject', { reason: 'The <hull> number is on a list.\nSorry.' });
    expect({ status, body }).toEqual({ status: 200, body: { id, status: 'deleted', message: expect.any(String) } });
    const row = await rowOf(id);
    expect(row).toMatchObject({ status: 'deleted', deleted_at: row.updated_at });
    expect((await eventsOf(id)).at(-1)).toEqual({ type: 'listing.deleted', previous: { status: 'flagged' } });
    const [job] = await mailJobs();
    expect(job).toMatchObject({ template: 'listing-rejected', user_id: owner.id });
    expect(JSON.stringify(job)).not.toContain(owner.email);
    const sent = (await workers.work('send-email')).map(({ output }) => output);
    expect(sent).toContainEqual({ sent: 'listing-rejected' });
    expect(job.data).toEqual({
      title,
      reason: 'The <hull> number is on a list.\nSorry.',
      notice_id: expect.stringMatching(/^ntc_/),
    });
    await app.database.pool.query('update users set email_notifications = true where id = $1', [owner.id]);
    expect((await app.as(owner).get(`/api/listings/${id}`)).status).toBe(404);
    expect((await app.as(admin).get(`/api/listings/${id}`)).body.moderation).toEqual({
      verdict: 'reject',
      reasons: [{ code: 'rejected', message: 'The <hull> number is on a list.\nSorry.' }],
    });
  });

  test('a draft, without a reason and without a body', async () => {
    const [one, two] = [await listingIn('draft'), await listingIn('draft')];
    expect((await decide(one.id, 'reject', {})).status).toBe(200);
    expect((await decide(two.slug, 'reject')).status).toBe(200);
    expect(await workers.work('send-email')).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  });

  test('400 for an empty or too long reason', async () => {
    const { id } = await listingIn('draft');
    for (const reason of ['', ' ', 'x'.repeat(501), 7, null])
      expect((await decide(id, 'reject', { reason })).status).toBe(400);
    expect((await rowOf(id)).status).toBe('draft');
  });
});

test('a reported listing that is paused stays so: the reports are dismissed, and the answer says no more than that', async () => {
  const { id } = await listingIn('active');
  await app.as(await app.createUser()).post(`/api/listings/${id}/flag`, { reason: 'spam' });
  await app.database.pool.query(`update listings set status = 'paused' where id = $1`, [id]);
  const { status, body } = await decide(id, 'approve');
  expect({ status, body }).toEqual({
    status: 200,
    body: { id, status: 'paused', message: expect.stringContaining('dismissed') },
  });
  expect((await rowOf(id)).status).toBe('paused');
});

describe('both', () => {
  test.each(['active', 'paused', 'sold', 'expired', 'deleted'])('409 when the listing is %s', async (status) => {
    const { id } = await listingIn(status);
    for (const decision of ['approve', 'reject'] as const) {
      const reply = await decide(id, decision);
      expect({ status: reply.status, code: reply.body.error.code }).toEqual({ status: 409, code: 'conflict' });
    }
    expect(await mailJobs()).toEqual([]);
  });

  test('404 for an unknown listing', async () => {
    for (const name of ['no-such-listing', 'lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2'])
      for (const decision of ['approve', 'reject'] as const) expect((await decide(name, decision)).status).toBe(404);
  });

  test('20 decisions at once: one is taken, the others are 409, one event and one mail', async () => {
    const { id } = await listingIn('flagged');
    const before = (await eventsOf(id)).length;
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => decide(id, index % 2 === 0 ? 'approve' : 'reject')),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(19).fill(409)]);
    expect((await eventsOf(id)).length).toBe(before + 1);
    const mails = await mailJobs();
    expect(mails).toHaveLength(1);
    const { status } = await rowOf(id);
    expect(mails[0].template).toBe(status === 'active' ? 'listing-approved' : 'listing-rejected');
  });

  test('the general profile mails rejections only', async () => {
    const general = await startApp({ profile: 'general' });
    try {
      const [seller, boss] = [await general.createUser(), await general.createUser({ role: 'admin' })];
      const drafts = [];
      for (let count = 0; count < 2; count += 1)
        drafts.push((await general.as(seller).post('/api/listings', listingBody({ category_id: 'boats' }))).body.id);
      expect((await general.as(boss).post(`/api/admin/listings/${drafts[0]}/approve`)).status).toBe(200);
      expect((await general.as(boss).post(`/api/admin/listings/${drafts[1]}/reject`)).status).toBe(200);
      const { rows } = await general.database.pool.query(`select data from pgboss.job where name = 'send-email'`);
      expect(rows.map(({ data }) => data.template)).toEqual(['listing-rejected']);
    } finally {
      await general.close();
    }
  });
});

describe('the validation queue', () => {
  const queue = async (query = '') => (await app.as(admin).get(`/api/admin/validation-queue${query}`)).body;
  beforeEach(() => app.database.pool.query(`update listings set moderation = null`));

  test('holds doubtful drafts and active listings and nothing else, the longest waiting first', async () => {
    const draft = await listingIn('draft', doubtful);
    const active = await listingIn('active', doubtful);
    await listingIn('flagged', doubtful);
    await listingIn('paused', doubtful);
    await listingIn('deleted', doubtful);
    await listingIn('active');
    const { results, pagination } = await queue();
    expect(results).toMatchObject([
      { listing: { id: draft.id, status: 'draft', seller: { name: 'Olga Owner' } }, since: expect.any(String) },
      { listing: { id: active.id, status: 'active' } },
    ]);
    expect(results[0].reasons).toEqual([{ code: 'placeholder_price', message: expect.any(String) }]);
    expect(results[0].since <= results[1].since).toBe(true);
    expect(pagination).toEqual({ page: 1, limit: 20, total: 2, pages: 1 });
    expect((await queue('?page=2&limit=1')).results).toMatchObject([{ listing: { id: active.id } }]);
    expect((await queue('?page=9')).results).toEqual([]);
  });

  test('lets go of what is approved, or edited into a text without doubts, and takes what is edited into doubt', async () => {
    const [approved, edited, spoilt] = [
      await listingIn('draft', doubtful),
      await listingIn('active', doubtful),
      await listingIn('active'),
    ];
    await decide(approved.id, 'approve');
    await app
      .as(owner)
      .put(`/api/listings/${edited.id}`, { price: { amount: 89_000, currency: 'EUR', negotiable: false } });
    await app.as(owner).put(`/api/listings/${spoilt.id}`, doubtful);
    expect((await queue()).results).toMatchObject([{ listing: { id: spoilt.id } }]);
  });

  test('takes scraped drafts that their owner publishes, one by one or in bulk', async () => {
    const records = [1, 2].map(() => ingestBody({ price: { amount: 999_999, currency: 'EUR' } }));
    const { body } = await app.as(owner).post('/api/ingest', { records });
    const [one, two] = records.map(({ url }) => body.ids[url]);
    await app.as(owner).post(`/api/listings/${one}/publish`);
    await app.as(owner).post('/api/ingest/publish-bulk', { ids: [two] });
    const { results } = await queue();
    expect(new Set(results.map(({ listing }: { listing: { id: string } }) => listing.id))).toEqual(new Set([one, two]));
  });
});

test('reported listings come with who reported them and why, the one reported last first', async () => {
  await app.database.pool.query(`delete from flags; update listings set status = 'active' where status = 'flagged'`);
  const [first, second] = [await listingIn('active'), await listingIn('active')];
  const [anna, bert] = [await app.createUser({ name: 'Anna' }), await app.createUser({ name: 'Bert' })];
  await app.as(anna).post(`/api/listings/${second.id}/flag`, { reason: 'illegal' });
  await app.as(anna).post(`/api/listings/${first.id}/flag`, { reason: 'spam', description: 'Again and again.' });
  await app.as(bert).post(`/api/listings/${first.id}/flag`, { reason: 'duplicate' });
  const { body } = await app.as(admin).get('/api/admin/flagged');
  expect(body.pagination).toEqual({ page: 1, limit: 20, total: 2, pages: 1 });
  expect(body.results).toMatchObject([
    {
      listing: { id: first.id, status: 'active', title: first.title },
      count: 2,
      flags: [
        { reason: 'duplicate', description: null, reporter: { id: bert.id, name: 'Bert' } },
        { reason: 'spam', description: 'Again and again.', reporter: { id: anna.id, name: 'Anna' } },
      ],
    },
    { listing: { id: second.id }, count: 1 },
  ]);
  expect((await app.as(admin).get('/api/admin/flagged?page=2&limit=1')).body.results).toMatchObject([
    { listing: { id: second.id } },
  ]);
  expect(JSON.stringify(body)).not.toContain('@');
});

describe('what moderation doubts about a listing', () => {
  test('is told to its owner and to administrators, in the detail, and to nobody else', async () => {
    const { id } = await listingIn('active', doubtful);
    const moderation = {
      verdict: 'review',
      reasons: [{ code: 'placeholder_price', message: 'The price looks like a placeholder.' }],
    };
    const path = `/api/listings/${id}`;
    expect((await app.as(owner).get(path)).body.moderation).toEqual(moderation);
    expect((await app.as(admin).get(path)).body.moderation).toEqual(moderation);
    for (const who of [undefined, undefined, await app.createUser()]) {
      expect((await app.as(who).get(path)).body).not.toHaveProperty('moderation');
      expect((await app.as(who).get(`${path}.md`)).text).not.toContain('placeholder');
    }
    const list = await app.as(owner).get('/api/listings?limit=100');
    expect(list.text).not.toContain('placeholder');
    expect((await app.as(owner).put(path, { tags: ['bluewater'] })).body.moderation).toEqual(moderation);
  });

  test('is told by the answer to create too, and is absent where there are no doubts', async () => {
    const created = await app.as(owner).post('/api/listings', listingBody(doubtful));
    expect(created.body.moderation).toMatchObject({ verdict: 'review' });
    expect((await app.as(owner).post('/api/listings', listingBody())).body).not.toHaveProperty('moderation');
  });
});
