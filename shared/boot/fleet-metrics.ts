import type { Pool } from 'pg';
import { Counter, Gauge, Registry } from 'prom-client';
import { registerBusiness } from '../admin/business-metrics.ts';
import type { Clock } from '../kit/clock.ts';
import { registerQueues } from '../queues/depths.ts';
import { readQueueAges } from '../queues/inspect.ts';
import { readFeedState, readStoredRates } from '../rates/stored-rates.ts';
import { readScamHolds } from '../scams/holds.ts';
import { readIndexTroubles, readJournalLags, readScraperStates, type ScraperState } from './fleet.ts';
import { registerStores } from './store-metrics.ts';

/** `quayside_db_pool_connections{state}`: the connections of this process (open, idle), and what waits for one. */
export function registerPool(registry: Registry, pool: Pool): void {
  new Gauge({
    name: 'quayside_db_pool_connections',
    help: 'Database connections of a process by state (open, idle), and queries that wait for one (waiting).',
    labelNames: ['state'] as const,
    registers: [registry],
    collect() {
      this.set({ state: 'open' }, pool.totalCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
}

/** `quayside_response_cache_requests_total{result}` and `quayside_response_cache_entries`, of a cache that counts by itself. */
export function registerCache(
  registry: Registry,
  stats: () => { entries: number; hits: number; misses: number },
): void {
  new Counter({
    name: 'quayside_response_cache_requests_total',
    help: 'Anonymous reads that could be answered from the response cache, by result (hit, miss).',
    labelNames: ['result'] as const,
    registers: [registry],
    collect() {
      const { hits, misses } = stats();
      this.reset();
      this.inc({ result: 'hit' }, hits);
      this.inc({ result: 'miss' }, misses);
    },
  });
  new Gauge({
    name: 'quayside_response_cache_entries',
    help: 'Answers in the response cache.',
    registers: [registry],
    collect() {
      this.set(stats().entries);
    },
  });
}

/**
 * What the database and the disk tell of the whole marketplace, asked when it is scraped and at no other time. Its series name no
 * process, as none of them owns what is told: queues, the search index, exchange rates, readers of the journal, scrapers, backups,
 * the size of the database, the disk of `dataDir`, and the figures of the business.
 */
export function createFleetRegistry(pool: Pool, clock: Clock, dataDir: string): Registry {
  const registry = new Registry();
  const secondsSince = (then: Date) => (clock.now().getTime() - then.getTime()) / 1_000;
  registerQueues(registry, pool);
  registerIndexTroubles(registry, pool);
  registerScrapers(registry, pool);
  registerBusiness(registry, pool);
  registerStores(registry, pool, dataDir);
  new Counter({
    name: 'quayside_scam_holds_total',
    help: 'Listings that the check for scams held for a moderator, by each signal that counted.',
    labelNames: ['signal'] as const,
    registers: [registry],
    async collect() {
      const holds = await readScamHolds(pool);
      this.reset();
      for (const { signal, holds: count } of holds) this.inc({ signal }, count);
    },
  });
  new Gauge({
    name: 'quayside_exchange_rates_age_seconds',
    help: 'How long ago the day of the exchange rates in force began.',
    registers: [registry],
    async collect() {
      this.set(secondsSince(new Date((await readStoredRates(pool)).date)));
    },
  });
  new Gauge({
    name: 'quayside_exchange_rates_failing_seconds',
    help: 'For how long the feed of exchange rates has not been had; 0 while it can be.',
    registers: [registry],
    async collect() {
      const { failing_since: since } = await readFeedState(pool);
      this.set(since ? secondsSince(since) : 0);
    },
  });
  new Gauge({
    name: 'quayside_journal_reader_lag_seconds',
    help: 'How old the oldest event is that a reader of the journal has not read.',
    labelNames: ['reader'] as const,
    registers: [registry],
    async collect() {
      for (const { reader, lag_seconds } of await readJournalLags(pool, clock.now())) this.set({ reader }, lag_seconds);
    },
  });
  return registry;
}

function registerIndexTroubles(registry: Registry, pool: Pool): void {
  new Gauge({
    name: 'quayside_search_index_lag_seconds',
    help: 'How long the oldest change of a listing has waited for the search index.',
    registers: [registry],
    async collect() {
      const ages = await readQueueAges(pool);
      const queued = ages.find(({ name }) => name === 'index-listing')?.oldest_seconds ?? 0;
      const { waited_seconds: waited } = await readIndexTroubles(pool);
      this.set(Math.max(queued, waited));
    },
  });
  new Gauge({
    name: 'quayside_search_index_refused',
    help: 'Listings that the search index refuses and that are left out of it.',
    registers: [registry],
    async collect() {
      this.set((await readIndexTroubles(pool)).refused);
    },
  });
  new Gauge({
    name: 'quayside_search_index_repaired',
    help: 'Documents that the last comparison of the search index with the database has repaired.',
    registers: [registry],
    async collect() {
      this.set((await readIndexTroubles(pool)).repaired);
    },
  });
}

/** A scraper that never succeeded has a last success of 0, so that a rule sees it too. */
function registerScrapers(registry: Registry, pool: Pool): void {
  const register = (name: string, help: string, read: (scraper: ScraperState) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['scraper', 'name'] as const,
      registers: [registry],
      async collect() {
        const scrapers = await readScraperStates(pool);
        this.reset();
        for (const each of scrapers) this.set({ scraper: each.id, name: each.name }, read(each));
      },
    });
  register(
    'quayside_scraper_last_success_timestamp_seconds',
    'When a run of a scraper succeeded last, in Unix seconds; 0 when none ever did.',
    ({ last_success_at: at }) => (at ? at.getTime() / 1_000 : 0),
  );
  register(
    'quayside_scraper_created_timestamp_seconds',
    'When a scraper was made, in Unix seconds.',
    ({ created_at: at }) => at.getTime() / 1_000,
  );
  register('quayside_scraper_enabled', 'Whether a scraper runs by its schedule (1) or not (0).', ({ enabled }) =>
    Number(enabled),
  );
}

export function registerSubscriptions(registry: Registry, count: () => number): void {
  new Gauge({
    name: 'quayside_event_streams',
    help: 'Streams of events that are open.',
    registers: [registry],
    collect() {
      this.set(count());
    },
  });
}
