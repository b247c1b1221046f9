import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { times } from '../support/lane.ts';
import { listingBody } from '../support/listing-bodies.ts';
import { freePort, startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

const CREATES = times(100, 400);
const CLIENTS = 10;
const KILLS = times(1, 5);

test('an API process killed among creates has kept every one it answered, and one that is repeated is made once', async () => {
  // Only for its database: the processes that are killed are real ones.
  const app = await startApp();
  const { token } = await app.createUser();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = () =>
    startProcess('api/main.ts', {
      DATABASE_URL: app.database.url,
      DATA_DIR: app.dataDir,
      PORT: String(port),
      JWT_SECRET: 'a secret of the tests alone',
      RATE_LIMIT_MULTIPLIER: '0',
    });
  const bodies = Array.from({ length: CREATES }, (_, n) => listingBody({ title: `A boat of her own, number ${n}` }));
  const answers = new Map<number, number[]>();
  const made = new Map<number, string>();
  const create = async (n: number): Promise<void> => {
    const response = await fetch(`${url}/api/listings`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(bodies[n]),
    }).catch(() => undefined);
    const body = await response?.json().catch(() => undefined);
    answers.set(n, [...(answers.get(n) ?? []), response?.status ?? 0]);
    if (response?.status === 201 && body) made.set(n, (body as { id: string }).id);
    else if (response?.status !== 409) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await create(n);
    }
  };

  let api = start();
  let next = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (next < CREATES) await create(next++);
  });
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const wanted = (kill * CREATES) / (KILLS + 1);
    await eventually(async () => answers.size > wanted && made.size > wanted / 2, {
      describe: api.output,
    });
    await api.kill('SIGKILL');
    api = start();
  }
  await Promise.all(clients);
  await api.kill('SIGTERM');

  const { rows } = await app.database.pool.query<{ id: string; title: string }>('select id, title from listings');
  expect(rows).toHaveLength(CREATES);
  const titleOf = new Map(rows.map(({ id, title }) => [id, title]));
  for (const [n, id] of made) expect(titleOf.get(id)).toBe(bodies[n]!.title);
  for (const statuses of answers.values()) {
    expect([201, 409]).toContain(statuses.at(-1));
    expect(statuses.slice(0, -1).every((status) => status === 0 || status === 503)).toBe(true);
  }
  expect([...answers.values()].some((statuses) => statuses.includes(0))).toBe(true);
  const { rows: events } = await app.database.pool.query(
    `select count(*)::int as events, count(distinct subject)::int as listings from events where type = 'listing.created'`,
  );
  expect(events).toEqual([{ events: CREATES, listings: CREATES }]);
  await app.close();
});
