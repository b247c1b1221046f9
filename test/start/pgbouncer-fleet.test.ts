import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cloneDatabase } from '../support/database.ts';
import { sample } from '../support/lane.ts';
import { listingBody } from '../support/listing-bodies.ts';
import { isPgBouncerInstalled, startPgBouncer } from '../support/pgbouncer.ts';
import { endAll, newFolder, run } from './support.ts';
import { eventually } from '../support/waiting.ts';

afterEach(endAll);

const root = join(import.meta.dirname, '../..');

/** The settings of the pooler; in transaction mode fewer connections than one process has, and a way past it. */
const modes: { pool_mode: string; default_pool_size: number; [setting: string]: string | number }[] = [
  { pool_mode: 'session', default_pool_size: 59 },
  { pool_mode: 'transaction', default_pool_size: 5, server_round_robin: 1 },
];

test.skipIf(!isPgBouncerInstalled()).each(sample(modes, 1, 1))(
  'npm start works behind a PgBouncer with $pool_mode mode: a listing is published, its jobs run and its mail leaves',
  async (settings) => {
    const { url, pool } = await cloneDatabase();
    const dataDir = newFolder();
    const isSession = settings.pool_mode === 'session';
    const fleet = run(
      ['run', 'start', '--', '--api', '2'],
      root,
      {
        PATH: process.env['PATH'] ?? '',
        DATABASE_URL: await startPgBouncer(url, settings),
        ...(!isSession && { DATABASE_DIRECT_URL: url }),
        DATA_DIR: dataDir,
        PORT: '0',
        LOG_LEVEL: 'warn',
      },
      { program: 'npm' },
    );
    const say = () => fleet.lines.join('\n');
    const addressOf = () => /^ +API +(\S+)$/m.exec(say())?.[1];
    await eventually(async () => addressOf() !== undefined, { describe: say });
    const call = async (path: string, body: object, token = '') => {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
      const response = await fetch(`${addressOf()}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      const answer = (await response.json()) as { token: string; id: string; status: string };
      expect([response.ok, answer]).toEqual([true, expect.anything()]);
      return answer;
    };
    const { token } = await call('/auth/register', {
      email: 'ada@example.com',
      password: 'a harbour at dawn 7',
      name: 'Ada',
    });
    const { id } = await call('/listings', listingBody(), token);
    expect((await call(`/listings/${id}/publish`, {}, token)).status).toBe('active');

    const outbox = join(dataDir, 'outbox');
    const mails = () => (existsSync(outbox) ? readdirSync(outbox).filter((name) => name.endsWith('.eml')) : []);
    const isApproved = (name: string) => readFileSync(join(outbox, name), 'utf8').includes('Bavaria Cruiser 46');
    await eventually(async () => mails().some(isApproved), { describe: say });
    const unread = `select count(*)::int as n from journal_cursors c
      where (c.xid, c.seq) < (select e.xid, e.seq from events e order by e.xid desc, e.seq desc limit 1)`;
    await eventually(async () => (await pool.query(unread)).rows[0].n === 0, { describe: say });
    const pooled = `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and application_name in ('quayside-api', 'quayside-workers', 'quayside-scrapers')`;
    if (!isSession) expect((await pool.query(pooled)).rows[0].n).toBeLessThanOrEqual(settings.default_pool_size);
    fleet.child.kill('SIGTERM');
    expect(await fleet.end()).toBe(0);
  },
);
