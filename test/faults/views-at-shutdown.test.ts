import { expect, test } from 'vitest';
import { newId } from '../../shared/kit/ids.ts';
import { storeListings } from '../api/listings/search-fixture.ts';
import { cloneDatabase } from '../support/database.ts';
import { makeTestFolder } from '../support/folders.ts';
import { freePort, startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

const READERS = 300;

test('an API process that is told to stop while it is read from loses no view it has answered', async () => {
  const database = await cloneDatabase();
  const now = new Date();
  const seller = { id: newId('user'), email: 'seller@example.com', name: 'Seller', created_at: now, updated_at: now };
  await database.db.insertInto('users').values(seller).execute();
  const [listing] = await storeListings({ database }, seller, [{}]);
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const api = startProcess('api/main.ts', {
    DATABASE_URL: database.url,
    DATA_DIR: makeTestFolder(),
    JWT_SECRET: 'a secret of the tests alone',
    PORT: String(port),
    RATE_LIMIT_MULTIPLIER: '0',
  });
  await eventually(async () => (await fetch(`${address}/health`).catch(() => undefined))?.status === 200, {
    describe: api.output,
  });

  let answered = 0;
  let stopped: Promise<number | null> | undefined;
  for (let reader = 0; reader < READERS; reader += 1) {
    const headers = { 'User-Agent': `reader ${reader}`, Connection: 'close' };
    const answer = await fetch(`${address}/api/listings/${listing!.id}`, { headers }).catch(() => undefined);
    if (answer?.status === 200) answered += 1;
    else if (stopped) break;
    if (answered === READERS / 2) stopped ??= api.kill('SIGTERM');
  }
  expect(await stopped).toBe(0);
  expect(answered).toBeGreaterThanOrEqual(READERS / 2);
  const { rows } = await database.pool.query('select views::int as n from listing_views where listing_id = $1', [
    listing!.id,
  ]);
  expect(rows).toEqual([{ n: answered }]);
  await database.drop();
});
