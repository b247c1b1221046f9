import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readUnsubscribe } from '../../../shared/accounts/unsubscribe-token.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { createListing } from '../../support/openapi-cases-things.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let seller: TestUser;
let buyer: TestUser;
beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
  seller = await app.createUser({ name: 'Annika Berg' });
  buyer = await app.createUser({ name: 'Jonas\nLind' });
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

const begin = async (message: string) => {
  const listing = await createListing(app.services, seller, 'active');
  const { body } = await app.as(buyer).post('/api/conversations', { listing_id: listing.id, message });
  return { listing, id: body.id as string, message: body.message as { id: string } };
};
const say = (who: TestUser, id: string, content: string) =>
  app.as(who).post(`/api/conversations/${id}/messages`, { content });
/** Works the mails that are due and tells how many went to whom. */
const sent = async () => {
  const results = await workers.work('send-email');
  expect(results.filter(({ status }) => status !== 'completed')).toEqual([]);
  return results.filter(({ output }) => 'sent' in output).length;
};
const newestMail = async () => {
  const folder = join(app.dataDir, 'outbox');
  const [newest = ''] = readdirSync(folder)
    .map((name) => join(folder, name))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  return PostalMime.parse(readFileSync(newest));
};

test('the other party gets a mail with the beginning of the message, a link, and a way to stop such mail', async () => {
  const { id, listing } = await begin(`Hello.\n${'Is she sound? '.repeat(40)}The end.`);
  expect(await sent()).toBe(1);
  const mail = await newestMail();
  expect(mail.to).toMatchObject([{ address: seller.email }]);
  expect(mail.subject).toMatch(/^New message about kestrel-/);
  expect(mail.text).toContain('Jonas Lind has written to you');
  expect(mail.text).toContain('> Hello.\n> Is she sound? Is she');
  expect(mail.text).toContain(`${app.url}/inbox/${id}`);
  expect(mail.text).not.toContain('The end.');
  const unsubscribe = mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
  const token = /token=([^>]+)>/.exec(unsubscribe)?.[1] ?? '';
  expect(readUnsubscribe(app.services.config.jwtSecrets, token)).toEqual({ kind: 'notifications', id: seller.id });
  expect(listing.slug).not.toBe('');
});

test('one mail for any number of messages, until they are read or answered', async () => {
  const { id } = await begin('One');
  await say(buyer, id, 'Two');
  expect(await sent()).toBe(1);
  await say(buyer, id, 'Three');
  expect(await sent()).toBe(0);
  await app.as(seller).patch(`/api/conversations/${id}/read`);
  await say(buyer, id, 'Four');
  await say(buyer, id, 'Five');
  expect(await sent()).toBe(1);
  await say(seller, id, 'Six');
  expect(await sent()).toBe(1);
  expect((await newestMail()).to).toMatchObject([{ address: buyer.email }]);
  await say(buyer, id, 'Seven');
  await say(buyer, id, 'Eight');
  expect(await sent()).toBe(1);
});

test('who wants no such mail gets none', async () => {
  await app.database.pool.query('update users set email_notifications = false where id = $1', [seller.id]);
  await begin('Hello');
  expect(await sent()).toBe(0);
  await app.database.pool.query('update users set email_notifications = true where id = $1', [seller.id]);
});

test('neither what was written nor an address is in the job or in the event, which belongs to who received it', async () => {
  const { id, message, listing } = await begin('The code of the gate is 4711.');
  const { rows: jobs } = await app.database.pool.query(
    `select data::text as text from pgboss.job where data->'data'->>'message_id' = $1`,
    [message.id],
  );
  const { rows: events } = await app.database.pool.query('select * from events where subject = $1', [message.id]);
  expect(events).toMatchObject([
    {
      type: 'message.received',
      owner_id: seller.id,
      data: { message_id: message.id, conversation_id: id, listing_id: listing.id, sender_id: buyer.id },
    },
  ]);
  expect(jobs).toHaveLength(1);
  expect(JSON.stringify([jobs, events])).not.toMatch(/4711|@example/);
});

test('a refused message leaves no mail and no event', async () => {
  const count = async () =>
    (
      await app.database.pool.query(
        `select (select count(*) from pgboss.job where name = 'send-email') as jobs, (select count(*) from events where type like 'message.%') as events`,
      )
    ).rows;
  const before = await count();
  const { id: own } = await createListing(app.services, buyer, 'active');
  const replies = [
    await app.as(buyer).post('/api/conversations', { listing_id: own, message: 'Hello, me' }),
    await app.as(buyer).post('/api/conversations', { listing_id: 'none', message: 'Hello' }),
    await say(buyer, 'cnv_none', 'Hello'),
  ];
  expect(replies.map(({ status }) => status)).toEqual([400, 404, 404]);
  expect(await count()).toEqual(before);
});
