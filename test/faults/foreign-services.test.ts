import { freePort } from '../support/processes.ts';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeListings } from '../api/listings/search-fixture.ts';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { formOf, newPhoto } from '../support/pictures.ts';
import { startS3 } from '../support/s3-server.ts';
import { startSmtp, type Verdict } from '../support/smtp-server.ts';
import { startWorkers } from '../support/workers.ts';

let app: TestApp;
let seller: TestUser;
let listingId: string;
beforeAll(async () => {
  app = await startApp();
  seller = await app.createUser();
  listingId = (await storeListings(app, seller, [{}]))[0]!.id;
});
afterAll(() => app.close());

const contact = () =>
  app.as().post(`/api/listings/${listingId}/contact`, {
    name: 'Ann',
    email: 'ann@example.com',
    message: 'Is she still for sale?',
  });

test('a mail survives a server that is down, one that wants it later and one that drops the line, under one Message-ID', async () => {
  let verdict: { step: 'rcpt' | 'data'; answer: Verdict } | undefined;
  const smtp = await startSmtp((step) => (verdict?.step === step ? verdict.answer : undefined));
  const from = 'Quayside <no-reply@example.com>';
  const down = await startWorkers(app, { env: { mail: { smtpUrl: `smtp://127.0.0.1:${await freePort()}`, from } } });
  const up = await startWorkers(app, { env: { mail: { smtpUrl: smtp.url, from } } });
  const attempt = async (workers: typeof up) => {
    await app.database.pool.query(`update pgboss.job set start_after = now() where name = 'send-email'`);
    return (await workers.work('send-email')).map(({ status }) => status);
  };

  expect((await contact()).status).toBe(201);
  expect(await attempt(down)).toEqual(['failed']);
  verdict = { step: 'rcpt', answer: 451 };
  expect(await attempt(up)).toEqual(['failed']);
  verdict = { step: 'data', answer: 'drop' };
  expect(await attempt(up)).toEqual(['failed']);
  verdict = undefined;
  expect((await contact()).status).toBe(201);
  expect(await attempt(up)).toEqual(['completed', 'completed']);
  expect(await attempt(up)).toEqual([]);

  const mails = await Promise.all(smtp.deliveries.map(({ raw }) => PostalMime.parse(raw)));
  // Once before the line was dropped, once after, and the second message.
  expect(mails).toHaveLength(3);
  const ids = mails.map(({ messageId }) => messageId);
  expect(new Set(ids).size).toBe(2);
  expect(ids.filter((id) => id === ids[0])).toHaveLength(2);
  expect(mails.every(({ to }) => to?.[0]?.address === seller.email)).toBe(true);
  await down.close();
  await up.close();
  await smtp.close();
});

test('503 for an upload while S3 is down, 201 as soon as it is back, and only that one is counted', async () => {
  const s3 = await startS3();
  const gate = createServer().listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const { port } = gate.address() as AddressInfo;
  // Takes every connection and drops it at once.
  gate.on('connection', (socket) => socket.destroy());
  const storing = await startApp({
    database: app.database,
    env: {
      RATE_LIMIT_MULTIPLIER: '1',
      S3_BUCKET: s3.config.bucket,
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
      S3_FORCE_PATH_STYLE: 'true',
    },
  });
  const user = await storing.createUser();
  const photo = await newPhoto();
  const upload = () => storing.as(user).post('/api/upload', undefined, { raw: formOf([['file', photo]]) });
  expect(await upload()).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });

  gate.removeAllListeners('connection');
  const target = Number(new URL(s3.config.endpoint ?? '').port);
  gate.on('connection', (near) => {
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
  });
  expect((await upload()).status).toBe(201);
  const { rows } = await app.database.pool.query(
    'select coalesce(sum(used), 0)::int as used from quota_uses where subject like $1',
    [`%${user.id}%`],
  );
  expect(rows).toEqual([{ used: 1 }]);
  await storing.close();
  gate.close();
  await s3.close();
});
