import { readContract } from '../../api/http/contract.ts';
import { validatorOf } from '../../api/http/validate.ts';
import { loadPaths, median, quantile, type Load } from './api-load.ts';
import { apiScript, environmentOf, startServer, type ServerProcess } from './api-process.ts';
import { openDataset, type Dataset } from './dataset.ts';
import type { BenchOptions } from './run.ts';

const CONNECTIONS = 8;
const SLICE_MS = 1_500;
const WARM_MS = 2_500;

type Case = {
  name: string;
  paths: string[];
  rival: 'baseline' | 'uncached';
  subject: 'uncached' | 'cached';
  target: number | undefined;
};
type Slice = Load & { cpuMs: number };

/**
 * Measures the API, each middleware on and the response cache off, against a bare node:http and pg server that runs the same
 * statements and answers the same bytes, and the cached list against the uncached one. All run as processes of their own on
 * one database and take turns; a ratio is the median of the rounds' ratios of requests per second.
 */
export async function benchApi({ n = 100_000, rounds = 5 }: BenchOptions = {}): Promise<void> {
  const dataset = await openDataset(n);
  if (!dataset) return;
  const servers = new Map<string, ServerProcess>();
  try {
    for (const [name, script, probe] of scripts) {
      servers.set(name, await startServer(name, script, environmentOf(dataset), { dataDir: dataset.dataDir, probe }));
    }
    const server = (name: string) => servers.get(name)!;
    const cases = await makeCases(dataset);
    for (const each of cases) await assertSameBytes(each, server(each.subject).port, server(each.rival).port);
    console.log(`${n} listings, ${CONNECTIONS} connections, ${rounds} rounds of ${SLICE_MS / 1_000} s each in turns\n`);
    for (const each of cases) await runCase(each, server(each.subject), server(each.rival), rounds);
    console.log(`\nvalidator: ${await measureValidator()}`);
    for (const { name, rssBytes } of servers.values())
      console.log(`RSS ${name.padEnd(10)} ${(rssBytes() / 1_048_576).toFixed(0)} MiB`);
  } finally {
    for (const server of servers.values()) await server.stop();
    await dataset.stop();
  }
}

const scripts: [name: string, script: string[], probe: string][] = [
  ['baseline', ['test/bench/baseline.ts'], '/api/listings?category=trailers'],
  ['uncached', ['--import', './test/bench/api-uncached.ts', ...apiScript], '/health'],
  ['cached', apiScript, '/health'],
];

/** Two hundred lists with filters, and two thousand details, so that no answer is just the last one. */
async function makeCases({ pool }: Dataset): Promise<Case[]> {
  const categories = [
    'sailboats',
    'cruising',
    'motorboats',
    'cabin-cruisers',
    'pontoon-boats',
    'bowriders',
    'yachts',
    'small-boats',
  ];
  const lists = Array.from({ length: 200 }, (_, index) => {
    const min = 5_000 * (1 + (index % 12));
    const filters = [`category=${categories[index % 8]}`, `min_price=${min}`, `max_price=${min + 15_000}`];
    if (index % 4 === 1) filters.push('condition=good');
    if (index % 4 === 2) filters.push(`country=${index % 8 === 2 ? 'US' : 'DE'}`);
    if (index % 8 === 0) filters.push('page=2');
    return `/api/listings?${filters.join('&')}`;
  });
  const { rows } = await pool.query<{ id: string }>(
    `select id from listings where status = 'active' order by md5(id) limit 2000`,
  );
  const details = rows.map(({ id }) => `/api/listings/${id}`);
  return [
    { name: 'list with filters', paths: lists, rival: 'baseline', subject: 'uncached', target: 0.75 },
    { name: 'detail by id', paths: details, rival: 'baseline', subject: 'uncached', target: 0.55 },
    { name: 'list from the cache', paths: lists, rival: 'uncached', subject: 'cached', target: 8 },
  ];
}

async function assertSameBytes({ name, paths }: Case, a: number, b: number): Promise<void> {
  for (const path of paths.slice(0, 40)) {
    const [one, other] = await Promise.all(
      [a, b].map((port) =>
        fetch(`http://127.0.0.1:${port}${path}`).then(async (answer) => withoutCursor(await answer.text())),
      ),
    );
    if (one !== other) throw new Error(`${name}: ${path} differs:\n${one?.slice(0, 600)}\n${other?.slice(0, 600)}`);
  }
}

/** A cursor is signed and holds the time of its page: the bare server writes none, and no two are alike. */
const withoutCursor = (text: string) => text.replace(/,"next_cursor":(?:null|"[^"]*")/, '');

async function runCase(
  { name, paths, target }: Case,
  subject: ServerProcess,
  rival: ServerProcess,
  rounds: number,
): Promise<void> {
  for (const server of [subject, rival]) await loadPaths(server.port, paths, CONNECTIONS, WARM_MS);
  const slices: { subject: Slice; rival: Slice }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const from = round * 37;
    // Who goes first changes, so that neither always meets the caches that the other has filled.
    const first = await runSlice(round % 2 === 0 ? rival : subject, paths, from);
    const second = await runSlice(round % 2 === 0 ? subject : rival, paths, from);
    slices.push(round % 2 === 0 ? { rival: first, subject: second } : { rival: second, subject: first });
  }
  const ratio = median(slices.map((slice) => slice.subject.perSecond / slice.rival.perSecond));
  const verdict =
    target === undefined ? '' : ratio >= target ? `  (target ${target}: met)` : `  (target ${target}: MISSED)`;
  console.log(`${name}: ${ratio.toFixed(2)} of ${rival.name}${verdict}`);
  for (const [server, key] of [
    [subject, 'subject'],
    [rival, 'rival'],
  ] as const) {
    console.log(`  ${server.name.padEnd(10)} ${describeSlices(slices.map((slice) => slice[key]))}`);
  }
}

async function runSlice(server: ServerProcess, paths: readonly string[], from: number): Promise<Slice> {
  const before = server.cpuMs();
  const load = await loadPaths(server.port, paths, CONNECTIONS, SLICE_MS, from);
  return { ...load, cpuMs: server.cpuMs() - before };
}

function describeSlices(slices: Slice[]): string {
  const middle = (value: (slice: Slice) => number, digits: number) =>
    median(slices.map(value)).toFixed(digits).padStart(8);
  return [
    `${middle((slice) => slice.perSecond, 0)} req/s`,
    `p50 ${middle((slice) => quantile(slice.latencies, 0.5), 2)} ms`,
    `p99 ${middle((slice) => quantile(slice.latencies, 0.99), 2)} ms`,
    `CPU ${middle((slice) => slice.cpuMs / slice.requests, 3)} ms/req`,
    `${middle((slice) => slice.bytes / slice.requests / 1_024, 1)} KiB/req`,
  ].join('  ');
}

/** What express-openapi-validator costs per request, in this process, once warm. */
async function measureValidator(): Promise<string> {
  const contract = readContract();
  const validate = validatorOf(contract);
  const operation = (id: string) => contract.operations.find((each) => each.id === id)!;
  const inputs = {
    searchListings: {
      query: { category: 'sailboats', min_price: '20000', max_price: '80000', condition: 'good' },
      params: {},
    },
    getListing: { query: {}, params: { id: 'lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2' } },
  };
  const costs: string[] = [];
  for (const [id, { query, params }] of Object.entries(inputs)) {
    const run = () =>
      validate(operation(id), {
        originalUrl: `/api/listings?${new URLSearchParams(query as Record<string, string>).toString()}`,
        headers: { host: 'x' },
        query: { ...query },
        params: { ...params },
        body: undefined,
      });
    for (let warm = 0; warm < 5_000; warm += 1) await run();
    const startedAt = performance.now();
    for (let count = 0; count < 20_000; count += 1) await run();
    costs.push(`${id} ${((performance.now() - startedAt) / 20).toFixed(1)} µs`);
  }
  return costs.join(', ');
}
