import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { purgeOldRows } from '../../../workers/purge-old-rows.ts';
import { sendEmail } from '../../../workers/send-email.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let owner: TestUser;
beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
  owner = await app.createUser({ email: 'olga.owner@harbour.example' });
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

const question = { name: 'Jonas Lind', email: 'jonas.lind@example.org', message: 'Is she still for sale?\nI am near.' };

async function publicListing(fields: Parameters<typeof listingBody>[0] = {}) {
  const { body } = await app.as(owner).post('/api/listings', listingBody(fields));
  await app.as(owner).post(`/api/listings/${body.id}/publish`);
  await app.database.pool.query(`delete from pgboss.job where name = 'send-email'`);
  return body as { id: string; slug: string; title: string };
}
const contact = (id: string, body: object = question, to: TestApp = app) =>
  to.as().post(`/api/listings/${id}/contact`, body);
const requestsOf = async (id: string) =>
  (await app.database.pool.query('select * from contact_requests where listing_id = $1', [id])).rows;
const mails = () => {
  const folder = join(app.dataDir, 'outbox');
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs)
    .map((path) => readFileSync(path));
};
const newestMail = () => PostalMime.parse(mails().at(-1) ?? '');

test('201: the owner gets one mail that names the listing, to be answered to the sender', async () => {
  const { id, slug, title } = await publicListing();
  const { status, body } = await contact(slug);
  expect({ status, body }).toEqual({ status: 201, body: { message: expect.any(String) } });
  expect(await workers.work('send-email')).toMatchObject([{ status: 'completed' }]);
  const mail = await newestMail();
  expect(mail).toMatchObject({
    to: [{ address: owner.email }],
    replyTo: [{ address: question.email, name: '' }],
    subject: `A message about your listing: ${title}`,
  });
  expect(mail.from?.address).not.toBe(question.email);
  for (const part of [mail.text, mail.html]) {
    expect(part).toContain('Jonas Lind');
    expect(part).toContain(`/listings/${slug}`);
  }
  expect(mail.text).toContain('> Is she still for sale?\n> I am near.\n');
  expect(mail.html).toContain('<blockquote>Is she still for sale?<br>\nI am near.</blockquote>');
  expect(await requestsOf(id)).toMatchObject([{ seller_id: owner.id, category_id: 'cruising' }]);
});

test("neither party's address, nor the message, is in the answer or in the job", async () => {
  const { id } = await publicListing();
  const reply = await contact(id);
  const { rows } = await app.database.pool.query(`select data::text as text from pgboss.job where name = 'send-email'`);
  expect(rows).toHaveLength(1);
  for (const secret of [owner.email, question.email, question.name, 'still for sale']) {
    expect(reply.text + JSON.stringify([...reply.headers])).not.toContain(secret);
    expect(rows[0].text).not.toContain(secret);
  }
});

test('a job that is worked again sends nothing more; a lost note repeats the same Message-ID', async () => {
  const { id } = await publicListing();
  await contact(id);
  const [job] = await workers.take('send-email');
  if (!job) throw new Error('no job was made');
  const before = mails().length;
  const context = { signal: new AbortController().signal, log: undefined as never, jobId: job.id, attempt: 0 };
  expect(await sendEmail(workers.services, job.data, context)).toEqual({ sent: 'contact-owner' });
  expect(await sendEmail(workers.services, job.data, context)).toEqual({ skipped: 'it was sent before' });
  const { messageId } = await newestMail();
  await app.database.pool.query('update sent_emails set sent_at = null where message_id = $1', [job.data.message_id]);
  await sendEmail(workers.services, job.data, context);
  expect((await newestMail()).messageId).toBe(messageId);
  expect(mails().length).toBe(before + 1);
});

test('an owner who wants no mail gets this one: it is essential', async () => {
  const { id } = await publicListing();
  await app.database.pool.query('update users set email_notifications = false where id = $1', [owner.id]);
  await contact(id);
  expect(await workers.work('send-email')).toMatchObject([{ output: { sent: 'contact-owner' } }]);
  await app.database.pool.query('update users set email_notifications = true where id = $1', [owner.id]);
});

test('the mail arrives although the listing was deleted for good meanwhile', async () => {
  const { id, title } = await publicListing();
  await contact(id);
  await app.database.pool.query('delete from listings where id = $1', [id]);
  expect(await workers.work('send-email')).toMatchObject([{ status: 'completed' }]);
  expect((await newestMail()).subject).toContain(title);
});

describe('what a sender writes cannot', () => {
  test.each([
    ['name', 'Eve\r\nBcc: all@example.com', 201],
    ['name', 'Eve\nContent-Type: text/html\n\n<script>', 201],
    ['message', 'Hello\r\n.\r\nQUIT\r\nBcc: all@example.com\r\n\r\nEve has written to you', 201],
    ['email', 'eve@example.com\r\nBcc: all@example.com', 400],
    ['email', 'eve@example.com, all@example.com', 400],
    ['email', 'Eve <eve@example.com>', 400],
    ['email', '"a b"@example.com', 400],
    ['email', 'eve', 400],
    ['email', `${'e'.repeat(190)}@example.com`, 400],
    ['name', '   ', 400],
    ['name', 'x'.repeat(101), 400],
    ['message', '', 400],
    ['message', 'x'.repeat(2_001), 400],
  ])('add a header or a recipient, or break a rule: %s %j is %i', async (field, text, expected) => {
    const { id } = await publicListing();
    expect((await contact(id, { ...question, [field]: text })).status).toBe(expected);
    if (expected === 400) return expect(await requestsOf(id)).toEqual([]);
    expect(await workers.work('send-email')).toMatchObject([{ status: 'completed' }]);
    const mail = await newestMail();
    expect(mail.to).toEqual([{ address: owner.email, name: '' }]);
    expect(mail.replyTo).toEqual([{ address: question.email, name: '' }]);
    expect([mail.cc, mail.bcc]).toEqual([undefined, undefined]);
    expect(mail.headers.filter(({ key }) => key === 'bcc')).toEqual([]);
    return undefined;
  });

  test('be taken for HTML, or for a line of ours', async () => {
    const { id } = await publicListing({ title: 'Möwe <b>38</b> & more, one owner' });
    await contact(id, {
      ...question,
      name: '<i>Eve</i>\nQuayside',
      message: '<img src=x onerror=alert(1)>\u2028--\nBye',
    });
    await workers.work('send-email');
    const { html = '', text = '' } = await newestMail();
    expect(html).not.toMatch(/<(?:img|i|b)\b/);
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(text).toContain('<i>Eve</i> Quayside <jonas.lind@example.org> has written');
    expect(text).toContain('> <img src=x onerror=alert(1)>\n> --\n> Bye');
  });
});

describe('404 for a listing that the public cannot see', () => {
  test.each([
    ['draft', 404],
    ['deleted', 404],
    ['expired', 404],
    ['flagged', 404],
    ['paused', 201],
    ['sold', 201],
  ])('%s is %i in the nautical profile', async (status, expected) => {
    const { id } = await publicListing();
    await app.database.pool.query('update listings set status = $2 where id = $1', [id, status]);
    expect((await contact(id)).status).toBe(expected);
    // A credential is not needed; one that is wrong is told.
    expect((await app.as(owner).post(`/api/listings/${id}/contact`, question)).status).toBe(expected);
    expect((await app.as('nonsense').post(`/api/listings/${id}/contact`, question)).status).toBe(401);
    expect(await requestsOf(id)).toHaveLength(expected === 404 ? 0 : 2);
  });

  test('expired and flagged ones are public in the general profile', async () => {
    const general = await startApp({ profile: 'general' });
    try {
      const client = general.as(await general.createUser());
      const { body } = await client.post('/api/listings', listingBody({ category_id: 'boats' }));
      for (const [status, expected] of Object.entries({ draft: 404, deleted: 404, expired: 201, flagged: 201 })) {
        await general.database.pool.query('update listings set status = $2 where id = $1', [body.id, status]);
        expect((await contact(body.id, question, general)).status).toBe(expected);
      }
    } finally {
      await general.close();
    }
  });

  test('unknown ones', async () => {
    for (const name of ['no-such-listing', 'lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2'])
      expect((await contact(name)).status).toBe(404);
  });
});

test('exactly five an hour leave one address, over two processes; refused ones do not count', async () => {
  const now = new Date('2025-06-01T10:59:00Z');
  const limited = await startApp({ env: { RATE_LIMIT_MULTIPLIER: '1' }, clock: { now: () => now } });
  const twin = await limited.twin();
  try {
    const seller = await limited.createUser();
    const { body } = await limited.as(seller).post('/api/listings', listingBody());
    expect((await contact(body.id, question, limited)).status).toBe(404);
    expect((await contact(body.id, { ...question, email: 'no' }, twin)).status).toBe(400);
    await limited.as(seller).post(`/api/listings/${body.id}/publish`);
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) => contact(body.id, question, index % 2 === 0 ? limited : twin)),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array(5).fill(201),
      ...Array(7).fill(429),
    ]);
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).toBe('60');
    const stored = await limited.database.pool.query('select from contact_requests');
    const jobs = await limited.database.pool.query(`select from pgboss.job where data->>'template' = 'contact-owner'`);
    expect([stored.rowCount, jobs.rowCount]).toEqual([5, 5]);
    now.setTime(now.getTime() + 60_000);
    expect((await contact(body.id, question, limited)).status).toBe(201);
  } finally {
    await twin.close();
    await limited.close();
  }
});

test('after 30 days the texts are forgotten and the row stays to be counted; a mail that is still due is given up', async () => {
  const { id } = await publicListing();
  await contact(id);
  await contact(id);
  await app.database.pool.query(
    `update contact_requests set created_at = created_at - interval '31 days' where id = (select id from contact_requests where listing_id = $1 limit 1)`,
    [id],
  );
  const context = { signal: new AbortController().signal, log: undefined as never, jobId: 'none', attempt: 0 };
  await purgeOldRows(workers.services, {}, context);
  const [old, recent] = (await requestsOf(id)).toSorted((a, b) => a.created_at - b.created_at);
  expect(old).toMatchObject({ name: null, email: null, message: null, category_id: 'cruising', seller_id: owner.id });
  expect(recent).toMatchObject(question);
  const results = await workers.work('send-email');
  expect(results.map(({ status }) => status).toSorted()).toEqual(['completed', 'deadletter']);
});
