import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

const EACH = 2_000;
const KILLS = 5;

test('expiry, reminders and bulk publishing that are killed again and again do each listing once, and mail its owner once', async () => {
  const app = await startApp();
  const seller = await app.createUser();
  const { pool } = app.database;
  await pool.query(
    `insert into listings (id, slug, seller_id, category_id, status, condition, title, description, price_amount, price_currency, country, city,
       source, language, created_at, updated_at, expires_at)
     select 'lst_' || lpad(n::text, 26, '0'), 'kept-' || n, $1, 'cruising', case when n <= 2 * $2 then 'active' else 'draft' end, 'good',
       'A boat well kept, number ' || n, 'A cruising yacht kept well by her first owner, with new sails.', 0, 'EUR', 'DE', 'Kiel', 'api', 'en',
       now(), now(), now() + case when n <= $2 then interval '-1 hour' when n <= 2 * $2 then interval '3 days' else interval '20 days' end
     from generate_series(1, 3 * $2::int) as n`,
    [seller.id, EACH],
  );
  const count = async () => {
    const { rows } = await pool.query<Record<'expired' | 'published' | 'listings' | 'mails' | 'sent', number>>(
      `select count(*) filter (where type = 'listing.expired')::int as expired,
         count(*) filter (where type = 'listing.published')::int as published,
         count(distinct (type, subject))::int as listings,
         (select count(*)::int from pgboss.job where name = 'send-email') as mails,
         (select count(distinct data ->> 'message_id')::int from pgboss.job where name = 'send-email') as sent
       from events where type in ('listing.expired', 'listing.published')`,
    );
    return rows[0]!;
  };
  const done = async () => {
    const { expired, published, mails } = await count();
    return expired + published + mails;
  };
  const run = () => startProcess('test/workers/fixtures/expire-remind-publish.ts', { DATABASE_URL: app.database.url });
  for (let kills = 0; kills < KILLS; kills += 1) {
    const process = run();
    const before = await done();
    await eventually(async () => (await done()) > before, { describe: process.output });
    await process.kill('SIGKILL');
  }
  const before = await count();
  expect(await done()).toBeLessThan(3 * EACH);

  const last = run();
  await eventually(async () => last.output().endsWith('\n'), { describe: last.output });
  expect(await count()).toEqual({ expired: EACH, published: EACH, listings: 2 * EACH, mails: EACH, sent: EACH });
  // What the last run tells is what the others have left.
  expect(JSON.parse(last.output())).toEqual({
    expired: EACH - before.expired,
    notified: EACH - before.mails,
    published: EACH - before.published,
    skipped: 2 * EACH + before.published,
    failed: 0,
  });
  const { rows } = await pool.query(`select status, count(*)::int as n from listings group by 1 order by 1`);
  expect(rows).toEqual([
    { status: 'active', n: 2 * EACH },
    { status: 'expired', n: EACH },
  ]);
  await app.close();
});
