import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeDisk } from '../../../shared/admin/troubles.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { createRun } from '../../support/openapi-cases-things.ts';

let app: TestApp;
let admin: Client;
beforeAll(async () => {
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1' } });
  admin = app.as(await app.createUser({ role: 'admin' }));
});
afterAll(() => app.close());

const problems = async (): Promise<string[]> => (await admin.get('/api/admin/health-detailed')).body.problems;

describe('the health of the service', () => {
  test('names a scraper that only ever failed, and one that fails again and again; success ends it', async () => {
    expect(await problems()).toEqual([]);
    const { id } = (
      await admin.post('/api/admin/scrapers', { name: 'Quiet Harbour', start_urls: ['http://127.0.0.1:9/'] })
    ).body;
    expect(await problems()).toEqual([]);
    const fail = async () => {
      const run = await createRun(app.services, id, 'failed');
      await app.database.pool.query(`update runs set error = 'The site answers nothing.' where id = $1`, [run]);
    };
    await fail();
    expect(await problems()).toEqual([
      'Quiet Harbour has never succeeded: its only run has failed (The site answers nothing). Try the scraper on a page, and mend its settings or disable it.',
    ]);
    await createRun(app.services, id, 'succeeded');
    expect(await problems()).toEqual([]);
    await fail();
    expect(await problems()).toEqual([]);
    await fail();
    expect(await problems()).toEqual([expect.stringMatching(/^Quiet Harbour: 2 runs in a row have failed/)]);
    await admin.patch(`/api/admin/scrapers/${id}`, { enabled: false });
    expect(await problems()).toEqual([]);
  });

  test('names mails that were refused for good, with what the mail server said', async () => {
    await app.database.pool.query(
      `insert into pgboss.job (id, name, data, state, output, completed_on)
       values (gen_random_uuid(), 'send-email', '{}', 'failed', '{"message": "550 5.1.1 no such user"}', now())`,
    );
    expect(await problems()).toContainEqual(
      '1 mail was refused for good in the last day. The last one says: 550 5.1.1 no such user See the failed jobs of send-email.',
    );
  });

  test('says when its disk fills, and what to do', () => {
    const GiB = 1_073_741_824;
    expect(describeDisk({ free_bytes: 60 * GiB, total_bytes: 200 * GiB }, '/data')).toEqual([]);
    expect(describeDisk({ free_bytes: 25 * GiB, total_bytes: 1_000 * GiB }, '/data')).toEqual([]);
    expect(describeDisk({ free_bytes: 4 * GiB, total_bytes: 200 * GiB }, '/data')).toEqual([
      'The disk of /data is 98 % full, 4.0 GiB are left: delete old backups and logs, or make it larger.',
    ]);
  });
});
