import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSessionTokens } from '../../shared/accounts/session-token.ts';
import { systemClock } from '../../shared/kit/clock.ts';
import { startReplication, type DatabaseServer, type Replication } from '../support/replication.ts';
import { loadPaths, loadRequests, type Load } from './api-load.ts';
import { apiScript, environmentOf, processUse, startServer, type ServerProcess } from './api-process.ts';
import { fillDatabase } from './dataset.ts';
import { maxPerSecond, meanResponseMs } from './queueing.ts';
import type { BenchOptions } from './run.ts';

const SLICE_MS = 8_000;
const WARM_MS = 3_000;
const CONNECTIONS = 4;
/** Of the requests that the model has: changes, and reads of people who are signed in. The others are for nobody in particular. */
const WRITES = 0.02;
const SIGNED_IN = 0.1;
const CORES = 2;
const MACHINES = 10;
const UTILISATION = 0.7;

/** Milliseconds of a processor that one request takes of each server; of the database, of each of those that it is for. */
type Demand = {
  perSecond: number;
  api: number;
  primary: number;
  standbys: number[];
  latency: number;
  variation: number;
};

/**
 * Measures what reads and writes take of the API, a primary and two standbys on this machine, whose cores they share, and tells by a
 * queueing model what machines of their own would do.
 */
export async function benchReplicas({ n = 20_000 }: BenchOptions = {}): Promise<void> {
  const replication = await startReplication(2);
  try {
    if (!(await fillDatabase(replication.database.pool, replication.primary.url, n)))
      return console.log('the data of the listings is absent');
    await replication.caughtUp();
    const { reads, writes } = await pathsOf(replication);
    const alone = await withApi(replication, 0, async (api) => measure(replication, api, () => readLoad(api, reads)));
    const shared = await withApi(replication, 2, async (api) => measure(replication, api, () => readLoad(api, reads)));
    const changes = await withApi(replication, 2, async (api) =>
      measure(replication, api, () => writeLoad(api, writes)),
    );
    printMeasured(n, { 'reads, no standby': alone, 'reads, two standbys': shared, 'writes, two standbys': changes });
    printModel(alone, changes);
  } finally {
    await replication.stop();
  }
}

async function pathsOf({ database: { pool } }: Replication): Promise<{ reads: string[]; writes: Buffer[] }> {
  const { rows } = await pool.query<{
    id: string;
    slug: string;
    seller: string;
    epoch: number;
    category: string;
    word: string;
  }>(
    `select l.id, l.slug, u.id as seller, u.session_epoch as epoch, category_id as category, split_part(title, ' ', 2) as word
     from listings l join users u on u.id = l.seller_id where l.status = 'active' order by md5(l.id) limit 500`,
  );
  const tokens = createSessionTokens([environmentOf({ databaseUrl: '', dataDir: '' }).JWT_SECRET], systemClock);
  const reads = rows.flatMap(({ slug, category, word }, index) => [
    `/api/listings/${slug}`,
    `/api/listings/${rows[(index + 7) % rows.length]!.slug}`,
    `/api/listings/${rows[(index + 13) % rows.length]!.slug}`,
    `/api/listings?q=${encodeURIComponent(word)}`,
    `/api/listings?category=${category}&facets=attr.brand&limit=24`,
  ]);
  const writes = await Promise.all(
    rows.map(async ({ id, seller, epoch }, index) => {
      const token = await tokens.sign({ id: seller, role: 'user', session_epoch: epoch });
      const body = JSON.stringify({ price: { amount: 10_000 + index, currency: 'EUR', negotiable: true } });
      const head = [`PUT /api/listings/${id} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${token}`];
      return Buffer.from(
        [...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', body].join('\r\n'),
      );
    }),
  );
  return { reads, writes };
}

async function withApi<T>(
  { primary, standbys }: Replication,
  count: number,
  work: (api: ServerProcess) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-bench-replicas-'));
  const urls = standbys.slice(0, count).map(({ url }) => url);
  const env = { ...environmentOf({ databaseUrl: primary.url, dataDir }), DATABASE_REPLICA_URLS: urls.join(',') };
  const script = ['--import', './test/bench/api-uncached.ts', ...apiScript];
  const api = await startServer('replicas', script, env, { dataDir, probe: '/health' });
  try {
    return await work(api);
  } finally {
    await api.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Run = (connections: number, durationMs: number) => Promise<Load>;
const readLoad =
  (api: ServerProcess, paths: string[]): Run =>
  (connections, durationMs) =>
    loadPaths(api.port, paths, connections, durationMs);
const writeLoad = (api: ServerProcess, requests: Buffer[]): Run => {
  let next = 0;
  return (connections, durationMs) =>
    loadRequests(api.port, () => requests[next++ % requests.length]!, 200, connections, durationMs);
};

async function measure({ primary, standbys }: Replication, api: ServerProcess, make: () => Run): Promise<Demand> {
  const run = make();
  await run(CONNECTIONS, WARM_MS);
  const single = await run(1, SLICE_MS / 2);
  const used = () => [api.cpuMs(), cpuMsOf(primary), ...standbys.map(cpuMsOf)];
  const before = used();
  const load = await run(CONNECTIONS, SLICE_MS);
  const [ofApi = 0, ofPrimary = 0, ...ofStandbys] = used().map((ms, place) => (ms - before[place]!) / load.requests);
  const latency = single.latencies.reduce((sum, ms) => sum + ms, 0) / single.requests;
  const variance = single.latencies.reduce((sum, ms) => sum + (ms - latency) ** 2, 0) / single.requests;
  return {
    perSecond: load.perSecond,
    ...{ api: ofApi, primary: ofPrimary, standbys: ofStandbys, latency, variation: variance / latency ** 2 },
  };
}

/** What the processes of a server have used; those that have ended meanwhile are not counted, and the pools end none. */
function cpuMsOf(server: DatabaseServer): number {
  const pids = execFileSync('ps', ['--ppid', String(server.pid()), '-o', 'pid='], { encoding: 'utf8' });
  const children = pids.split('\n').map(Number).filter(Boolean);
  return children.reduce((sum, pid) => sum + processUse(pid).cpuMs(), 0);
}

const cell = (value: number, digits = 2) => value.toFixed(digits).padStart(9);

function printMeasured(n: number, rows: Record<string, Demand>): void {
  console.log(
    `${n} listings, uncached, ${CONNECTIONS} connections; ms of a processor per request, all on the cores of this machine\n`,
  );
  console.log(`${''.padEnd(24)}requests/s      API  primary standby-1 standby-2   alone ms   CV²`);
  for (const [name, { perSecond, api, primary, standbys, latency, variation }] of Object.entries(rows))
    console.log(
      name.padEnd(24) +
        cell(perSecond, 0) +
        [api, primary, ...standbys, latency, variation].map((ms) => cell(ms)).join(''),
    );
}

function printModel(reads: Demand, writes: Demand): void {
  const open = 1 - WRITES - SIGNED_IN;
  const replay = writes.standbys.reduce((sum, ms) => sum + ms, 0) / writes.standbys.length;
  console.log(
    `\n${MACHINES} machines of ${CORES} cores, one of them the primary; ${WRITES * 100} % writes, ${SIGNED_IN * 100} % reads of people signed in, ` +
      `the cache off.\nMost: bottleneck analysis (Denning, Buzen 1978). Mean time of an open read at ${UTILISATION * 100} % of it: M/G/c, ` +
      'Erlang C by Allen and Cunneen (1990).\n',
  );
  console.log('standbys  API machines  most requests/s  bottleneck  mean ms at 70 %');
  for (let count = 0; count < MACHINES - 1; count += 1) {
    const apis = MACHINES - 1 - count;
    const onPrimary = WRITES * writes.primary + (SIGNED_IN + (count === 0 ? open : 0)) * reads.primary;
    const stations = {
      API: { processors: apis * CORES, demandMs: (1 - WRITES) * reads.api + WRITES * writes.api },
      primary: { processors: CORES, demandMs: onPrimary },
      ...(count > 0 && { standby: { processors: CORES, demandMs: (open * reads.primary) / count + WRITES * replay } }),
    };
    const most = maxPerSecond(Object.values(stations));
    const bottleneck = Object.entries(stations).find(([, station]) => maxPerSecond([station]) === most)![0];
    const perMs = (most * UTILISATION) / 1_000;
    const timeIn = (serviceMs: number, { processors, demandMs }: { processors: number; demandMs: number }) =>
      // Arrivals of the mean service time that make up the load of the station.
      meanResponseMs(serviceMs, processors, (perMs * demandMs) / serviceMs, reads.variation);
    const mean = timeIn(reads.api, stations.API) + timeIn(reads.primary, stations.standby ?? stations.primary);
    console.log(
      `${String(count).padStart(8)}  ${String(apis).padStart(12)}  ${most.toFixed(0).padStart(15)}  ${bottleneck.padStart(10)}  ${mean.toFixed(1).padStart(15)}`,
    );
  }
}
