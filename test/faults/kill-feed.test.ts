import { expect, test } from 'vitest';
import { newFeed, oneTo, runOf, table, upload } from '../scrapers/feeds/support.ts';
import { startApp, type Json } from '../support/app.ts';
import { startProcess } from '../support/processes.ts';
import { missPulses } from '../support/pulses.ts';
import { startWorkers } from '../support/workers.ts';
import { eventually } from '../support/waiting.ts';

const BOATS = 250;
/** Items that a run stores at once. */
const BATCH = 200;
const LOCK = 4_711;

test('a scrapers process killed in the middle of a feed is followed by another one, which goes on where it was: each item once', async () => {
  const app = await startApp();
  const workers = await startWorkers(app);
  const query = async (text: string) => (await app.database.pool.query<Json>(text)).rows;
  const admin = app.as(await app.createUser({ role: 'admin' }));
  const id = await newFeed(admin);
  expect((await upload(admin, id, table(oneTo(BOATS)))).status).toBe(202);
  const env = { DATABASE_URL: app.database.url, DATA_DIR: app.dataDir, JWT_SECRET: 'a secret of the tests alone' };

  // The second batch waits for a lock that is held here: the feed is not over before its process is killed.
  await query(`
    create function hold_batch() returns trigger language plpgsql as $$ begin
      if (select count(*) from feed_items) >= ${BATCH} then perform pg_advisory_xact_lock(${LOCK}); end if;
      return null;
    end $$;
    create trigger hold_batch before insert on feed_items for each statement execute function hold_batch()`);
  const holder = await app.database.pool.connect();
  await holder.query(`select pg_advisory_lock(${LOCK})`);
  const isHeld = async () =>
    (await query(`select 1 from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`)).length > 0;
  const first = startProcess('scrapers/main.ts', env);
  await eventually(async () => (await runOf(admin, id)).records_found > 0 && (await isHeld()), {
    describe: first.output,
  });
  await first.kill('SIGKILL');
  const left = await runOf(admin, id);
  expect(left).toMatchObject({ status: 'running', records_found: BATCH });
  await holder.query(`select pg_advisory_unlock(${LOCK})`);
  holder.release();

  await missPulses(app.database.pool, 'run-scraper');
  const second = startProcess('scrapers/main.ts', env);
  await eventually(
    async () => {
      await workers.work('ingest-record');
      return (await runOf(admin, id)).status !== 'running';
    },
    { describe: second.output },
  );
  expect(await runOf(admin, id)).toMatchObject({
    id: left.id,
    status: 'succeeded',
    records_found: BOATS,
    created: BOATS,
    updated: 0,
    skipped: 0,
    failed: 0,
  });
  expect(await query('select count(*)::int as n, count(distinct title)::int as titles from listings')).toEqual([
    { n: BOATS, titles: BOATS },
  ]);
  expect(await query(`select type from events where data->>'kind' = 'scraper'`)).toEqual([{ type: 'run.completed' }]);
  expect(await second.kill('SIGTERM')).toBe(0);
  await workers.close();
  await app.close();
});
