import { expect, test } from 'vitest';
import { cloneDatabase } from '../support/database.ts';
import { startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

const JOBS = 500;

test('a job that kills its process ends in the dead letters, and every other one is done', async () => {
  const { url, pool } = await cloneDatabase();
  // As the queue has it, but with fewer tries and noticed sooner.
  await pool.query(
    `update pgboss.queue set retry_limit = 1, retry_delay = 0, retry_backoff = false, expire_seconds = 5 where name = 'ingest-record'`,
  );
  const { rows: columns } = await pool.query(
    `insert into pgboss.job (name, data, retry_limit, retry_delay, retry_backoff, expire_seconds, dead_letter, policy)
     select 'ingest-record', jsonb_build_object('run_id', 'r', 'scraper_id', 's', 'user_id', 'u', 'record', jsonb_build_object('n', n, 'poison', n = 250)),
       1, 0, false, 5, 'ingest-record.dead', 'standard'
     from generate_series(1, $1::int) as n returning id`,
    [JOBS],
  );
  expect(columns).toHaveLength(JOBS);
  const states = async () => {
    const { rows } = await pool.query<{ state: string; n: number }>(
      `select state::text, count(*)::int as n from pgboss.job where name = 'ingest-record' group by state`,
    );
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  };

  let deaths = -1;
  let running = true;
  const supervisor = (async () => {
    while (running) {
      deaths += 1;
      await startProcess('test/faults/fixtures/poison-worker.ts', { DATABASE_URL: url, NODE_ENV: 'test' }).ended;
    }
  })();
  void supervisor;
  await eventually(
    async () => {
      const { completed = 0, failed = 0 } = await states();
      return completed + failed === JOBS;
    },
    { describe: () => `${deaths} deaths` },
  );
  running = false;
  expect(await states()).toEqual({ completed: JOBS - 1, failed: 1 });
  expect(deaths).toBe(2);
  const { rows: dead } = await pool.query(
    `select data->'record'->>'n' as n from pgboss.job where name = 'ingest-record.dead'`,
  );
  expect(dead).toEqual([{ n: '250' }]);
});
