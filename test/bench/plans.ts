import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { adminPaths } from './admin.ts';
import { openLoad } from './load-open.ts';
import { sendTraffic } from './load-traffic.ts';
import { readExecutions, type Execution } from './plans-read.ts';
import type { BenchOptions } from './run.ts';

const HOTTEST = 50;
const TRAFFIC_MS = 180_000;
const PER_SECOND = 40;
const ADMIN_TIMES = 3;
/** A statement is bounded where no execution looks at more rows than this, however many there are. */
const MAX_ROWS = 25_000;
/** A table that may be read as a whole. */
const SMALL_TABLE = 2_000;
const TEXT = 110;

/** One execution in ten is explained, so that the others are timed as they are. */
const settings = [
  `shared_preload_libraries = 'pg_stat_statements,auto_explain'`,
  `pg_stat_statements.track = 'all'`,
  'auto_explain.log_min_duration = 0',
  'auto_explain.sample_rate = 0.1',
  'auto_explain.log_analyze = on',
  'auto_explain.log_timing = off',
  'auto_explain.log_buffers = on',
  'auto_explain.log_verbose = on',
  'auto_explain.log_nested_statements = on',
  'auto_explain.log_parameter_max_length = 0',
  'auto_explain.log_format = json',
];

type Statement = { id: string; calls: number; meanMs: number; totalMs: number; text: string };

/**
 * The statements that take most of the database's time while the whole fleet is under the traffic of an ordinary day and the
 * console is read, each with its calls, its time, and the most rows and pages that an explained execution of it touched. Those
 * that read a large table as a whole, or look at more than 25,000 rows, are marked.
 */
export async function benchPlans({ n = 100_000 }: BenchOptions = {}): Promise<void> {
  const load = await openLoad(n, settings);
  if (!load) return;
  const { fleet, pool, traffic, admin } = load;
  try {
    await pool.query('create extension if not exists pg_stat_statements');
    await sendTraffic(traffic, { until: Date.now() + TRAFFIC_MS, perSecond: PER_SECOND });
    for (let turn = 0; turn < ADMIN_TIMES; turn += 1)
      for (const path of adminPaths) await read(`${fleet.url}${path}`, admin);
    const statements = await hottest(pool);
    const executions = readExecutions(readFileSync(join(fleet.dataDir, 'postgres', 'server.log'), 'utf8'));
    report(
      n,
      statements,
      Map.groupBy(executions, ({ queryId }) => queryId),
      await findLarge(pool),
    );
  } finally {
    await load.close();
  }
}

async function read(url: string, token: string): Promise<void> {
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  // A person whom the data lacks is no error.
  if (answer.status >= 500) throw new Error(`${url} answers ${answer.status}`);
}

async function hottest(pool: Pool): Promise<Statement[]> {
  const { rows } = await pool.query<Statement>(
    `select queryid::text as id, calls::float8 as calls, mean_exec_time as "meanMs", total_exec_time as "totalMs", query as text
     from pg_stat_statements
     where query ~* '^\\s*(select|insert|update|delete|with|merge)' and query !~ 'pg_stat_statements'
     order by total_exec_time desc limit $1`,
    [HOTTEST],
  );
  return rows;
}

/** The tables that must not be read as a whole. */
async function findLarge(pool: Pool): Promise<Set<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and reltuples > $1`,
    [SMALL_TABLE],
  );
  return new Set(rows.map(({ name }) => name));
}

function report(n: number, statements: Statement[], executions: Map<string, Execution[]>, large: Set<string>): void {
  const all = statements.reduce((sum, { totalMs }) => sum + totalMs, 0);
  console.log(`${n} listings: the ${statements.length} statements that took most of the database's time`);
  console.log('  share    calls  mean ms  explained  rows at most  pages at most');
  let unbounded = 0;
  for (const { id, calls, meanMs, totalMs, text } of statements) {
    const seen = executions.get(id) ?? [];
    const [rows, pages] = [
      Math.max(0, ...seen.map((each) => each.rows)),
      Math.max(0, ...seen.map((each) => each.pages)),
    ];
    const whole = [...new Set(seen.flatMap((each) => [...each.whole]))].filter((table) => large.has(table));
    const isUnbounded = whole.length > 0 || rows > MAX_ROWS;
    if (isUnbounded) unbounded += 1;
    const columns = [
      `${((100 * totalMs) / all).toFixed(1)} %`.padStart(7),
      calls.toFixed(0).padStart(8),
      meanMs.toFixed(2).padStart(8),
      String(seen.length).padStart(10),
      rows.toFixed(0).padStart(13),
      pages.toFixed(0).padStart(14),
    ];
    const mark = isUnbounded ? `  UNBOUNDED${whole.length > 0 ? `: reads all of ${whole.join(', ')}` : ''}` : '';
    console.log(`${columns.join(' ')}${mark}`);
    console.log(`          ${text.replaceAll(/\s+/g, ' ').slice(0, TEXT)}`);
    const scans = [...new Set(seen.flatMap((each) => [...each.scans]))].slice(0, 8);
    if (scans.length > 0) console.log(`          by ${scans.join(', ')}`);
  }
  console.log(`${unbounded} of ${statements.length} are not bounded`);
}
