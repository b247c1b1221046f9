import { buildCatalog } from '../../shared/catalog/tree.ts';
import { profileOf } from '../../shared/profiles/read-profile.ts';
import { loadPaths, median, quantile, type Load } from './api-load.ts';
import { apiScript, environmentOf, startServer, type ServerProcess } from './api-process.ts';
import { openDataset, type Dataset } from './dataset.ts';
import type { BenchOptions } from './run.ts';

const CONNECTIONS = 2;
const SLICE_MS = 4_000;
const TARGET_MS = 200;

/**
 * Measures prices, every middleware on and the response cache off, for what sellers ask about real listings, beside a bare
 * server that answers the percentiles of whole categories. Both run as processes of their own on one database and take turns;
 * latencies are over all rounds.
 */
export async function benchPricing({ n = 100_000, rounds = 5 }: BenchOptions = {}): Promise<void> {
  const dataset = await openDataset(n);
  if (!dataset) return;
  const servers: ServerProcess[] = [];
  try {
    const start = async (name: string, script: string[], probe: string) => {
      const server = await startServer(name, script, environmentOf(dataset), { dataDir: dataset.dataDir, probe });
      servers.push(server);
      return server;
    };
    const bare = await start('bare', ['test/bench/pricing-baseline.ts'], '/?categories=rowing&currency=EUR');
    const api = await start('api', ['--import', './test/bench/api-uncached.ts', ...apiScript], '/health');
    console.log(`${n} listings, ${CONNECTIONS} connections, ${rounds} rounds of ${SLICE_MS / 1_000} s each in turns\n`);
    const { bare: barePaths, ...questions } = await readQuestions(dataset);
    const runs = [
      { name: 'bare', server: bare, paths: barePaths ?? [], loads: [] as Load[] },
      ...Object.entries(questions).map(([name, paths]) => ({ name, server: api, paths, loads: [] as Load[] })),
    ];
    for (const { server, paths } of runs) await loadPaths(server.port, paths, CONNECTIONS, SLICE_MS);
    for (let round = 0; round < rounds; round += 1)
      for (const { server, paths, loads } of round % 2 === 0 ? runs : runs.toReversed())
        loads.push(await loadPaths(server.port, paths, CONNECTIONS, SLICE_MS, round * 211));
    for (const { name, server, loads } of runs) report(name, loads, server === api);
    for (const { name, rssBytes } of servers)
      console.log(`RSS ${name.padEnd(5)} ${(rssBytes() / 1_048_576).toFixed(0)} MiB`);
  } finally {
    for (const server of servers) await server.stop();
    await dataset.stop();
  }
}

type Seen = {
  category_id: string;
  price_amount: number;
  price_currency: string;
  condition: string;
  country: string;
  brand: string;
  model: string;
  fuel_type: string | null;
  year: number | null;
  length_m: number | null;
};

/** What is asked about listings that there are: from the whole category, or one above it, to boats of the same make and age. */
async function readQuestions({ pool }: Dataset): Promise<Record<string, string[]>> {
  const catalog = buildCatalog(profileOf('nautical'));
  const { rows } = await pool.query<Seen>(
    `select category_id, price_amount, price_currency, condition, country, attributes->>'brand' as brand, attributes->>'model' as model,
       attributes->>'fuel_type' as fuel_type, year, length_m
     from listings where status = 'active' and type = 'sale' and price_amount > 0 order by md5(id) limit 1000`,
  );
  const ask = (what: string, fields: (seen: Seen) => Record<string, string | number | null>) =>
    rows.map((seen, index) => {
      const path = catalog.path(seen.category_id);
      const category = (index % 4 === 0 ? path[0] : path.at(-1)) ?? seen.category_id;
      const query = new URLSearchParams({ category });
      for (const [key, value] of Object.entries(fields(seen))) if (value !== null) query.set(key, String(value));
      return `/api/pricing/${what}?${query.toString()}`;
    });
  const years = ({ year }: Seen) => ({ 'attr[min_year]': year && year - 3, 'attr[max_year]': year && year + 3 });
  const sizes = ({ length_m: length }: Seen) => ({
    'attr[min_length]': length && Math.floor(length * 95) / 100,
    'attr[max_length]': length && Math.ceil(length * 105) / 100,
  });
  const make = ({ brand, model }: Seen) => ({ 'attr[brand]': brand, 'attr[model]': model.split(' ')[0] ?? model });
  const bare = rows.map((seen, index) => {
    const root = catalog.path(seen.category_id)[0] ?? seen.category_id;
    const categories = index % 4 === 0 ? catalog.descendantIds(root) : catalog.descendantIds(seen.category_id);
    return `/?categories=${categories.join(',')}&currency=${seen.price_currency}`;
  });
  return {
    bare,
    'category alone': ask('recommend', () => ({})),
    'condition, currency': ask('recommend', ({ condition, price_currency: currency }) => ({ condition, currency })),
    'year, length': ask('recommend', (seen) => ({ condition: seen.condition, ...years(seen), ...sizes(seen) })),
    'brand, model, year': ask('recommend', (seen) => ({ ...make(seen), ...years(seen) })),
    'model alone': ask('recommend', (seen) => ({ 'attr[model]': make(seen)['attr[model]'] })),
    'another attribute': ask('recommend', (seen) => ({
      ...years(seen),
      'attr[fuel_type]': seen.fuel_type ?? 'electric',
    })),
    'assess: everything': ask('assess', (seen) => ({
      price: seen.price_amount,
      currency: seen.price_currency,
      condition: seen.condition,
      country: seen.country,
      ...make(seen),
      ...years(seen),
      ...sizes(seen),
    })),
    'assess: year, length': ask('assess', (seen) => ({ price: seen.price_amount, ...years(seen), ...sizes(seen) })),
  };
}

function report(name: string, loads: readonly Load[], hasTarget: boolean): void {
  const all = Float64Array.from(loads.flatMap(({ latencies }) => [...latencies])).sort();
  const at = (share: number) => quantile(all, share).toFixed(1).padStart(7);
  const perSecond = median(loads.map((load) => load.perSecond)).toFixed(1);
  const verdict = quantile(all, 0.99) <= TARGET_MS ? 'met' : 'MISSED';
  const target = hasTarget ? `  (at most ${TARGET_MS} ms: ${verdict})` : '';
  console.log(`${name.padEnd(22)} ${perSecond.padStart(6)} req/s  p50 ${at(0.5)} ms  p99 ${at(0.99)} ms${target}`);
}
