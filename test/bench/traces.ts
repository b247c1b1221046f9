import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSessionTokens } from '../../shared/accounts/session-token.ts';
import { systemClock } from '../../shared/kit/clock.ts';
import { listingBody } from '../support/listing-bodies.ts';
import { loadRequests, median, quantile, type Load } from './api-load.ts';
import { apiScript, environmentOf, startServer, type ServerProcess } from './api-process.ts';
import { openDataset, type Dataset } from './dataset.ts';
import type { BenchOptions } from './run.ts';

const CONNECTIONS = 4;
const SLICE_MS = 3_000;
const WARM_MS = 4_000;

type Case = { name: string; status: number; next: () => Buffer };
type Slice = Load & { cpuMs: number };

/**
 * Measures what traces cost the API: off, with one request in twenty sampled, and with every one. The response cache is off. All
 * run as processes of their own on one database and take turns; the receiver takes everything and does nothing with it.
 */
export async function benchTraces({ n = 10_000, rounds = 5 }: BenchOptions = {}): Promise<void> {
  const dataset = await openDataset(n);
  if (!dataset) return;
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const servers: ServerProcess[] = [];
  try {
    for (const [name, variables] of settings(endpoint)) {
      const environment = { ...environmentOf(dataset), RATE_LIMIT_MULTIPLIER: '0', ...variables };
      const script = ['--import', './test/bench/api-uncached.ts', ...apiScript];
      servers.push(await startServer(name, script, environment, { dataDir: dataset.dataDir, probe: '/health' }));
    }
    console.log(`${n} listings, ${CONNECTIONS} connections, ${rounds} rounds of ${SLICE_MS / 1_000} s each in turns`);
    for (const each of await makeCases(dataset)) await runCase(each, servers, rounds);
    for (const { name, rssBytes } of servers)
      console.log(`RSS ${name.padEnd(6)} ${Math.round(rssBytes() / 1_048_576)} MiB`);
  } finally {
    for (const server of servers) await server.stop();
    receiver.closeAllConnections();
    receiver.close();
    await dataset.stop();
  }
}

const settings = (endpoint: string): [name: string, variables: Record<string, string>][] => [
  ['off', {}],
  [
    '5 %',
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.05',
    },
  ],
  ['100 %', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }],
];

async function makeCases({ pool }: Dataset): Promise<Case[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from listings where status = 'active' order by md5(id) limit 2000`,
  );
  const { rows: sellers } = await pool.query<{ id: string; role: 'user'; session_epoch: number }>(
    `select id, role, session_epoch from users where role = 'user' order by id limit 1`,
  );
  const token = await createSessionTokens(['only for this benchmark'], systemClock).sign(sellers[0]!);
  const lists = ['sailboats', 'motorboats', 'yachts'].flatMap((category) =>
    Array.from({ length: 20 }, (_, step) => `/api/listings?category=${category}&min_price=${1_000 * step}`),
  );
  const get = (paths: string[]) => {
    let next = 0;
    return () => Buffer.from(`GET ${paths[next++ % paths.length]} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  };
  // The same twice within a minute would be refused.
  const run = randomUUID();
  let made = 0;
  const create = () => {
    const body = JSON.stringify(listingBody({ title: `A boat of ${run}, number ${(made += 1)}` }));
    const head = `POST /api/listings HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`;
    return Buffer.from(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  return [
    { name: 'detail by id', status: 200, next: get(rows.map(({ id }) => `/api/listings/${id}`)) },
    { name: 'list with filters', status: 200, next: get(lists) },
    { name: 'create', status: 201, next: create },
  ];
}

async function runCase({ name, status, next }: Case, servers: ServerProcess[], rounds: number): Promise<void> {
  const slices = new Map(servers.map((server): [ServerProcess, Slice[]] => [server, []]));
  for (const server of servers) await loadRequests(server.port, next, status, CONNECTIONS, WARM_MS);
  for (let round = 0; round < rounds; round += 1) {
    // Who goes first changes, so that none always meets the caches that another has filled.
    const order = servers.map((_, index) => servers[(index + round) % servers.length]!);
    for (const server of order) {
      const before = server.cpuMs();
      const load = await loadRequests(server.port, next, status, CONNECTIONS, SLICE_MS);
      slices.get(server)!.push({ ...load, cpuMs: server.cpuMs() - before });
    }
  }
  console.log(name);
  const [off] = slices.values();
  const cpuOf = (slice: Slice) => slice.cpuMs / slice.requests;
  for (const [server, taken] of slices) {
    const middle = (value: (slice: Slice) => number, digits: number) =>
      median(taken.map(value)).toFixed(digits).padStart(8);
    console.log(
      `  ${server.name.padEnd(6)} ${middle((slice) => slice.perSecond, 0)} req/s  p50 ${middle((slice) => quantile(slice.latencies, 0.5), 2)} ms` +
        `  CPU ${middle(cpuOf, 3)} ms/req` +
        `  ${median(taken.map((slice, round) => cpuOf(slice) / cpuOf(off![round]!))).toFixed(2)} of that without`,
    );
  }
}
