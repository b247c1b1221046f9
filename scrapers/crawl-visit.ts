import type { Page } from 'playwright';
import type { RawRecord } from '../shared/ingest/record.ts';
import { MAX_RETRIES, VisitAgain } from './crawl-engine.ts';
import type { Frontier, Target } from './crawl-frontier.ts';
import type { Normalize } from './crawl-normalize.ts';
import { createRecordFilter, readPageContent } from './crawl-records.ts';
import type { Reporter } from './crawl-report.ts';
import type { CrawlEnd, CrawlSettings, CrawlSpec } from './crawl-spec.ts';
import type { Admission, Sleep } from './http-admission.ts';
import type { Failure, Loaded } from './http-loaded.ts';

/** So many pages in a row that fail mean that the site is down or has had enough of us. */
const MOST_FAILURES_IN_A_ROW = 10;
const MOST_ROBOTS_NOTES = 5;

type VisitorParts = {
  spec: CrawlSpec;
  settings: CrawlSettings;
  frontier: Frontier;
  reporter: Reporter;
  admission: Admission;
  normalize: Normalize;
  load: (url: string, page: Page | undefined) => Promise<Loaded>;
  /** Brings new pages to the queue. */
  enqueue: (targets: Target[]) => Promise<void>;
  finishWith: (end: CrawlEnd) => void;
  now: () => number;
  sleep: Sleep;
  /** Aborted as soon as the crawl is to end, for whatever reason. */
  active: AbortSignal;
};

/**
 * Visits the pages of one crawl: loads each, reads it, reports its records and queues where it leads. Only VisitAgain is
 * thrown, for a page worth another try; whatever else a page does is counted and noted.
 */
export function createVisitor(parts: VisitorParts) {
  const { spec, settings, frontier, reporter, admission, finishWith, now, active } = parts;
  const startedAt = now();
  const isNew = createRecordFilter();
  let pagesRead = spec.resume?.done.length ?? 0;
  let failuresInARow = 0;
  let robotsNotes = 0;
  let lastProblem = 'There was no page to read.';

  async function visit(target: Target, attempt: number, page: Page | undefined): Promise<void> {
    if (active.aborted || frontier.isDone(target) || !frontier.begin(target)) return;
    if (now() - startedAt > settings.timeLimitMs) return endInTime();
    try {
      await settle(target, attempt, await parts.load(target.url, page));
    } catch (error) {
      if (error instanceof VisitAgain) throw error;
      // What was under way when the crawl ended stays pending; another process may take it up.
      if (!active.aborted) await fail(target, attempt, { kind: 'failed', message: messageOf(error), retry: false });
    }
  }

  async function endInTime(): Promise<void> {
    const minutes = Math.round(settings.timeLimitMs / 60_000);
    finishWith({ outcome: 'finished' });
    await reporter.add({
      errors: [{ message: `The crawl ended after ${minutes} minutes; there are pages it has not seen.` }],
    });
  }

  async function settle(target: Target, attempt: number, loaded: Loaded): Promise<void> {
    if (loaded.kind === 'failed') return fail(target, attempt, loaded);
    failuresInARow = 0;
    if (loaded.kind === 'page') return read(target, loaded);
    lastProblem = loaded.message;
    const note = [{ url: target.url, message: loaded.message }];
    if (loaded.kind === 'gone') {
      const reported = reporter.add({ counts: { pages_gone: 1 }, gone: [target.url], errors: note });
      frontier.finish(target);
      return reported;
    }
    frontier.giveBack(target);
    const isNoted = loaded.reason === 'robots' && robotsNotes < MOST_ROBOTS_NOTES;
    if (isNoted) robotsNotes += 1;
    return reporter.add({ counts: { pages_skipped: 1 }, errors: isNoted ? note : [] });
  }

  async function read(target: Target, { url, html }: { url: string; html: string }): Promise<void> {
    if (!frontier.claim(target, url)) return frontier.finish(target);
    pagesRead += 1;
    const { own, entries, links, next } = readPageContent(html, url, frontier.scope, spec.extract);
    await parts.enqueue(frontier.discover(target, { links, next }));
    const found = chosenRecords(target, own, entries).map((raw) => ({ raw, normalized: parts.normalize(raw) }));
    const records = found.flatMap(({ normalized }) => ('record' in normalized ? normalized.record : []));
    const errors = found.flatMap(({ raw, normalized }) =>
      'reason' in normalized ? { url: raw.url, message: `No listing: ${normalized.reason}.` } : [],
    );
    const unusable = errors.length > 0 ? { records_unusable: errors.length } : {};
    const reported = reporter.add({ counts: { pages_fetched: 1, ...unusable }, records, errors });
    frontier.finish(target, url);
    return reported;
  }

  /** The entries of a list are only outlines of pages: those that are visited anyway speak for themselves. */
  function chosenRecords(target: Target, own: RawRecord | undefined, entries: RawRecord[]): RawRecord[] {
    if (target.kind === 'list') return [];
    if (own) return isNew(own, true) ? [own] : [];
    return entries.filter((entry) => target.kind === 'any' && !frontier.willVisit(entry.url) && isNew(entry, false));
  }

  async function fail(target: Target, attempt: number, failure: Failure): Promise<void> {
    lastProblem = failure.message;
    if (failure.fatal) {
      if (failure.restMs !== undefined) await admission.rest(target.url, failure.restMs);
      return finishWith({ outcome: 'failed', reason: failure.message });
    }
    if (failure.retry && attempt < MAX_RETRIES) {
      const pauseMs = settings.retryDelayMs * 2 ** attempt;
      if (failure.restMs === undefined) await parts.sleep(pauseMs, active);
      else await admission.rest(target.url, Math.max(failure.restMs, pauseMs));
      throw new VisitAgain(failure.message);
    }
    failuresInARow += 1;
    const reported = reporter.add({
      counts: { pages_failed: 1 },
      errors: [{ url: target.url, message: failure.message }],
    });
    frontier.finish(target);
    await reported;
    if (failuresInARow < MOST_FAILURES_IN_A_ROW) return;
    finishWith({ outcome: 'failed', reason: `${failuresInARow} pages in a row failed. ${failure.message}` });
  }

  return {
    visit,
    /** How the crawl ends once no page is left. */
    end: (): CrawlEnd =>
      pagesRead > 0 ? { outcome: 'finished' } : { outcome: 'failed', reason: `No page could be read. ${lastProblem}` },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
