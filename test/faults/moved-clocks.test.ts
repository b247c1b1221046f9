import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { freePort, startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const moveClock = fileURLToPath(new URL('fixtures/moved-clock.ts', import.meta.url));

/** A process of the fleet on a machine whose clock is wrong by so much. */
function startAhead(app: TestApp, script: string, aheadMs: number, env: Record<string, string>) {
  return startProcess(script, {
    NODE_OPTIONS: `--import ${moveClock}`,
    CLOCK_AHEAD_MS: String(aheadMs),
    DATABASE_URL: app.database.url,
    DATA_DIR: app.dataDir,
    JWT_SECRET: 'a secret of the tests alone',
    LOG_LEVEL: 'info',
    ...env,
  });
}

async function offer(app: TestApp, seller: TestUser, slug: string, expiresInMs: number): Promise<void> {
  await app.database.pool.query(
    `insert into listings (id, slug, seller_id, category_id, status, condition, title, description, price_amount, price_currency, country, city,
       source, language, created_at, updated_at, expires_at)
     values ('lst_' || $1, $1, $2, 'cruising', 'active', 'good', $1, 'A cruising yacht kept well by her first owner.', 0, 'EUR', 'DE', 'Kiel',
       'api', 'en', now(), now(), now() + make_interval(secs => $3))`,
    [slug, seller.id, expiresInMs / 1_000],
  );
}

test('on machines 40 days ahead and an hour behind, tokens, expiry and reminders follow the clock of the database', async () => {
  const app = await startApp();
  const seller = await app.createUser();
  await offer(app, seller, 'over', -60_000);
  await offer(app, seller, 'lasting', 20 * DAY);
  await offer(app, seller, 'soon', 7 * DAY - HOUR / 2);
  await offer(app, seller, 'late', 45 * DAY);
  const port = String(await freePort());
  const api = startAhead(app, 'api/main.ts', 40 * DAY, { PORT: port });
  const expiring = startAhead(app, 'workers/main.ts', 40 * DAY, { QUEUES: 'expire-listings' });
  const reminding = startAhead(app, 'workers/main.ts', -HOUR, { QUEUES: 'notify-expiring' });
  const { boss } = app.services.jobs;
  await boss.send('expire-listings', {});
  await boss.send('notify-expiring', {});

  const query = async (text: string) => (await app.database.pool.query(text)).rows as unknown[];
  const worked = async () =>
    (
      await query(
        `select distinct name from pgboss.job where name in ('expire-listings', 'notify-expiring') and state = 'completed'`,
      )
    ).length;
  await eventually(async () => (await worked()) === 2, {
    describe: () => expiring.output() + reminding.output(),
  });
  expect(await query(`select subject from events where type = 'listing.expired'`)).toEqual([{ subject: 'lst_over' }]);
  expect(await query(`select distinct listing_id, days from listing_reminders`)).toEqual([
    { listing_id: 'lst_soon', days: 7 },
  ]);

  let status = 0;
  const me = async () => {
    const headers = { Authorization: `Bearer ${seller.token}` };
    const answer = await fetch(`http://127.0.0.1:${port}/api/me`, { headers }).catch(() => undefined);
    status = answer?.status ?? 0;
    return answer !== undefined;
  };
  await eventually(me, { describe: api.output });
  expect(status).toBe(200);
  // Their own clocks were wrong indeed.
  const logged = ({ output }: typeof api) => /"time":"([^"]+)"/.exec(output())?.[1];
  await eventually(async () => [api, expiring, reminding].every(logged));
  const aheadHours = (each: typeof api) => Math.round((Date.parse(logged(each) ?? '') - Date.now()) / HOUR);
  expect([api, expiring, reminding].map(aheadHours)).toEqual([960, 960, -1]);
  await Promise.all([api, expiring, reminding].map((each) => each.kill('SIGKILL')));
  await app.close();
});
