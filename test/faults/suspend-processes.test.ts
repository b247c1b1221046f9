import { expect, test } from 'vitest';
import { startApp, type TestUser } from '../support/app.ts';
import { offer } from '../support/dedup-groups.ts';
import { openEventStream } from '../support/event-stream.ts';
import { scaled } from '../support/machine.ts';
import { freePort, startProcess } from '../support/processes.ts';
import { startSite } from '../support/site-server.ts';
import { eventually } from '../support/waiting.ts';

/** The promise of a suspension, on a machine as quiet as the one that it was given for. */
const WITHIN_MS = 5_000;

test('a suspension by one API process ends sessions, keys, streams, publications and webhooks on another within 5 s', async () => {
  // Only for its database: the processes are real ones.
  const app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
  const delivered: string[] = [];
  const site = await startSite({
    '/hook': (request, response) => {
      delivered.push(String(request.headers['webhook-id']));
      response.writeHead(204).end();
    },
  });
  const env = {
    DATABASE_URL: app.database.url,
    DATA_DIR: app.dataDir,
    JWT_SECRET: 'a secret of the tests alone',
    RATE_LIMIT_MULTIPLIER: '0',
    FETCH_ALLOW: '127.0.0.1',
  };
  const startApi = async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const api = startProcess('api/main.ts', { ...env, PORT: String(port) });
    await eventually(async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok === true, {
      describe: api.output,
    });
    return url;
  };
  const worker = startProcess('workers/main.ts', env);
  const [here, there] = await Promise.all([startApi(), startApi()]);
  const ask = async (url: string, token: string, method = 'GET', body?: object) =>
    fetch(url, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });

  const [admin, seller, other] = [
    await app.createUser({ role: 'admin' }),
    await app.createUser(),
    await app.createUser(),
  ];
  const hook = { url: `${site.url}/hook`, events: ['listing.published'], description: null };
  const subscribe = async (user: TestUser) => (await app.as(user).post('/api/webhooks', hook)).body.id as string;
  const [webhook] = [await subscribe(seller), await subscribe(other)];
  const { key } = (await app.as(seller).post('/api/api-keys', { name: 'agent' })).body as { key: string };
  const listing = await offer(app, seller);
  await eventually(() => delivered.length === 1, { describe: worker.output });

  const statusOf = async (path: string, token: string) => (await ask(`${there}${path}`, token)).status;
  const isFound = async () => (await (await fetch(`${there}/api/listings?limit=100`)).text()).includes(listing.id);
  const isDelivering = async () =>
    ((await (await ask(`${there}/api/admin/webhooks/${webhook}`, admin.token)).json()) as { active: boolean }).active;
  const isSubscribed = async (end: Promise<void>) =>
    Promise.race([end.then(() => false), isDelivering().then(() => true)]);
  const stream = await openEventStream(`${there}/api/events/stream`, seller.token);
  /** What still is on the other process. */
  const remaining = async () => {
    const open = {
      session: (await statusOf('/api/me', seller.token)) !== 401,
      key: (await statusOf('/api/me', key)) !== 401,
      stream: await isSubscribed(stream.ended),
      search: await isFound(),
      listing: (await fetch(`${there}/api/listings/${listing.id}`)).status !== 404,
      page: (await fetch(`${there}/listings/${listing.slug}`)).status !== 404,
      webhook: await isDelivering(),
    };
    return Object.entries(open).flatMap(([name, isOpen]) => (isOpen ? [name] : []));
  };
  // Answers of the other process are cached, as they are where people look.
  expect(await remaining()).toEqual(['session', 'key', 'stream', 'search', 'listing', 'page', 'webhook']);

  const startedAt = performance.now();
  const reply = await ask(`${here}/api/admin/users/${seller.id}/suspend`, admin.token, 'POST', { reason: 'Fraud.' });
  expect(reply.status, await reply.text()).toBe(200);
  const answeredMs = performance.now() - startedAt;
  await eventually(async () => (await remaining()).length === 0, { everyMs: 20, describe: worker.output });
  const tookMs = performance.now() - startedAt;
  console.log(`suspended: answered after ${answeredMs.toFixed(0)} ms, over everywhere after ${tookMs.toFixed(0)} ms`);
  expect(tookMs - answeredMs).toBeLessThan(scaled(WITHIN_MS));

  // What others do is delivered still, by the same worker; nothing more came to the one who is suspended.
  await offer(app, other);
  await eventually(() => delivered.length === 2, { describe: worker.output });
  const { rows } = await app.database.pool.query<{ n: number }>(
    `select count(*)::int as n from webhook_deliveries where webhook_id = $1 and status = 'delivered'`,
    [webhook],
  );
  expect(rows).toEqual([{ n: 1 }]);
  await site.close();
  await app.close();
});
