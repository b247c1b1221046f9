import type { Database } from '../../db/client.ts';
import { addMilliseconds, DAY_MS } from '../../shared/kit/clock.ts';
import { RunFailed, type RunningRun } from '../../shared/runs/long-run.ts';
import type { StoredFeed } from '../../shared/scrapers/feed-files.ts';
import {
  countMissingListings,
  countSeen,
  dropOldItems,
  holdMissing,
  verifyFeedListings,
} from '../../shared/scrapers/feed-items.ts';
import { noFindings } from '../../shared/scrapers/findings.ts';
import { oddFields, oddVolume } from '../../shared/scrapers/oddities.ts';
import type { Oddity } from '../../shared/scrapers/oddity.ts';
import { addFindings, judgeRun } from '../../shared/scrapers/quarantine.ts';
import type { ScraperCounts } from '../../shared/scrapers/runs.ts';
import type { ScraperServices } from '../services.ts';
import type { FeedRun } from './store-items.ts';

type Mode = 'full' | 'delta';
// oxlint-disable-next-line typescript/no-explicit-any
type AnyRun = Pick<RunningRun<any, any, keyof ScraperCounts>, 'id' | 'advance' | 'log'>;

/** A feed that was read to its end. `unknown` items could not be told apart from those that are missing. */
export type ReadFeed = { mode: Mode; file: StoredFeed; rules: string; items: number; unknown: number };

type FeedState = { run_id: string; etag: string | null; last_modified: string | null; sha256: string };

/** After so long a feed is read whatever its server says of it. */
const MAX_TRUST_MS = 14 * DAY_MS;
/** A feed that lacks this share of the listings it had, and at least so many, has gone wrong. */
const MAX_MISSING_SHARE = 0.5;
const MIN_MISSING = 2;
/** Of this share of items nobody may know which listings they are. */
const MAX_UNKNOWN_SHARE = 0.01;

/** What the last feed of a scraper was known by, when it was read by the same rules. */
export const findFeedState = (
  db: Database,
  scraperId: string,
  rules: string,
  now: Date,
): Promise<FeedState | undefined> =>
  db
    .selectFrom('feed_states')
    .select(['run_id', 'etag', 'last_modified', 'sha256'])
    .where('scraper_id', '=', scraperId)
    .where('rules', '=', rules)
    .where('read_at', '>', addMilliseconds(now, -MAX_TRUST_MS))
    .executeTakeFirst();

/**
 * Ends a run whose feed was read to its end. A full feed that is healthy tells which listings are gone: one that two of them in a
 * row lack is withdrawn. One that lacks half of what it had is in quarantine, as one is that is unlike earlier ones.
 */
export async function endFeedRun(
  { jobs }: ScraperServices,
  run: AnyRun,
  feedRun: FeedRun,
  { mode, file, rules, items, unknown }: ReadFeed,
): Promise<void> {
  if (items === 0 && mode === 'full') throw new RunFailed('The feed holds no items; nothing is withdrawn.');
  if (items > 0 && unknown === items)
    throw new RunFailed(`None of its ${items} items can be read; nothing is withdrawn.`);
  const isUnclear = unknown > items * MAX_UNKNOWN_SHARE;
  if (!(await verifyAll(run, feedRun.scraperId, mode === 'full' ? run.id : undefined))) return;
  await run.advance(async (tx, now) => {
    const tellsGone = mode === 'full' && !isUnclear;
    const missing = tellsGone ? await countMissingListings(tx, feedRun, run.id) : { missing: 0, of: 0 };
    if (tellsGone) await holdMissing(tx, feedRun, run.id);
    const { quarantined } = await judgeRun(tx, jobs, feedRun, now, (history, found) => [
      ...oddMissing(missing),
      ...(mode === 'full' ? oddVolume(history, found) : []),
      ...oddFields(history, found),
    ]);
    if (quarantined.length === 0) {
      const { sha256, etag = null, lastModified: last_modified = null } = file;
      const state = { run_id: run.id, rules, etag, last_modified, sha256, read_at: now };
      await tx
        .insertInto('feed_states')
        .values({ scraper_id: feedRun.scraperId, ...state })
        .onConflict((conflict) => conflict.column('scraper_id').doUpdateSet(state))
        .execute();
      await dropOldItems(tx, feedRun.scraperId, now);
    }
    const message = `Of ${unknown} items nobody can tell which listings they are, so nothing is withdrawn.`;
    return {
      end: 'settled',
      result: { run_id: run.id, items },
      ...(mode === 'full' && isUnclear && { errors: [{ message }] }),
    };
  });
}

function oddMissing({ missing, of }: { missing: number; of: number }): Oddity[] {
  if (missing < MIN_MISSING || missing < of * MAX_MISSING_SHARE) return [];
  return [{ kind: 'missing', now: missing, of }];
}

/** Ends a run whose feed is as the last one: a second look that finds the same, which confirms what that one lacked. */
export async function endUnchangedRun(
  { jobs }: ScraperServices,
  run: AnyRun,
  feedRun: FeedRun,
  { mode, state }: { mode: Mode; state: FeedState | undefined },
): Promise<void> {
  if (!state) throw new RunFailed('The feed answered that it has not changed, although nobody asked.');
  if (!(await verifyAll(run, feedRun.scraperId, mode === 'full' ? state.run_id : undefined))) return;
  await run.advance(async (tx) => {
    const unchanged = await countSeen(tx, feedRun.scraperId, state.run_id);
    await addFindings(tx, run.id, { ...noFindings, records: unchanged });
    if (mode === 'full') await holdMissing(tx, feedRun, state.run_id);
    return { count: { records_found: unchanged, unchanged } };
  });
  await run.advance(async (tx, now) => {
    await judgeRun(tx, jobs, feedRun, now, () => []);
    return { end: 'settled', result: { run_id: run.id, unchanged: true } };
  });
}

/** A full feed says of what is in it that it is as it was (`seenBy` its run), a delta says so of everything else too. */
async function verifyAll(run: AnyRun, scraperId: string, seenBy: string | undefined): Promise<boolean> {
  for (let more = true; more;) {
    const goesOn = await run.advance(async (tx, now) => {
      more = (await verifyFeedListings(tx, scraperId, seenBy, now)) > 0;
      return {};
    });
    if (!goesOn) return false;
  }
  return true;
}
