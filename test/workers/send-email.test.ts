import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { signUnsubscribe } from '../../shared/accounts/unsubscribe-token.ts';
import type { Payload } from '../../shared/queues/queues.ts';
import { renderEmail } from '../../workers/emails/render-email.ts';
import { templates } from '../../workers/emails/templates.ts';
import { sendEmail } from '../../workers/send-email.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { listingBody } from '../support/listing-bodies.ts';
import { startSmtp } from '../support/smtp-server.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

let count = 0;
const message = async (fields: Partial<Payload<'send-email'>> = {}): Promise<Payload<'send-email'>> => ({
  message_id: `test.${(count += 1)}`,
  template: 'listing-approved',
  user_id: (await app.createUser()).id,
  data: { title: 'Möwe <b>38</b> & more', url: 'https://example.com/api/listings/moewe?a=1&b=2' },
  ...fields,
});
const enqueue = (payload: Payload<'send-email'>) =>
  inTransaction(app.services.db, (tx) => app.services.jobs.enqueue(tx, 'send-email', payload));
const context = { signal: new AbortController().signal, log: undefined as never, jobId: 'none', attempt: 0 };
const outbox = () => {
  const folder = join(app.dataDir, 'outbox');
  return readdirSync(folder).map((name) => readFileSync(join(folder, name)));
};

test('a message reaches the address of its user, readable as text and as HTML', async () => {
  const user = await app.createUser();
  await enqueue(await message({ user_id: user.id, message_id: 'listing-approved.lst_1' }));
  expect(await workers.work('send-email')).toMatchObject([{ status: 'completed' }]);
  const mail = await PostalMime.parse(outbox().at(-1) ?? '');
  expect(mail).toMatchObject({
    to: [{ address: user.email }],
    subject: 'Your listing is online: Möwe <b>38</b> & more',
    messageId: '<listing-approved.lst_1@127.0.0.1>',
  });
  expect(mail.text).toContain('"Möwe <b>38</b> & more" is online');
  expect(mail.text).toContain('https://example.com/api/listings/moewe?a=1&b=2');
  expect(mail.html).toContain('M\u00f6we &lt;b&gt;38&lt;/b&gt; &amp; more');
  expect(mail.html).toContain('href="https://example.com/api/listings/moewe?a=1&amp;b=2"');
});

test('a listing that was hidden since its publication is not called online, one on show is', async () => {
  const owner = await app.createUser();
  const { body } = await app.as(owner).post('/api/listings', listingBody());
  const data = { listing_id: body.id, title: body.title, url: 'https://example.com/listings/moewe' };
  const sent = async (status: string) => {
    await app.database.pool.query('update listings set status = $2 where id = $1', [body.id, status]);
    return sendEmail(workers.services, await message({ user_id: owner.id, data }), context);
  };
  expect(await sent('flagged')).toEqual({ skipped: 'there is nothing left to tell' });
  expect(await sent('active')).toEqual({ sent: 'listing-approved' });
});

test('a message that was sent is not sent again', async () => {
  const payload = await message();
  const before = outbox().length;
  expect(await sendEmail(workers.services, payload, context)).toEqual({ sent: 'listing-approved' });
  expect(await sendEmail(workers.services, payload, context)).toEqual({ skipped: 'it was sent before' });
  expect(outbox().length).toBe(before + 1);
});

test('a message is sent again under the same Message-ID when the note of it was lost', async () => {
  const smtp = await startSmtp();
  const mailing = await startWorkers(app, {
    env: { mail: { smtpUrl: smtp.url, from: 'Quayside <no-reply@example.com>' } },
  });
  try {
    const payload = await message();
    await sendEmail(mailing.services, payload, context);
    await app.database.pool.query('update sent_emails set sent_at = null where message_id = $1', [payload.message_id]);
    await sendEmail(mailing.services, payload, context);
    const ids = await Promise.all(smtp.deliveries.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId));
    expect(ids).toEqual([`<${payload.message_id}@127.0.0.1>`, `<${payload.message_id}@127.0.0.1>`]);
  } finally {
    await mailing.close();
    await smtp.close();
  }
});

test('who wants no mail gets only what is essential', async () => {
  const user = await app.createUser();
  await app.database.pool.query('update users set email_notifications = false where id = $1', [user.id]);
  expect(await sendEmail(workers.services, await message({ user_id: user.id }), context)).toMatchObject({
    skipped: expect.any(String),
  });
  const verify = await message({
    user_id: user.id,
    template: 'webhook-disabled',
    data: { url: 'https://example.com/hook', failing_since: '2026-01-01T00:00:00Z' },
  });
  expect(await sendEmail(workers.services, verify, context)).toEqual({ sent: 'webhook-disabled' });
});

test('what is not essential can be ended by one click of its reader, what is essential cannot', async () => {
  const user = await app.createUser();
  const sent = async (fields: Partial<Payload<'send-email'>>) => {
    const payload = await message({ user_id: user.id, ...fields });
    await sendEmail(workers.services, payload, context);
    const mails = await Promise.all(outbox().map((eml) => PostalMime.parse(eml)));
    const mail = mails.find(({ messageId }) => messageId === `<${payload.message_id}@127.0.0.1>`);
    return { text: mail?.text, headers: new Map(mail?.headers.map(({ key, value }) => [key, value])) };
  };
  const news = await sent({});
  const token = signUnsubscribe(app.services.config.jwtSecrets, { kind: 'notifications', id: user.id });
  const { baseUrl } = app.services.config;
  expect(news.headers.get('list-unsubscribe')).toBe(`<${baseUrl}/api/unsubscribe?token=${token}>`);
  expect(news.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  expect(news.text).toContain(`${baseUrl}/unsubscribe?token=${token}`);
  const essential = await sent({ template: 'listing-rejected', data: { title: 'Möwe' } });
  expect(essential.headers.has('list-unsubscribe')).toBe(false);
  expect(essential.text).not.toContain('unsubscribe');
});

test('a refusal for good goes to the dead letters, one for now is tried again', async () => {
  let verdict = 550;
  const smtp = await startSmtp((step) => (step === 'rcpt' ? verdict : undefined));
  const mailing = await startWorkers(app, {
    env: { mail: { smtpUrl: smtp.url, from: 'Quayside <no-reply@example.com>' } },
  });
  try {
    await enqueue(await message());
    expect(await mailing.work('send-email')).toMatchObject([{ status: 'deadletter' }]);
    verdict = 451;
    await enqueue(await message());
    expect(await mailing.work('send-email')).toMatchObject([{ status: 'failed' }]);
  } finally {
    await mailing.close();
    await smtp.close();
  }
});

test.each([
  ['an unknown template', { template: 'nonsense' }],
  ['an unknown user', { user_id: 'usr_nobody' }],
  ['an unknown subscriber', { user_id: undefined, subscriber_id: 'nobody' }],
  ['no recipient', { user_id: undefined }],
  ['data that do not fit', { data: {} }],
])('%s goes to the dead letters', async (_, fields) => {
  await enqueue(await message(fields));
  expect(await workers.work('send-email')).toMatchObject([{ status: 'deadletter' }]);
});

test.each(Object.entries(templates))(
  '%s lets its data neither into a header nor into the markup',
  (_name, template) => {
    const nasty = 'x"\r\nBcc: victim@example.com\r\n<script>alert(1)</script>';
    // Texts with a form of their own (addresses, times, ids, kinds, types) are checked when they are read; all others are somebody's words.
    const isFreeText = (value: unknown) =>
      typeof value === 'string' && !/^(https?:|\S+@\S+$|\d{4}-\d|[A-Z]{3}$|[a-z]+_[a-z_]+$)/.test(value);
    const data = Object.fromEntries(
      Object.entries(template?.sample ?? {}).map(([key, value]) => [
        key,
        key !== 'type' && isFreeText(value) ? nasty : value,
      ]),
    );
    if (typeof data.card === 'object') data.card = { ...data.card, title: nasty, place: nasty };
    for (const locale of ['en', 'es', 'fr', 'de', 'it', 'ko', 'ja'] as const) {
      const email = renderEmail(template!, data, locale, app.services.config);
      expect(email.subject).not.toMatch(/[\r\n]/);
      expect(email.html).not.toContain('<script');
      expect(email.html).toContain(`lang="${locale}"`);
    }
  },
);
