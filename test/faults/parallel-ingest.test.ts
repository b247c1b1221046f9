import { expect, test } from 'vitest';
import { startApp, type Json } from '../support/app.ts';
import { ingestBody } from '../support/listing-bodies.ts';
import { freePort, startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

const PAGES = 12;
const BATCHES = 12;

test('two accounts that send the same pages to two API processes at once have one listing of each page each', async () => {
  // Only for its database: the processes that are asked are real ones.
  const app = await startApp();
  const member = await app.createUser();
  const admins = [await app.createUser({ role: 'admin' }), await app.createUser({ role: 'admin' })];
  const addresses = await Promise.all(
    ['one', 'two'].map(async () => {
      const port = await freePort();
      const api = startProcess('api/main.ts', {
        DATABASE_URL: app.database.url,
        DATA_DIR: app.dataDir,
        PORT: String(port),
        JWT_SECRET: 'a secret of the tests alone',
        RATE_LIMIT_MULTIPLIER: '0',
      });
      const address = `http://127.0.0.1:${port}`;
      const isUp = async () => (await fetch(`${address}/health`).catch(() => undefined))?.status === 200;
      await eventually(isUp, { describe: api.output });
      return address;
    }),
  );
  const pages = Array.from({ length: PAGES }, () => ingestBody());
  const batches = Array.from({ length: BATCHES }, (_, index) => ({
    who: index % 2 === 0 ? member : admins[(index >> 1) % 2]!,
    address: addresses[index % 3 === 0 ? 0 : 1]!,
    records: [...pages.slice(index), ...pages.slice(0, index)],
  }));
  const replies = await Promise.all(
    batches.map(async ({ who, address, records }) => {
      const response = await fetch(`${address}/api/ingest`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${who.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ records }),
      });
      return { who, status: response.status, body: (await response.json()) as Json };
    }),
  );
  expect(replies.map(({ status }) => status)).toEqual(batches.map(() => 200));
  for (const { body } of replies) expect([body.skipped, body.failed]).toEqual([[], []]);
  expect(replies.reduce((sum, { body }) => sum + body.created, 0)).toBe(2 * PAGES);
  const idsOf = (isTheirs: boolean) =>
    replies.filter(({ who }) => (who === member) === isTheirs).map(({ body }) => body.ids as Record<string, string>);
  for (const answers of [idsOf(true), idsOf(false)]) for (const ids of answers) expect(ids).toEqual(answers[0]);
  const { rows } = await app.database.pool.query<{ id: string; seller_id: string }>(
    'select id, seller_id from listings',
  );
  const sellers = new Map(rows.map(({ id, seller_id }) => [id, seller_id]));
  expect(sellers.size).toBe(2 * PAGES);
  for (const id of Object.values(idsOf(true)[0]!)) expect(sellers.get(id)).toBe(member.id);
  for (const id of Object.values(idsOf(false)[0]!)) expect(admins.map((admin) => admin.id)).toContain(sellers.get(id));
});
