import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Registry } from 'prom-client';
import { createDatabase, createPool } from '../db/client.ts';
import { watchServer } from '../db/server-watch.ts';
import type { DB } from '../db/types.gen.ts';
import { createPasswords, type Passwords } from '../shared/accounts/password.ts';
import { createSessionTokens, type SessionTokens } from '../shared/accounts/session-token.ts';
import { createAi, type Ai } from '../shared/adapters/ai.ts';
import { createAiModeration, type AiModeration } from '../shared/adapters/ai-moderation.ts';
import { createPayments } from '../shared/adapters/payments.ts';
import type { Payments } from '../shared/adapters/payments-session.ts';
import { isWritable } from '../shared/adapters/storage-disk.ts';
import type { Storage } from '../shared/adapters/storage.ts';
import { createStorage } from '../shared/adapters/create-storage.ts';
import { createWriteWatch, watchStorage, type WriteWatch } from '../shared/adapters/write-watch.ts';
import { followMarketplace, type LiveMarketplace } from '../shared/catalog/marketplace.ts';
import type { Catalog } from '../shared/catalog/tree.ts';
import { makerWords } from '../shared/catalog/category-words.ts';
import { memoizeLast } from '../shared/kit/memoize-last.ts';
import { systemClock, type Clock } from '../shared/kit/clock.ts';
import type { Config } from '../shared/kit/config.ts';
import { createJobs, type Jobs } from '../shared/queues/jobs.ts';
import { assertListingOwner } from '../shared/listings/change.ts';
import { assertRentalOwner } from '../shared/rentals/rental.ts';
import { createRecordCheck, type CheckRecord } from '../shared/ingest/check-record.ts';
import type { Logger } from '../shared/kit/log.ts';
import { createStaleCache, type StaleCache } from '../shared/kit/stale-cache.ts';
import {
  createFleetRegistry,
  registerCache,
  registerPool,
  registerSubscriptions,
} from '../shared/boot/fleet-metrics.ts';
import { createRegistry, publishMetrics } from '../shared/kit/metrics.ts';
import { withBrand } from '../shared/profiles/brand.ts';
import type { Profile } from '../shared/profiles/profile.ts';
import { createCurrentRates, type CurrentRates } from '../shared/rates/current-rates.ts';
import type { Searcher } from '../shared/search/engine.ts';
import { addWordCaches, type SearchPool } from '../shared/search/search-pool.ts';
import { createClusterIndexes, type ClusterIndexes } from '../shared/search/clusters/cluster-indexes.ts';
import { createSearcher } from '../shared/search/create-searcher.ts';
import { createCategoryIndex, type CategoryIndex } from '../shared/search/suggest/categories.ts';
import { createWebhookSender, type WebhookSender } from '../shared/webhooks/send.ts';
import { createAuthenticator, type Caller } from './http/authenticate.ts';
import { readContract, type Contract } from './http/contract.ts';
import { createHttpMetrics, type HttpMetrics } from './http/http-metrics.ts';
import { createIdempotency, type Idempotency } from './http/idempotency.ts';
import { createLinks } from './http/links.ts';
import { createReads, type Reads } from './http/read-database.ts';
import { createRecentRequests, type RecentRequests } from './http/recent-requests.ts';
import { createRateLimiter, type RateLimiter } from './http/rate-limit.ts';
import type { AssertOwner } from './http/ownership.ts';
import { createResponseCache, type ResponseCache } from './http/response-cache.ts';
import { createSpool, type Spool } from './http/spool.ts';
import { validatorOf, type Validate } from './http/validate.ts';
import { createSearchTerms, type SearchTerms } from './counting/search-terms.ts';
import { createPageCaches, type PageCaches } from './pages/page-caches.ts';
import { createTracker, type Tracker } from './tracking/tracker.ts';
import { createViewCounter, type ViewCounter } from './counting/views.ts';
import { createSlices, type Slice } from './discovery/openapi-slices.ts';
import { createSubscriptions, type Subscriptions } from './events/subscriptions.ts';
import { listResources } from './oauth/resources.ts';
import { followChanges } from './events/follow-changes.ts';
import { cacheTags, createEffects, type ApplyEffects } from './effects.ts';

/** What every handler may use: one plain object, built once, top to bottom. */
export type Services = {
  config: Config & { databaseUrl: string; directDatabaseUrl: string; jwtSecrets: string[] };
  marketplace: LiveMarketplace;
  /** The marketplace in force; a request sees one version of it. */
  profile: Profile;
  catalog: Catalog;
  /** What readers may be typing the names of. */
  categoryIndex: CategoryIndex;
  clock: Clock;
  log: Logger;
  pool: SearchPool;
  db: Kysely<DB>;
  /** Where anybody's reads go: a standby, or `pool` and `db`. */
  reads: Reads;
  jobs: Jobs;
  storage: Storage;
  /** Figures that take long to count. */
  figures: StaleCache;
  /** The exchange rates in force. */
  rates: CurrentRates;
  /** Which of the files that this process writes cannot be written. */
  writes: WriteWatch;
  /** Where uploads wait on disk until their request is answered. */
  spool: Spool;
  /** Absent where no provider is configured: rules alone judge then. */
  aiModeration: AiModeration | undefined;
  /** Absent in stub mode. */
  ai: Ai | undefined;
  payments: Payments;
  webhookSender: WebhookSender;
  searcher: Searcher;
  /** Clusters of listings on maps. */
  clusters: ClusterIndexes;
  tokens: SessionTokens;
  passwords: Passwords;
  contract: Contract;
  /** The contract in pieces for language models. */
  slices: () => Slice[];
  /** The check of records of scraped pages, compiled at its first use. */
  recordCheck: () => Promise<CheckRecord>;
  validate: Validate;
  authenticate: (authorization: string | undefined) => Promise<Caller | undefined>;
  limiter: RateLimiter;
  cache: ResponseCache;
  pageCaches: PageCaches;
  applyEffects: ApplyEffects;
  /** Who may change what an operation with `x-owner` is about, by its kind. */
  assertOwner: Record<string, AssertOwner>;
  idempotency: Idempotency;
  views: ViewCounter;
  searchTerms: SearchTerms;
  tracker: Tracker;
  links: ReturnType<typeof createLinks>;
  recentRequests: RecentRequests;
  /** The streams of events that are open. */
  subscriptions: Subscriptions;
  registry: Registry;
  /** What only a scrape asks the database for. */
  fleetRegistry: Registry;
  metrics: HttpMetrics;
  /** Names this process among those that share their metrics. */
  processId: string;
  startedAt: Date;
  /** False while the process drains: readiness fails, connections close after their answer. */
  ready: boolean;
};

/**
 * Connects everything an API process needs; `stop` undoes it in reverse, last what others still use. `caughtUp` resolves when what
 * this process keeps has heard of every change committed before.
 */
export async function createServices(
  given: Services['config'],
  log: Logger,
  clock: Clock = systemClock,
): Promise<{ services: Services; caughtUp(): Promise<void>; stop(): Promise<void> }> {
  const makersOf = memoizeLast(makerWords);
  const pool = addWordCaches(
    createPool({
      databaseUrl: given.databaseUrl,
      transactionPooling: given.transactionPooling,
      max: given.databasePoolSize,
      applicationName: 'quayside-api',
      deadlines: given.deadlines,
    }),
    () => makersOf(marketplace.current().profile),
  );
  const watch = watchServer(pool, {
    databaseUrl: given.directDatabaseUrl,
    applicationName: 'quayside-watch',
    silenceMs: given.deadlines.serverSilence,
    onChange: (silent) => log.warn(silent ? 'the database does not answer' : 'the database answers again'),
  });
  const db = createDatabase(pool);
  const cache = createResponseCache(() => clock.now().getTime(), cacheTags);
  const marketplace = await followMarketplace(given, { db, log }, () => cache.clear());
  const config = withBrand(given, marketplace.current().profile);
  const jobs = await createJobs(pool, log);
  const registry = createRegistry('api');
  registerPool(registry, pool);
  const shared = publishMetrics(pool, registry, 'api', log);
  const recentRequests = createRecentRequests(pool, shared.processId, log);
  registerCache(registry, cache.stats);
  const limiter = createRateLimiter(pool, clock, log);
  const views = createViewCounter(pool, clock, log, config.jwtSecrets[0] ?? '');
  const searchTerms = createSearchTerms(pool, clock, log);
  const tracker = createTracker(pool, log);
  const tokens = createSessionTokens(config.jwtSecrets, clock);
  const contract = readContract();
  const links = createLinks(config);
  const webhookSender = createWebhookSender({
    allow: config.fetchAllow,
    userAgent: `QuaysideBot/1.0 (+${config.baseUrl})`,
    deadlines: config.deadlines,
  });
  const searcher = createSearcher(config.typesense, {
    ...{ pool, db, jobs, marketplace, log, registry },
    deadlines: config.deadlines,
  });
  const reads = createReads({ config, primary: { pool, db, searcher }, registry, log, cache });
  const rates = createCurrentRates(reads.read);
  const subscriptions = createSubscriptions({ pool, clock });
  registerSubscriptions(registry, subscriptions.count);
  const followed = { config, pool, log, subscriptions, reads, searcher, cache, recentRequests, rates, marketplace };
  const journal = await followChanges(followed);

  const storage = await createStorage(config);
  const incoming = join(config.dataDir, 'incoming');
  const writes = createWriteWatch(registry, {
    // A bucket that can be asked for is not one that can be written: only its failures tell.
    images: config.s3 ? async () => true : () => storage.healthy(),
    uploads: () => isWritable(incoming),
  });
  const indexCategories = memoizeLast(createCategoryIndex);
  const services: Services = {
    config,
    marketplace,
    get profile() {
      return marketplace.current().profile;
    },
    get catalog() {
      return marketplace.current().catalog;
    },
    get categoryIndex() {
      return indexCategories(marketplace.current().catalog);
    },
    clock,
    log,
    pool,
    db,
    reads,
    jobs,
    storage: watchStorage(storage, writes),
    figures: createStaleCache(),
    rates,
    writes,
    spool: createSpool(incoming),
    aiModeration: config.openai && createAiModeration(config.openai, log, config.deadlines.moderation),
    ai: config.openai && createAi(config.openai, config.deadlines),
    payments: createPayments(config, { timeoutMs: config.deadlines.payment }),
    webhookSender,
    searcher,
    clusters: createClusterIndexes(reads.read, cache.generation),
    tokens,
    passwords: createPasswords(),
    contract,
    slices: createSlices(contract),
    recordCheck: createRecordCheck(contract.document),
    validate: validatorOf(contract),
    authenticate: createAuthenticator({
      pool,
      tokens,
      resources: listResources(links),
      clock,
      log,
      requireSecondFactor: config.requireSecondFactor,
    }),
    limiter,
    cache,
    pageCaches: createPageCaches(config),
    applyEffects: createEffects({ cache, searcher, views, searchTerms }),
    assertOwner: { listing: assertListingOwner, rental: assertRentalOwner },
    idempotency: createIdempotency({ pool, clock, secrets: config.jwtSecrets }),
    views,
    searchTerms,
    tracker,
    links,
    recentRequests,
    subscriptions,
    registry,
    fleetRegistry: createFleetRegistry(pool, clock, config.dataDir),
    metrics: createHttpMetrics(registry),
    processId: shared.processId,
    startedAt: clock.now(),
    ready: true,
  };
  return {
    services,
    caughtUp: journal.caughtUp,
    async stop() {
      subscriptions.stop();
      await journal.stop();
      await marketplace.stop();
      await webhookSender.close();
      await services.searcher.close();
      await services.clusters.close();
      await Promise.all([
        limiter.close(),
        views.stop(),
        searchTerms.stop(),
        tracker.stop(),
        recentRequests.stop(),
        shared.stop(),
      ]);
      await jobs.stop();
      await watch.stop();
      await reads.stop();
      await pool.end();
    },
  };
}
