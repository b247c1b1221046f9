import { parseArgs } from 'node:util';

/** What a benchmark may be told: the number of listings, how many rounds its medians come from, or how long it lasts. */
export type BenchOptions = { n?: number; rounds?: number; minutes?: number };

type Bench = (options: BenchOptions) => Promise<unknown>;

const benches: Record<string, () => Promise<Record<string, unknown>>> = {
  admin: () => import('./admin.ts'),
  api: () => import('./api.ts'),
  'boat-titles': () => import('./boat-titles.ts'),
  crawl: () => import('./crawl.ts'),
  'crawl-memory': () => import('./crawl-memory.ts'),
  create: () => import('./create.ts'),
  dedup: () => import('./dedup.ts'),
  'dedup-fit': () => import('./dedup-fit.ts'),
  extract: () => import('./extract.ts'),
  'extract-fit': () => import('./extract-fit.ts'),
  fuzz: () => import('./fuzz.ts'),
  images: () => import('./images.ts'),
  ingest: () => import('./ingest.ts'),
  learn: () => import('./learn.ts'),
  load: () => import('./load.ts'),
  normalise: () => import('./normalise.ts'),
  places: () => import('./places.ts'),
  pages: () => import('./pages.ts'),
  plans: () => import('./plans.ts'),
  'price-texts': () => import('./price-texts.ts'),
  pricing: () => import('./pricing.ts'),
  queue: () => import('./queue.ts'),
  replicas: () => import('./replicas.ts'),
  relevance: () => import('./relevance.ts'),
  'saved-searches': () => import('./saved-searches.ts'),
  scam: () => import('./scam.ts'),
  search: () => import('./search.ts'),
  'search-index': () => import('./search-index.ts'),
  suggest: () => import('./suggest.ts'),
  traces: () => import('./traces.ts'),
  upload: () => import('./upload.ts'),
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { n: { type: 'string' }, rounds: { type: 'string' }, minutes: { type: 'string' } },
});
const [name = ''] = positionals;
const load = benches[name];
if (!load) {
  console.error(
    `usage: npm run bench -- ${Object.keys(benches).join('|')} [--n LISTINGS] [--rounds ROUNDS] [--minutes MINUTES]`,
  );
  process.exit(64);
}
const module = await load();
const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
const bench = module[`bench${words.join('')}`] as Bench;
const numberOf = (value: string | undefined) => (value ? Number(value) : undefined);
await bench({ n: numberOf(values.n), rounds: numberOf(values.rounds), minutes: numberOf(values.minutes) });
