import type { Pool } from 'pg';
import { Counter, Gauge, Registry } from 'prom-client';
import { readQueueAges } from '../queues/inspect.ts';
import { readIndexTroubles, readJournalLags, readScraperStates } from './fleet.ts';
import type { Clock } from '../kit/clock.ts';
import { readFeedState, readStoredRates } from '../rates/stored-rates.ts';
import { registerQueueDepths } from '../queues/depths.ts';

/** `db_pool_connections{state}`: the connections of this process (open, idle), and what waits for one. */
export function registerPool(registry: Registry, pool: Pool): void {
  new Gauge({
    name: 'db_pool_connections',
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

/** `response_cache_requests_total{result}` and `response_cache_entries`, of a cache that counts by itself. */
export function registerCache(
  registry: Registry,
  stats: () => { entries: number; hits: number; misses: number },
): void {
  new Counter({
    name: 'response_cache_requests_total',
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
    name: 'response_cache_entries',
    help: 'Answers in the response cache.',
    registers: [registry],
    collect() {
      this.set(stats().entries);
    },
  });
}

/**
 * What the database tells of the fleet, asked when it is scraped and at no other time: `job_queue_depth{queue,state}`,
 * `job_queue_oldest_seconds{queue}`, `search_index_lag_seconds`, `search_index_refused`, `search_index_repaired`,
 * `exchange_rates_age_seconds`, `exchange_rates_failing_seconds`, `journal_reader_lag_seconds{reader}`
 * and `scraper_last_success_timestamp{scraper}` (Unix seconds; a scraper that never succeeded has none).
 */
export function createFleetRegistry(process: string, pool: Pool, clock: Clock): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  registerQueueDepths(registry, pool);
  new Gauge({
    name: 'search_index_lag_seconds',
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
    name: 'search_index_refused',
    help: 'Listings that the search index refuses and that are left out of it.',
    registers: [registry],
    async collect() {
      this.set((await readIndexTroubles(pool)).refused);
    },
  });
  new Gauge({
    name: 'exchange_rates_age_seconds',
    help: 'How long ago the day of the exchange rates in force began.',
    registers: [registry],
    async collect() {
      this.set((clock.now().getTime() - Date.parse((await readStoredRates(pool)).date)) / 1_000);
    },
  });
  new Gauge({
    name: 'exchange_rates_failing_seconds',
    help: 'For how long the feed of exchange rates has not been had; 0 while it can be.',
    registers: [registry],
    async collect() {
      const { failing_since: since } = await readFeedState(pool);
      this.set(since ? (clock.now().getTime() - since.getTime()) / 1_000 : 0);
    },
  });
  new Gauge({
    name: 'search_index_repaired',
    help: 'Documents that the last comparison of the search index with the database has repaired.',
    registers: [registry],
    async collect() {
      this.set((await readIndexTroubles(pool)).repaired);
    },
  });
  new Gauge({
    name: 'job_queue_oldest_seconds',
    help: 'How long the oldest job of a queue has been due.',
    labelNames: ['queue'] as const,
    registers: [registry],
    async collect() {
      const ages = await readQueueAges(pool);
      this.reset();
      for (const { name, oldest_seconds } of ages) this.set({ queue: name }, oldest_seconds);
    },
  });
  new Gauge({
    name: 'journal_reader_lag_seconds',
    help: 'How old the oldest event is that a reader of the journal has not read.',
    labelNames: ['reader'] as const,
    registers: [registry],
    async collect() {
      for (const { reader, lag_seconds } of await readJournalLags(pool, clock.now())) this.set({ reader }, lag_seconds);
    },
  });
  new Gauge({
    name: 'scraper_last_success_timestamp',
    help: 'When a run of a scraper succeeded last, in Unix seconds.',
    labelNames: ['scraper'] as const,
    registers: [registry],
    async collect() {
      const scrapers = await readScraperStates(pool);
      this.reset();
      for (const { id, last_success_at: at } of scrapers) if (at) this.set({ scraper: id }, at.getTime() / 1_000);
    },
  });
  return registry;
}

export function registerSubscriptions(registry: Registry, count: () => number): void {
  new Gauge({
    name: 'event_streams',
    help: 'Streams of events that are open.',
    registers: [registry],
    collect() {
      this.set(count());
    },
  });
}
