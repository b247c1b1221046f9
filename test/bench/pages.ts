import { loadPaths, median, quantile, type Load } from './api-load.ts';
import { apiScript, environmentOf, startServer, type ServerProcess } from './api-process.ts';
import { openDataset, type Dataset } from './dataset.ts';
import type { BenchOptions } from './run.ts';

const CONNECTIONS = 8;
const SLICE_MS = 1_500;
const WARM_MS = 2_500;

type Slice = Load & { cpuMs: number };
type Case = { name: string; pages: string[]; twins: string[]; target: number | undefined };

/**
 * Measures the pages for people against the JSON of the same things, of one process with the response cache off; a ratio is the
 * median of the rounds' ratios of the time for an answer.
 */
export async function benchPages({ n = 100_000, rounds = 5 }: BenchOptions = {}): Promise<void> {
  const dataset = await openDataset(n);
  if (!dataset) return;
  let server: ServerProcess | undefined;
  try {
    server = await startServer(
      'pages',
      ['--import', './test/bench/api-uncached.ts', ...apiScript],
      environmentOf(dataset),
      { dataDir: dataset.dataDir, probe: '/health' },
    );
    console.log(`${n} listings, ${CONNECTIONS} connections, ${rounds} rounds of ${SLICE_MS / 1_000} s each in turns\n`);
    for (const each of await makeCases(dataset)) await runCase(each, server, rounds);
  } finally {
    await server?.stop();
    await dataset.stop();
  }
}

async function makeCases({ pool }: Dataset): Promise<Case[]> {
  const { rows } = await pool.query<{ slug: string; category: string }>(
    `select slug, category_id as category from listings where status = 'active' order by md5(id) limit 2000`,
  );
  const categories = [...new Set(rows.map(({ category }) => category))];
  return [
    {
      name: 'listing',
      pages: rows.map(({ slug }) => `/listings/${slug}`),
      twins: rows.map(({ slug }) => `/api/listings/${slug}`),
      target: 1.5,
    },
    { name: 'home', pages: ['/'], twins: ['/api/listings?limit=12&sort=newest'], target: undefined },
    {
      name: 'search by category',
      pages: categories.map((category) => `/search?category=${category}`),
      twins: categories.map((category) => `/api/listings?limit=24&category=${category}`),
      target: undefined,
    },
  ];
}

async function runCase({ name, pages, twins, target }: Case, server: ServerProcess, rounds: number): Promise<void> {
  for (const paths of [pages, twins]) await loadPaths(server.port, paths, CONNECTIONS, WARM_MS);
  const slices: { page: Slice; twin: Slice }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const run = async (paths: string[]) => runSlice(server, paths, round * 37);
    // Who goes first changes, so that neither always meets the caches that the other has filled.
    if (round % 2 === 0) {
      const twin = await run(twins);
      slices.push({ twin, page: await run(pages) });
    } else {
      const page = await run(pages);
      slices.push({ page, twin: await run(twins) });
    }
  }
  const ratio = median(slices.map(({ page, twin }) => twin.perSecond / page.perSecond));
  const verdict =
    target === undefined ? '' : ratio <= target ? `  (target ${target}: met)` : `  (target ${target}: MISSED)`;
  console.log(`${name}: ${ratio.toFixed(2)} times the time of its JSON${verdict}`);
  for (const kind of ['page', 'twin'] as const)
    console.log(`  ${kind.padEnd(5)} ${describe(slices.map((slice) => slice[kind]))}`);
}

async function runSlice(server: ServerProcess, paths: string[], from: number): Promise<Slice> {
  const before = server.cpuMs();
  const load = await loadPaths(server.port, paths, CONNECTIONS, SLICE_MS, from);
  return { ...load, cpuMs: server.cpuMs() - before };
}

function describe(loads: Slice[]): string {
  const middle = (value: (load: Slice) => number, digits: number) =>
    median(loads.map(value)).toFixed(digits).padStart(8);
  return [
    `${middle((load) => load.perSecond, 0)} req/s`,
    `p50 ${middle((load) => quantile(load.latencies, 0.5), 2)} ms`,
    `p99 ${middle((load) => quantile(load.latencies, 0.99), 2)} ms`,
    `CPU ${middle((load) => load.cpuMs / load.requests, 2)} ms/req`,
    `${middle((load) => load.bytes / load.requests / 1_024, 1)} KiB/req`,
  ].join('  ');
}
