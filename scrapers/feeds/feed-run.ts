import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { createPrivateStorage } from '../../shared/adapters/create-storage.ts';
import type { Storage } from '../../shared/adapters/storage.ts';
import { FeedBroken, type FeedItem } from '../../shared/feeds/feed-item.ts';
import { feedSettings } from '../../shared/feeds/mapping.ts';
import { resolveMapping } from '../../shared/feeds/presets.ts';
import { readFeedItems } from '../../shared/feeds/read-feed.ts';
import { longRun, RunFailed, type RunningRun } from '../../shared/runs/long-run.ts';
import type { JobContext } from '../../shared/queues/runner.ts';
import { yieldOften } from '../../shared/kit/turns.ts';
import {
  deleteFeedOfRun,
  deleteLostFeeds,
  newFeedKey,
  storedFeed,
  type StoredFeed,
} from '../../shared/scrapers/feed-files.ts';
import { createItemReader, feedRulesOf, type ReadItem } from '../../shared/scrapers/feed-reader.ts';
import { dropHeld, readHistory } from '../../shared/scrapers/quarantine.ts';
import { noCounts, type ScraperCounts } from '../../shared/scrapers/runs.ts';
import { createNormalize } from '../../shared/scrapers/site-normalizer.ts';
import type { ScraperServices } from '../services.ts';
import { endFeedRun, endUnchangedRun, findFeedState, type ReadFeed } from './end-feed-run.ts';
import { fetchFeed } from './fetch-feed.ts';
import { storeItems, type FeedCursor, type FeedRun } from './store-items.ts';

const feedParams = z.looseObject({ file: storedFeed.optional() });
type FeedParams = z.infer<typeof feedParams>;
type RunOfFeed = RunningRun<FeedCursor | undefined, FeedParams, keyof ScraperCounts>;

/** What a run of a feed goes by, written down by the first process to take it. */
const feedSpec = z.object({
  site: z.string(),
  start_urls: z.array(z.string()),
  category_id: z.string().nullable(),
  requests_per_minute: z.number().positive(),
  respect_robots: z.boolean(),
  feed: feedSettings,
});

const BATCH = 200;
const BEAT_MS = 1_000;
/** Records that wait to be ingested: more of them would hold up those of others, and outlive a cancelled run. */
const MAX_WAITING = 2_000;
/** Whoever ingests may be paused: after so long without a change the feed is read on. */
const MAX_STILL_MS = 60_000;

const work = longRun({
  kind: 'scraper',
  cursor: z.object({ items: z.int(), unknown: z.int() }).optional(),
  params: feedParams,
  counters: noCounts,
  async step(services: ScraperServices, run: RunOfFeed) {
    const storage = await createPrivateStorage(services.config);
    const opened = await openFeed(services, run);
    if (!opened) return;
    const { feedRun, spec } = opened;
    const scraper = { ...spec, id: run.subject };
    const source = run.params.file ? '' : (spec.start_urls[0] ?? '');
    const rules = feedRulesOf(scraper, spec.start_urls[0] ?? '');
    const state = await findFeedState(services.db, run.subject, rules, services.clock.now());
    let file = run.params.file;
    run.log.info({ run_id: run.id, scraper_id: run.subject, resumed: run.cursor !== undefined }, 'feed starts');
    if (!file) {
      if (source === '') throw new RunFailed('The scraper has no address to fetch its feed from; upload one.');
      const fetched = await whileAlive(run, (signal) =>
        fetchFeed(services, storage, newFeedKey(), { ...spec, url: source, known: state }, signal),
      );
      if (fetched.stopped) return;
      file = fetched.value;
      const goesOn = await run.advance({
        count: { pages_fetched: 1 },
        ...(file && { params: { ...run.params, file } }),
      });
      if (!goesOn) return;
    } else if (!run.cursor && state?.sha256 === file.sha256) file = undefined;
    if (!file) return endUnchangedRun(services, run, feedRun, { mode: spec.feed.mode, state });
    await readItems(services, run, { storage, file, feedRun, scraper });
    if (run.signal.aborted) return;
    const { items = 0, unknown = 0 } = run.cursor ?? {};
    const read: ReadFeed = { mode: spec.feed.mode, file, rules, items, unknown };
    await endFeedRun(services, run, feedRun, read);
  },
  async afterEnd(services) {
    await dropHeld(services.db);
    await deleteLostFeeds(services.db, await createPrivateStorage(services.config), services.clock.now());
  },
});

/** Works a run of a scraper that reads a feed: fetches it, unless it was uploaded, streams its items, and judges it at its end. */
export async function workFeed(services: ScraperServices, runId: string, job: JobContext): Promise<object> {
  const result = await work(services, runId, job);
  await deleteFeedOfRun(services.db, await createPrivateStorage(services.config), runId);
  return result;
}

async function openFeed({ db }: ScraperServices, run: RunOfFeed) {
  const scraper = await db.selectFrom('scrapers').selectAll().where('id', '=', run.subject).executeTakeFirst();
  if (!scraper) throw new RunFailed('The scraper is gone.');
  const { id, owner_id: ownerId, name: _name, created_at: _created, updated_at: _updated, ...settings } = scraper;
  if (run.params['site'] === undefined && !(await run.advance({ params: { ...settings, ...run.params } })))
    return undefined;
  const spec = feedSpec.parse(run.params);
  const feedRun: FeedRun = { id: run.id, scraperId: id, ownerId, history: await readHistory(db, run.id, id) };
  return { spec, feedRun };
}

type Reading = {
  storage: Storage;
  file: StoredFeed;
  feedRun: FeedRun;
  scraper: Parameters<typeof createItemReader>[0];
};

/** Streams the items of a feed from where the run stands, a batch and its count at a time. */
async function readItems(
  services: ScraperServices,
  run: RunOfFeed,
  { storage, file, feedRun, scraper }: Reading,
): Promise<void> {
  const bytes = await storage.read(file.key);
  if (!bytes) throw new RunFailed('The file of the feed is gone.');
  const read = createItemReader(scraper);
  let now = services.clock.now();
  const normalize = createNormalize(scraper, () => now);
  let batch: ReadItem[] = [];
  const store = async (): Promise<boolean> => {
    const items = batch;
    batch = [];
    now = services.clock.now();
    const cursor = run.cursor ?? { items: 0, unknown: 0 };
    const goesOn = await run.advance((tx) => storeItems(tx, services, feedRun, { items, normalize, cursor }, now));
    return goesOn && (await waitForIngest(run));
  };
  const goOn = yieldOften();
  const done = run.cursor?.items ?? 0;
  let index = 0;
  try {
    for await (const item of readFeedItems(bytes, resolveMapping(scraper.feed), {
      contentType: file.contentType,
    }) as AsyncIterable<FeedItem>) {
      run.signal.throwIfAborted();
      index += 1;
      if (index <= done) continue;
      batch.push(read(item));
      await goOn();
      if (batch.length === BATCH && !(await store())) return;
    }
    if (batch.length > 0) await store();
  } catch (error) {
    if (!(error instanceof FeedBroken)) throw error;
    if (batch.length > 0 && !(await store())) return;
    throw new RunFailed(`${error.message} ${run.cursor?.items ?? 0} items were read before; nothing is withdrawn.`, {
      cause: error,
    });
  }
}

/** Waits while many records of the run are still to be ingested; false when the run is over. */
async function waitForIngest(run: RunOfFeed): Promise<boolean> {
  const waiting = () => {
    const { records_found: found, created, updated, unchanged, skipped, failed } = run.counters;
    return found - created - updated - unchanged - skipped - failed;
  };
  let last = waiting();
  let since = performance.now();
  while (last > MAX_WAITING && performance.now() - since < MAX_STILL_MS) {
    await delay(BEAT_MS, undefined, { signal: run.signal });
    if (!(await run.advance({ count: {} }))) return false;
    if (waiting() !== last) since = performance.now();
    last = waiting();
  }
  return true;
}

/** Does something long, and asks every second whether the run goes on. */
async function whileAlive<T>(
  run: RunOfFeed,
  doIt: (signal: AbortSignal) => Promise<T>,
): Promise<{ stopped: true } | { stopped: false; value: T }> {
  const cancelled = new AbortController();
  const over = new AbortController();
  const watch = (async () => {
    while (!over.signal.aborted) {
      await delay(BEAT_MS, undefined, { signal: over.signal }).catch(() => undefined);
      if (!over.signal.aborted && !(await run.advance({}))) cancelled.abort(new Error('the run is over'));
    }
  })();
  try {
    return { stopped: false, value: await doIt(AbortSignal.any([run.signal, cancelled.signal])) };
  } catch (error) {
    if (cancelled.signal.aborted) return { stopped: true };
    throw error;
  } finally {
    over.abort();
    await watch;
  }
}
