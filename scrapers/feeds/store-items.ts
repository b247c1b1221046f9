import type { IngestRecord } from '../../shared/normalize/record-type.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import type { RunError } from '../../shared/runs/runs.ts';
import type { StepDone } from '../../shared/runs/long-run.ts';
import { holdDeclaredGone, noteItems } from '../../shared/scrapers/feed-items.ts';
import type { ReadItem } from '../../shared/scrapers/feed-reader.ts';
import { countFindings, type Findings } from '../../shared/scrapers/findings.ts';
import { addFindings, passRecords, type RecordsOwner } from '../../shared/scrapers/quarantine.ts';
import type { ScraperCounts } from '../../shared/scrapers/runs.ts';
import type { Normalize } from '../../shared/scrapers/site-normalizer.ts';
import type { ScraperServices } from '../services.ts';

/** A run of a feed, and what its records are compared with. */
export type FeedRun = RecordsOwner & { history: Findings[] };

/** How far a run has read its feed. */
export type FeedCursor = { items: number; unknown: number };

type KnowableItem = Extract<ReadItem, { page: string }>;

const TWICE = 'The item comes twice in the feed; the first counts.';

/**
 * Stores a batch of items: those that are new or differ become jobs (or wait, while they are odd), the others are as they were.
 * Every item is counted once; one that cannot be read fails alone, with its reason.
 */
export async function storeItems(
  tx: Tx,
  { jobs }: Pick<ScraperServices, 'jobs'>,
  run: FeedRun,
  { items, normalize, cursor }: { items: readonly ReadItem[]; normalize: Normalize; cursor: FeedCursor },
  now: Date,
): Promise<StepDone<FeedCursor, keyof ScraperCounts>> {
  const errors: RunError[] = [];
  const records: IngestRecord[] = [];
  const deleted: string[] = [];
  const counted = { unchanged: 0, skipped: 0, failed: 0 };
  const first = new Map<string, KnowableItem>();
  const skip = (url: string) => {
    counted.skipped += 1;
    errors.push({ url, message: TWICE });
  };
  const fail = (message: string, url?: string) => {
    counted.failed += 1;
    errors.push({ message, url });
  };
  for (const item of items) {
    if ('problem' in item) fail(item.problem);
    else if (first.has(item.page)) skip(item.url);
    else first.set(item.page, item);
  }
  const unknown = counted.failed;
  const known = await noteItems(tx, run, [...first.values()], now);
  for (const { page, url, raw, isDeleted } of first.values()) {
    const state = known.get(page);
    if (state === 'seen') skip(url);
    else if (isDeleted) {
      counted.skipped += 1;
      deleted.push(page);
    } else if (state === 'unchanged') counted.unchanged += 1;
    else {
      const result = normalize(raw);
      if ('record' in result) records.push(result.record);
      else fail(`No listing can be made of it: ${result.reason}.`, url);
    }
  }
  const found = await addFindings(tx, run.id, countFindings(records, counted.unchanged, new Set()));
  await passRecords(tx, jobs, run, { records, found });
  await holdDeclaredGone(tx, run, deleted);
  return {
    cursor: { items: cursor.items + items.length, unknown: cursor.unknown + unknown },
    count: { records_found: items.length, ...counted },
    errors,
  };
}
