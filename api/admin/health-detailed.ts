import type { Pool } from 'pg';
import {
  readIndexTroubles,
  readJournalLags,
  readProcesses,
  readScraperStates,
  type IndexTroubles,
} from '../../shared/boot/fleet.ts';
import { describeDisk, findTroubles, readDisk } from '../../shared/admin/troubles.ts';
import { probeDatabase } from '../../shared/kit/database-health.ts';
import { readQueueAges, readQueueDepths } from '../../shared/queues/inspect.ts';
import { readFeedState, type FeedState } from '../../shared/rates/stored-rates.ts';
import { VERSION } from '../../shared/kit/version.ts';
import { uptimeSeconds, writeTroubles } from '../discovery/health.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import type { Services } from '../services.ts';

type Report = Result<'getDetailedHealth', 200>;

/** A reader or a queue that is behind for so long is a problem. */
const LONG_SECONDS = 600;
/** Changes that the search index has not taken for so long are one: PostgreSQL answers its searches meanwhile. */
const LONG_UNINDEXED_SECONDS = 60;

/** The whole fleet as the database tells, and this process as it is; always 200, problems are named. */
export const getDetailedHealth: Handler<'getDetailedHealth'> = async (services) => {
  const { pool, clock, cache, writes, config, profile } = services;
  const { database, migrations } = await probeDatabase(pool);
  const [server, fleet, index, resting, feed, parts, troubles, disk] = await Promise.all([
    readServer(pool),
    readFleet(services),
    readIndexTroubles(pool),
    services.searcher.findTrouble(),
    readFeedState(pool),
    writes.failing(),
    findTroubles(pool, clock.now()),
    readDisk(config.dataDir),
  ]);
  const { rss, heapUsed, heapTotal } = process.memoryUsage();
  const { totalCount: total, idleCount: idle, waitingCount: waiting } = pool;
  const report: Omit<Report, 'status' | 'problems'> = {
    timestamp: clock.now().toISOString(),
    version: VERSION,
    node_version: process.version,
    profile: profile.name,
    uptime_seconds: uptimeSeconds(services),
    database: { ...database, ...server },
    standbys: services.reads.report().map(({ name, state, lagSeconds: lag_seconds }) => ({ name, state, lag_seconds })),
    migrations,
    pool: { total, idle, waiting },
    memory: { rss_bytes: rss, heap_used_bytes: heapUsed, heap_total_bytes: heapTotal },
    cache: cache.stats(),
    ...fleet,
    disk,
    storage: { kind: config.s3 ? 's3' : 'disk', healthy: !parts.includes('images') },
    providers: {
      mail: config.mail.smtpUrl ? 'smtp' : 'outbox',
      payments: services.payments.mode === 'stub' ? 'stub' : 'live',
      ai: config.openai ? 'openai' : 'stub',
    },
  };
  const problems = [
    ...problemsOf(report, services),
    ...writeTroubles(parts),
    ...indexProblems(index, resting),
    ...feedProblems(feed),
    ...troubles,
    ...describeDisk(disk, config.dataDir),
  ];
  return { status: 200, body: { status: problems.length === 0 ? 'healthy' : 'degraded', problems, ...report } };
};

const standbyTroubles = {
  lagging: 'it lags',
  unreachable: 'it does not answer',
  promoted: 'it is a primary',
  diverged: 'it is on another timeline than the primary',
  foreign: 'it is a standby of another database',
};

function problemsOf(report: Omit<Report, 'status' | 'problems'>, { ready }: Services): string[] {
  const { database, standbys, migrations, queues, journal } = report;
  return [
    ...(ready ? [] : ['This process is stopping.']),
    ...(database.connected ? [] : ['The database cannot be reached.']),
    ...standbys.flatMap(({ name, state, lag_seconds: lag }) =>
      state === 'serving' ? [] : [`${name} answers no reads: ${standbyTroubles[state]}, ${Math.round(lag)} s behind.`],
    ),
    ...(migrations.pending === 0 ? [] : [`${migrations.pending} migrations are pending.`]),
    ...queues.flatMap(({ name, dead }) => (dead > 0 ? [`${name} has given up ${dead} jobs.`] : [])),
    ...queues.flatMap(({ name, paused, oldest_seconds: age }) =>
      age > LONG_SECONDS && !paused ? [`A job of ${name} has waited for ${Math.round(age)} s.`] : [],
    ),
    ...journal.flatMap(({ reader, lag_seconds: lag }) =>
      lag > LONG_SECONDS ? [`The reader ${reader} of the journal is ${Math.round(lag)} s behind.`] : [],
    ),
  ];
}

const indexProblems = ({ waited_seconds: waited, refused, repaired }: IndexTroubles, resting: string | undefined) => [
  ...(resting === undefined ? [] : [`The search index does not answer, PostgreSQL does: ${resting}.`]),
  ...(waited > LONG_UNINDEXED_SECONDS
    ? [`Changes of listings have waited for the search index for ${Math.round(waited)} s.`]
    : []),
  ...(refused > 0 ? [`Listings that the search index refuses: ${refused}.`] : []),
  ...(repaired > 0 ? [`Documents of the search index that the last comparison had to repair: ${repaired}.`] : []),
];

const feedProblems = ({ failing_since: since, error }: FeedState) =>
  since ? [`The exchange rates cannot be refreshed since ${since.toISOString()}: ${error}`] : [];

async function readFleet({
  pool,
  clock,
}: Services): Promise<Pick<Report, 'processes' | 'queues' | 'journal' | 'scrapers'>> {
  const [processes, depths, ages, paused, journal, scrapers] = await Promise.all([
    readProcesses(pool),
    readQueueDepths(pool),
    readQueueAges(pool),
    pool.query<{ name: string }>('select name from paused_queues'),
    readJournalLags(pool, clock.now()),
    readScraperStates(pool),
  ]);
  const age = new Map(ages.map(({ name, oldest_seconds }) => [name, oldest_seconds]));
  const isPaused = new Set(paused.rows.map(({ name }) => name));
  return {
    processes: processes.map(({ seen_at, ...process }) => ({ ...process, seen_at: seen_at.toISOString() })),
    queues: depths.map((queue) => ({
      ...queue,
      oldest_seconds: age.get(queue.name) ?? 0,
      paused: isPaused.has(queue.name),
    })),
    journal: journal.map(({ updated_at, ...reader }) => ({ ...reader, updated_at: updated_at.toISOString() })),
    scrapers: scrapers.map(({ id, name, enabled, last_status, last_success_at: at }) => ({
      ...{ id, name, enabled, last_status },
      last_success_at: at?.toISOString() ?? null,
    })),
  };
}

async function readServer(pool: Pool) {
  const { rows } = await pool.query<{
    server_version: string;
    size_bytes: number;
    connections: number;
    max_connections: number;
  }>({
    name: 'server-state',
    text: `select current_setting('server_version') as server_version, pg_database_size(current_database()) as size_bytes,
             (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
             current_setting('max_connections')::int as max_connections`,
  });
  return rows[0]!;
}
