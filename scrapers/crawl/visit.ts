import type { Page } from 'playwright';
import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { MAX_RETRIES, VisitAgain } from './engine.ts';
import { pageKeyOf, type Frontier } from './frontier.ts';
import type { Normalize } from './normalize.ts';
import { createRecordFilter, type PageContent } from './records.ts';
import type { Reporter } from './report.ts';
import type { CrawlEnd, CrawlSettings, CrawlSpec, KnownPage, ReadPage, Target } from './spec.ts';
import type { Loaded, LoadedPage, Validators } from '../load/http-loaded.ts';
import type { Failure } from '../politeness/politeness.ts';
import type { loadSitemap } from '../load/http-sitemap.ts';
import type { Politeness, Sleep } from '../politeness/politeness.ts';

/** So many pages in a row that fail mean that the site is down or has had enough of us. */
const MAX_FAILURES_IN_A_ROW = 10;
const MAX_ROBOTS_NOTES = 5;
const MAX_ENCODING_NOTES = 3;
/** A site that refuses us is left alone for longer than one that fails. */
const REFUSED_TIMES = 5;

type VisitorOptions = {
  spec: CrawlSpec;
  settings: CrawlSettings;
  frontier: Frontier;
  reporter: Reporter;
  politeness: Politeness;
  normalize: Normalize;
  load: (url: string, page: Page | undefined, known: Validators | undefined) => Promise<Loaded>;
  loadSitemap: (url: string) => Promise<Awaited<ReturnType<typeof loadSitemap>>>;
  /** What an earlier crawl has seen on a page. */
  readPage: ((target: Target) => Promise<KnownPage | undefined> | undefined) | undefined;
  /** Reads what a page holds; rejects with what to say of one that cannot be read. */
  readContent: (html: string, url: string) => Promise<PageContent>;
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
export function createVisitor(parts: VisitorOptions) {
  const { spec, settings, frontier, reporter, politeness, finishWith, now, active } = parts;
  const startedAt = now();
  const isNew = createRecordFilter();
  let pagesRead = spec.resume?.done.length ?? 0;
  let failuresInARow = 0;
  let robotsNotes = 0;
  let encodingNotes = 0;
  let lastProblem = 'There was no page to read.';

  async function visit(target: Target, attempt: number, page: Page | undefined): Promise<void> {
    if (active.aborted || frontier.isDone(target)) return;
    // A page that need not be asked for uses none of the budget, nor does it need any.
    if (target.lastmod === undefined && !frontier.begin(target)) return;
    const known = target.kind === 'record' ? await parts.readPage?.(target) : undefined;
    if (known && target.lastmod !== undefined && target.lastmod < known.readAt) return pass(target, known, 'listed');
    if (!frontier.begin(target)) return;
    if (now() - startedAt > settings.timeLimitMs) return endInTime();
    try {
      await (target.kind === 'sitemap' ? visitSitemap(target, attempt) : visitPage(target, attempt, page, known));
    } catch (error) {
      if (error instanceof VisitAgain) throw error;
      // What was under way when the crawl ended stays pending; another process may take it up.
      if (!active.aborted) await fail(target, attempt, { kind: 'failed', message: messageOf(error), retry: false });
    }
  }

  async function visitPage(
    target: Target,
    attempt: number,
    page: Page | undefined,
    known: KnownPage | undefined,
  ): Promise<void> {
    const loaded = await parts.load(target.url, page, known);
    if (loaded.kind !== 'unchanged') return settle(target, attempt, loaded);
    if (known) return pass(target, known, 'verified');
    return fail(target, attempt, {
      kind: 'failed',
      message: 'The page answered 304 without being asked.',
      retry: false,
    });
  }

  async function visitSitemap(target: Target, attempt: number): Promise<void> {
    const loaded = await parts.loadSitemap(target.url);
    if (loaded.kind !== 'sitemap')
      return loaded.kind === 'unchanged' ? frontier.finish(target) : settle(target, attempt, loaded);
    failuresInARow = 0;
    pagesRead += 1;
    await parts.enqueue(frontier.discoverListed(loaded));
    const reported = reporter.add({ counts: { pages_fetched: 1 } });
    frontier.finish(target);
    return reported;
  }

  /** A page that has not changed: its record is as it was, and it leads where it led. */
  async function pass(target: Target, known: KnownPage, how: 'verified' | 'listed'): Promise<void> {
    failuresInARow = 0;
    pagesRead += 1;
    await parts.enqueue(frontier.discover(target, { links: known.links, next: undefined }));
    const records = isNew({ url: known.record }, true) ? [known.record] : [];
    const reported = reporter.add({ counts: how === 'verified' ? { pages_fetched: 1 } : {}, [how]: records });
    if (how === 'verified') frontier.finish(target);
    else frontier.giveBack(target);
    return reported;
  }

  async function endInTime(): Promise<void> {
    const minutes = Math.round(settings.timeLimitMs / 60_000);
    finishWith({ outcome: 'finished' });
    await reporter.add({
      errors: [{ message: `The crawl ended after ${minutes} minutes; there are pages it has not seen.` }],
    });
  }

  async function settle(
    target: Target,
    attempt: number,
    loaded: Exclude<Loaded, { kind: 'unchanged' }>,
  ): Promise<void> {
    if (loaded.kind === 'failed') return fail(target, attempt, loaded);
    if (loaded.kind === 'page') return read(target, loaded);
    failuresInARow = 0;
    lastProblem = loaded.message;
    const note = [{ url: target.url, message: loaded.message }];
    if (loaded.kind === 'gone') {
      const reported = reporter.add({ counts: { pages_gone: 1 }, gone: [target.url], errors: note });
      frontier.finish(target);
      return reported;
    }
    frontier.giveBack(target);
    const isNoted = spec.knownPagesOnly || (loaded.reason === 'robots' && robotsNotes < MAX_ROBOTS_NOTES);
    if (isNoted) robotsNotes += 1;
    return reporter.add({ counts: { pages_skipped: 1 }, errors: isNoted ? note : [] });
  }

  async function read(target: Target, { url, html, validators, problem }: LoadedPage): Promise<void> {
    if (!frontier.claim(target, url)) return frontier.finish(target);
    const content = await parts.readContent(html, url);
    failuresInARow = 0;
    pagesRead += 1;
    if (spec.knownPagesOnly) return readAgain(target, url, content, validators);
    const { own, entries, links, next } = content;
    await parts.enqueue(frontier.discover(target, { links, next }));
    const found = chosenRecords(target, own, entries).map((raw) => ({ raw, normalized: parts.normalize(raw) }));
    const records = found.flatMap(({ normalized }) => ('record' in normalized ? normalized.record : []));
    const errors = found.flatMap(({ raw, normalized }) =>
      'reason' in normalized ? { url: raw.url, message: `No listing: ${normalized.reason}.` } : [],
    );
    const unusable = errors.length > 0 ? { records_unusable: errors.length } : {};
    if (problem !== undefined && encodingNotes < MAX_ENCODING_NOTES) {
      encodingNotes += 1;
      errors.push({ url, message: problem });
    }
    const [record] = records;
    const pages = own && record && target.kind === 'record' ? remembered(target, own, record, validators, links) : [];
    const reported = reporter.add({ counts: { pages_fetched: 1, ...unusable }, records, errors, pages });
    frontier.finish(target, url);
    return reported;
  }

  /** What the next crawl should know of a page with one record. */
  function remembered(
    { key: page }: Target,
    own: RawRecord,
    { scraped_at: scrapedAt }: { scraped_at?: string | undefined },
    validators: Validators | undefined,
    links: readonly string[],
  ): ReadPage[] {
    const record = pageKeyOf(own.url);
    if (record === undefined || scrapedAt === undefined) return [];
    return [{ page, record, ...validators, links: frontier.worthKeeping(links), scrapedAt }];
  }

  /** What a known page holds now: its record, the words that the thing is gone, or nothing of the kind. */
  async function readAgain(
    { key, url, ...target }: Target,
    foundAt: string,
    content: PageContent,
    validators: Validators | undefined,
  ): Promise<void> {
    const isMoved = !isSamePage(foundAt, url) && (content.own === undefined || pageKeyOf(content.own.url) !== key);
    const found = isMoved || !content.own ? undefined : parts.normalize({ ...content.own, url });
    const news: Parameters<Reporter['add']>[0] = { counts: { pages_fetched: 1 } };
    if (found && 'record' in found) {
      news.records = [found.record];
      const { scraped_at: scrapedAt } = found.record;
      if (scrapedAt !== undefined) news.pages = [{ page: key, record: key, ...validators, links: [], scrapedAt }];
    } else if (!isMoved && content.saysOver) news.gone = [url];
    else
      news.errors = [
        { url, message: isMoved ? 'The page leads elsewhere now.' : 'There is no listing on the page any more.' },
      ];
    const reported = reporter.add(news);
    frontier.finish({ key, url, ...target }, foundAt);
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
    const isTriedAgain = failure.retry && !failure.fatal && attempt < MAX_RETRIES;
    const pauseMs = isTriedAgain ? settings.retryDelayMs * 2 ** attempt : 0;
    if (failure.restMs !== undefined)
      await politeness.backOff(target.url, Math.max(failure.restMs, REFUSED_TIMES * pauseMs));
    else if (isTriedAgain) await parts.sleep(pauseMs, active);
    if (isTriedAgain) throw new VisitAgain(failure.message);
    if (failure.fatal) return finishWith({ outcome: 'failed', reason: failure.message });
    failuresInARow += 1;
    const reported = reporter.add({
      counts: { pages_failed: 1 },
      errors: [{ url: target.url, message: failure.message }],
    });
    frontier.finish(target);
    await reported;
    if (failuresInARow < MAX_FAILURES_IN_A_ROW) return;
    finishWith({ outcome: 'failed', reason: `${failuresInARow} pages in a row failed. ${failure.message}` });
  }

  return {
    visit,
    /** How the crawl ends once no page is left. */
    end: (): CrawlEnd =>
      pagesRead > 0 ? { outcome: 'finished' } : { outcome: 'failed', reason: `No page could be read. ${lastProblem}` },
  };
}

/** True when one address only spells the other differently: another scheme, `www.` or a slash at its end. */
function isSamePage(a: string, b: string): boolean {
  const bare = (url: string) => (pageKeyOf(url) ?? url).replace(/^https?:\/\/(?:www\.)?/, '');
  return bare(a) === bare(b);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
