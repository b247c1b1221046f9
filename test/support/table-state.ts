import type { Pool } from 'pg';

/** How many rows each table holds, and a checksum of them. */
export type TableState = Map<string, { rows: number; checksum: string }>;

/** What processes write by themselves, or of every request whatever it does; the first webhook ever makes a cursor. */
const unrelated = ['rate_windows', 'recent_requests', 'process_metrics', 'journal_cursors'];
/** What holds more is seeded, and changed by no request. */
const MAX_ROWS = 1_000;

/** Planning a count of every table takes longer than counting: the statement is made once per database. */
const statements = new WeakMap<Pool, Promise<string>>();

/** The state of every table of the service, and of the jobs and schedules of the queue. */
export async function readTables(pool: Pool): Promise<TableState> {
  const text = statements.get(pool) ?? writeStatement(pool);
  statements.set(pool, text);
  const found = await pool.query<{ name: string; rows: number; checksum: string }>({
    name: 'tables',
    text: await text,
  });
  return new Map(found.rows.map(({ name, ...state }) => [name, state]));
}

async function writeStatement(pool: Pool): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all($1)
       and (n.nspname = 'public' or (n.nspname = 'pgboss' and c.relname in ('job', 'schedule')))`,
    [unrelated],
  );
  const counts: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await pool.query(`select from ${name} limit ${MAX_ROWS + 1}`);
    if ((rowCount ?? 0) <= MAX_ROWS)
      counts.push(
        `select '${name}' as name, count(*)::int as rows, coalesce(sum(hashtextextended(t::text, 0)), 0)::text as checksum from ${name} t`,
      );
  }
  return counts.join(' union all ');
}

/** The tables that have more or fewer rows than before, with how many. */
export function rowsAdded(before: TableState, after: TableState): Record<string, number> {
  const added = [...after].map(([name, { rows }]) => [name, rows - (before.get(name)?.rows ?? 0)] as const);
  return Object.fromEntries(added.filter(([, rows]) => rows !== 0));
}

/** The tables in which anything at all is different. */
export function tablesChanged(before: TableState, after: TableState): string[] {
  return [...after]
    .filter(([name, { rows, checksum }]) => {
      const was = before.get(name);
      return was?.rows !== rows || was.checksum !== checksum;
    })
    .map(([name]) => name)
    .toSorted();
}
