import type { Pool } from 'pg';
import { createSessionTokens } from '../../shared/accounts/session-token.ts';
import { snapshotSlowFigures } from '../../shared/admin/slow-figures.ts';
import { systemClock } from '../../shared/kit/clock.ts';
import { newId } from '../../shared/kit/ids.ts';
import { median } from './api-load.ts';
import { apiScript, environmentOf, startServer } from './api-process.ts';
import { fillPeople } from './admin-people.ts';
import { openDataset, type Dataset } from './dataset.ts';
import type { BenchOptions } from './run.ts';

const TIMES = 10;
/** Nothing may take longer at first, or later. */
const FIRST_MS = 2_000;
const NEXT_MS = 1_000;

/** What the console asks for. */
export const adminPaths: readonly string[] = [
  '/api/admin/stats',
  '/api/admin/metrics',
  '/api/admin/inventory',
  '/api/admin/kpis',
  '/api/admin/kpis?days=365',
  '/api/admin/kpis/motorboats',
  '/api/admin/nautical/analytics',
  '/api/admin/nautical/tracking',
  '/api/admin/nautical/scrape-stats',
  '/api/admin/nautical/listings',
  '/api/admin/nautical/listings?status=expired&page=5',
  '/api/admin/nautical/dedup/stats',
  '/api/admin/analytics',
  '/api/admin/image-stats',
  '/api/admin/zero-image-listings',
  '/api/admin/timeseries',
  '/api/admin/listings',
  '/api/admin/listings?q=bavaria',
  '/api/admin/listings?q=person-77',
  '/api/admin/listings?status=active&sort=price_high&country=DE',
  '/api/admin/listings?reported=true',
  '/api/admin/users?limit=50',
  '/api/admin/users?q=crowd.example&limit=50',
  '/api/admin/users?q=zzzz&limit=50',
  '/api/admin/users?role=moderator&status=suspended&limit=50',
  '/api/admin/users/usr_00000000000000000000000020',
  '/api/admin/audit?limit=50',
  '/api/admin/audit?action=nothing&limit=50',
  '/api/admin/audit?subject=usr_00000000000000000000000020&limit=50',
  '/api/admin/payments?limit=25',
  '/api/admin/payments?q=person-77&limit=25',
  '/api/admin/payments/revenue',
  '/api/admin/webhooks?limit=25',
  '/api/admin/webhooks?state=failing&limit=25',
  '/api/admin/webhooks?q=hooks.example&limit=25',
  '/api/admin/search?q=person',
  '/api/admin/flagged',
  '/api/admin/validation-queue',
  '/api/admin/listings/expiring',
  '/api/admin/rewrite/status',
  '/api/admin/rewrite/texts',
  '/api/admin/rewrite/texts?status=failed',
  '/api/admin/rewrite/texts?locale=de&page=100',
  '/api/admin/jobs',
  '/api/admin/queues',
  '/api/admin/runs',
  '/api/admin/recent-requests',
  '/api/admin/health-detailed',
  '/metrics',
];

type Times = { first: number; next: number[] };

/**
 * Measures what the console of administrators asks for, one request at a time: the first answer of a process just started and
 * the next ten, without and with what a worker has counted before. Beside them a request that asks nothing of the database.
 */
export async function benchAdmin({ n = 1_000_000 }: BenchOptions = {}): Promise<void> {
  const dataset = await openDataset(n);
  if (!dataset) return;
  const { pool } = dataset;
  await fillPeople(pool);
  const admin = await createAdmin(pool);
  try {
    await pool.query('truncate kept_figures');
    const counted = await measure(dataset, admin.token);
    await snapshotSlowFigures({ pool, clock: systemClock }, new AbortController().signal);
    const kept = await measure(dataset, admin.token);
    console.log(
      `${n} listings, milliseconds: the first answer of a process, and the next ${TIMES}, in the middle and at most\n`,
    );
    console.log(`${' '.repeat(52)} ${'counted now'.padStart(26)} ${'counted by a worker'.padStart(26)}`);
    for (const path of ['/health', ...adminPaths]) report(path, [counted.get(path)!, kept.get(path)!]);
  } finally {
    // The database keeps its last administrator.
    await pool.query(
      `delete from users where id = $1 and exists (select from users where role = 'admin' and id <> $1)`,
      [admin.id],
    );
    await dataset.stop();
  }
}

async function measure(dataset: Dataset, token: string): Promise<Map<string, Times>> {
  const api = await startServer('api', apiScript, environmentOf(dataset), { ...dataset, probe: '/health' });
  try {
    const times = new Map<string, Times>();
    for (const path of ['/health', ...adminPaths]) {
      const ask = () => time(`http://127.0.0.1:${api.port}${path}`, token);
      const first = await ask();
      const next: number[] = [];
      for (let turn = 0; turn < TIMES; turn += 1) next.push(await ask());
      times.set(path, { first, next });
    }
    return times;
  } finally {
    await api.stop();
  }
}

function report(path: string, measured: Times[]): void {
  const columns = measured.map(({ first, next }) =>
    [first, median(next), Math.max(...next)].map((value) => value.toFixed(0).padStart(8)).join(' '),
  );
  const met = measured.every(({ first, next }) => first <= FIRST_MS && Math.max(...next) <= NEXT_MS);
  console.log(`${path.padEnd(52)} ${columns.join(' ')}${met ? '' : '  MISSED'}`);
}

async function time(url: string, token: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return performance.now() - startedAt;
}

async function createAdmin(pool: Pool): Promise<{ id: string; token: string }> {
  const id = newId('user');
  await pool.query(
    `insert into users (id, email, name, role, verified, created_at, updated_at) values ($1, $2, 'Admin', 'admin', true, now(), now())`,
    [id, `${id.toLowerCase()}@example.com`],
  );
  const tokens = createSessionTokens([environmentOf({ databaseUrl: '', dataDir: '' }).JWT_SECRET], systemClock);
  return { id, token: await tokens.sign({ id, role: 'admin', session_epoch: 0 }) };
}
