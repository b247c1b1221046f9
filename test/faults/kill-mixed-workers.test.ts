import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { newId } from '../../shared/kit/ids.ts';
import { openRun } from '../../shared/runs/runs.ts';
import { finishCrawl, newScraperRun } from '../../shared/scrapers/runs.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { seed, times } from '../support/lane.ts';
import { ingestBody } from '../support/listing-bodies.ts';
import { startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

const RECORDS = times(250, 500);
const MAILS = times(80, 150);
const KILLS = times(1, 6);

test('workers killed again and again lose no job, and nothing in the database happens twice', async () => {
  const app = await startApp();
  // As the queues have it, but noticed sooner.
  await app.database.pool.query(
    `update pgboss.queue set heartbeat_seconds = 4 where name in ('ingest-record', 'send-email')`,
  );
  const { runId, enqueue } = await openCrawl(app);
  await enqueue();
  const user = await app.createUser();
  await inTransaction(app.services.db, (tx) =>
    app.services.jobs.enqueueAll(
      tx,
      'send-email',
      Array.from({ length: MAILS }, (_, n) => ({
        payload: {
          message_id: `test.${n}`,
          template: 'listing-approved',
          user_id: user.id,
          data: { title: `Boat ${n}`, url: app.url },
        },
      })),
    ),
  );
  const done = async () => {
    const { rows } = await app.database.pool.query<{ n: number }>(
      `select (select count(*) from listings)::int + (select count(*) from sent_emails where sent_at is not null)::int as n`,
    );
    return rows[0]?.n ?? 0;
  };
  const start = () =>
    startProcess('workers/main.ts', {
      DATABASE_URL: app.database.url,
      DATA_DIR: app.dataDir,
      JWT_SECRET: 'a secret of the tests alone',
      QUEUES: 'ingest-record,send-email',
    });

  let worker = start();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const wanted = (await done()) + 20 + ((seed + 7 * kill) % 20);
    await eventually(async () => (await done()) > wanted, { describe: worker.output });
    await worker.kill('SIGKILL');
    worker = start();
  }
  expect(await done()).toBeLessThan(RECORDS + MAILS);
  const open = async () => {
    const { rows } = await app.database.pool.query<{ n: number }>(
      `select count(*)::int as n from pgboss.job where name in ('ingest-record', 'send-email') and state <> 'completed'`,
    );
    return rows[0]?.n ?? 0;
  };
  await eventually(async () => (await open()) === 0, { describe: worker.output });

  const { rows } = await app.database.pool.query(
    `select status, (counters->>'created')::int as created, (select count(*)::int from listings) as listings,
       (select count(*)::int from events where type = 'listing.created') as events,
       (select count(*)::int from events where type = 'run.completed') as endings
     from runs where id = $1`,
    [runId],
  );
  expect(rows).toEqual([{ status: 'succeeded', created: RECORDS, listings: RECORDS, events: RECORDS, endings: 1 }]);
  // At least once, and every copy of a mail under the name of the first.
  expect(readdirSync(join(app.dataDir, 'outbox')).filter((name) => name.endsWith('.eml'))).toHaveLength(MAILS);
  expect(await worker.kill('SIGTERM')).toBe(0);
  await app.close();
});

async function openCrawl({ services, ...app }: TestApp) {
  const { db, clock, jobs } = services;
  const now = clock.now();
  const admin = await app.createUser({ role: 'admin' });
  const scraperId = newId('scraper');
  const scraper = { id: scraperId, name: 'x', site: 'x.example.com', kind: 'http', owner_id: admin.id };
  await db
    .insertInto('scrapers')
    .values({
      ...scraper,
      start_urls: [],
      extract: '{}',
      max_pages: 1,
      requests_per_minute: 1,
      created_at: now,
      updated_at: now,
    })
    .execute();
  const runId = await inTransaction(db, (tx) =>
    openRun(tx, newScraperRun({ scraperId, trigger: 'manual', startedBy: admin.id }), now),
  );
  await db.updateTable('runs').set({ status: 'running' }).where('id', '=', runId).execute();
  return {
    runId,
    enqueue: () =>
      inTransaction(db, async (tx) => {
        const records = Array.from({ length: RECORDS }, () => ingestBody());
        await tx
          .updateTable('runs')
          .set({ counters: JSON.stringify({ records_found: RECORDS }) })
          .where('id', '=', runId)
          .execute();
        await jobs.enqueueAll(
          tx,
          'ingest-record',
          records.map((record) => ({ payload: { run_id: runId, scraper_id: scraperId, user_id: admin.id, record } })),
        );
        await finishCrawl(tx, jobs, runId, now);
      }),
  };
}
