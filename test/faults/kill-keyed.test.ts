import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { sample } from '../support/lane.ts';
import { listingBody } from '../support/listing-bodies.ts';
import { freePort, startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

test('an API process killed before any statement of a keyed message, or right after the last, has sent it once when it is sent again', async () => {
  // Only for its database: the processes that are killed are real ones.
  const app = await startApp();
  const [seller, buyer] = [await app.createUser(), await app.createUser()];
  const { body: listing } = await app.as(seller).post('/api/listings', listingBody());
  await app.as(seller).post(`/api/listings/${listing.id}/publish`);
  const opening = { listing_id: listing.id, message: 'Is she still for sale?' };
  const { body: conversation } = await app.as(buyer).post('/api/conversations', opening);
  const proxy = await startFaultProxy(app.database.url);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  const start = async () => {
    const api = startProcess('api/main.ts', {
      DATABASE_URL: proxy.url,
      DATA_DIR: app.dataDir,
      PORT: String(port),
      JWT_SECRET: 'a secret of the tests alone',
      RATE_LIMIT_MULTIPLIER: '0',
    });
    await eventually(isUp, { describe: api.output });
    return api;
  };
  const send = async (key: string, content: string) => {
    const response = await fetch(`${url}/api/conversations/${conversation.id}/messages`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${buyer.token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body: JSON.stringify({ content }),
    });
    return { status: response.status, text: await response.text() };
  };
  const countOf = async (content: string) => {
    const { rows } = await app.database.pool.query(
      `with sent as (select id from messages where content = $1)
         select (select count(*) from sent) as messages,
           (select count(*) from events where type = 'message.received' and data->>'message_id' in (select id from sent)) as events,
           (select count(*) from pgboss.job where name = 'send-email' and data::text like any (select '%' || id || '%' from sent)) as mails,
           (select count(*) from events) as all_events, (select count(*) from pgboss.job) as all_jobs`,
      [content],
    );
    return rows[0] as Record<string, number>;
  };

  let api = await start();
  /** Sends a message that the process is killed over, and again to the next process; tells whether it was killed. */
  const sendAndKill = async (content: string, fault: { nth: number; after: boolean }) => {
    const key = randomUUID();
    const before = await countOf(content);
    proxy.arm(fault.nth, { after: fault.after, strike: () => api.kill('SIGKILL') });
    const first = await send(key, content).catch(() => undefined);
    const { struck, statements } = proxy.disarm();
    if (struck) api = await start();
    const second = await send(key, content);
    expect(second.status, `${JSON.stringify(fault)} ${second.text}`).toBe(201);
    if (first) expect(second).toEqual(first);
    const after = await countOf(content);
    expect({ ...after, struck: fault }).toMatchObject({ messages: 1, struck: fault });
    const news = { events: after.all_events! - before.all_events!, jobs: after.all_jobs! - before.all_jobs! };
    return { struck, statements, news };
  };

  const { statements, news } = await sendAndKill('Undisturbed.', { nth: 0, after: false });
  expect(statements).toBeGreaterThan(8);
  const each = Array.from({ length: statements }, (_, index) => index + 1);
  // In lane `test` one in the middle: idempotency-statements.test.ts loses the connection at any of them.
  let kills = 0;
  for (const nth of sample(each, 1, statements >> 1)) {
    const killed = await sendAndKill(`Killed before statement ${nth}.`, { nth, after: false });
    expect(killed.news, `before statement ${nth}`).toEqual(news);
    if (killed.struck) kills += 1;
  }
  expect(kills).toBeGreaterThan(0);
  const last = await sendAndKill('Killed after the last.', { nth: statements, after: true });
  expect(last.news).toEqual(news);
  await api.kill('SIGTERM');
  await proxy.close();
  await app.close();
});
