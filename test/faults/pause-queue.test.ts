import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { times } from '../support/lane.ts';
import { startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

const ROUNDS = times(1, 5);
const JOBS_AT_ONCE = 20;
const BACKLOG = 5 * JOBS_AT_ONCE;

test('once a pause is answered no job of that queue starts in any worker process, until it is resumed', async () => {
  const app = await startApp();
  const user = await app.createUser();
  const admin = app.as(await app.createUser({ role: 'admin' }));
  const workers = Array.from({ length: 2 }, () =>
    startProcess('workers/main.ts', {
      DATABASE_URL: app.database.url,
      DATA_DIR: app.dataDir,
      JWT_SECRET: 'a secret of the tests alone',
      QUEUES: 'send-email,send-digests',
    }),
  );
  const describe = () => workers.map(({ output }) => output()).join('\n');
  const until = (ask: () => Promise<boolean>) => eventually(ask, { describe });
  const startedOf = async (queue: string) => {
    const { rows } = await app.database.pool.query<{ n: number }>(
      `select count(*)::int as n from pgboss.job where name = $1 and started_on is not null`,
      [queue],
    );
    return rows[0]?.n ?? 0;
  };

  let streaming = true;
  let sent = 0;
  // There is always more than both workers have in hand, and never so much that working it off takes long.
  let maxWaiting = BACKLOG;
  const stream = (async () => {
    while (streaming)
      if (sent - (await startedOf('send-email')) < maxWaiting) sent = await sendMails(app, user, sent);
      else await sleep(10);
  })();
  onTestFinished(async () => {
    streaming = false;
    await stream;
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await startedOf('send-email');
    await until(async () => (await startedOf('send-email')) > before + JOBS_AT_ONCE);
    expect((await admin.post('/api/admin/queues/send-email/pause')).status).toBe(200);
    const atAnswer = await startedOf('send-email');
    // Mails that were sent meanwhile wake both workers before the jobs do that prove them awake.
    const sentBefore = sent;
    maxWaiting = sentBefore - atAnswer + BACKLOG;
    await until(() => Promise.resolve(sent > sentBefore + 2 * JOBS_AT_ONCE));
    for (let proof = 0; proof < 3; proof += 1) {
      const done = await startedOf('send-digests');
      await app.services.jobs.boss.send('send-digests', {});
      await until(async () => (await startedOf('send-digests')) > done);
    }
    expect(await startedOf('send-email')).toBe(atAnswer);
    maxWaiting = BACKLOG;
    await admin.post('/api/admin/queues/send-email/resume');
  }
  streaming = false;
  await stream;

  const { pool } = app.database;
  const open = `select count(*)::int as n from pgboss.job where name = 'send-email' and state < 'completed'`;
  await until(async () => (await pool.query<{ n: number }>(open)).rows[0]?.n === 0);
  const { rows } = await pool.query(
    `select state, retry_count, count(*)::int as jobs from pgboss.job where name = 'send-email' group by 1, 2`,
  );
  expect(rows).toEqual([{ state: 'completed', retry_count: 0, jobs: sent }]);
});

/** Sends some more mails, in a transaction each, and answers how many there are now. */
async function sendMails({ services, url }: TestApp, user: TestUser, sent: number): Promise<number> {
  for (let n = sent; n < sent + JOBS_AT_ONCE; n += 1)
    await inTransaction(services.db, (tx) =>
      services.jobs.enqueue(tx, 'send-email', {
        message_id: `test.${n}`,
        template: 'listing-approved',
        user_id: user.id,
        data: { title: `Boat ${n}`, url },
      }),
    );
  return sent + JOBS_AT_ONCE;
}
