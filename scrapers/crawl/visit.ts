import type { Page } from 'playwright';
import type { Frontier } from './frontier.ts';
import type { PageContent } from './page-content.ts';
import type { Normalize } from '../../shared/scrapers/site-normalizer.ts';
import { createRecordFilter, tellKnownPage, tellPage } from './page-news.ts';
import type { Reporter } from './report.ts';
import type { CrawlQueue } from './request-queue.ts';
import type { CrawlEnd, CrawlSettings, CrawlSpec, KnownPage, Target } from './spec.ts';
import type { Loaded, LoadedPage, Validators } from '../load/http-page.ts';
import type { loadSitemap } from '../load/sitemap.ts';
import type { Failure, Politeness, Sleep } from '../politeness/politeness.ts';

/** So many pages in a row that fail mean that the site is down or has had enough of us. */
const MAX_FAILURES_IN_A_ROW = 10;
const MAX_ROBOTS_NOTES = 5;
const MAX_ENCODING_NOTES = 3;
/** A site that refuses us is left alone for longer than one that fails. */
const REFUSED_TIMES = 5;

/** Who asks: the session of the request, and the browser page that was opened for it. */
export type VisitContext = { sessionId: string | undefined; page: Page | undefined };

type Parts = {
  spec: CrawlSpec;
  settings: CrawlSettings;
  frontier: Frontier;
  queue: CrawlQueue;
  reporter: Reporter;
  politeness: Politeness;
  normalize: Normalize;
  load: (url: string, context: VisitContext, known: Validators | undefined) => Promise<Loaded>;
  loadSitemap: (url: string, context: VisitContext) => Promise<Awaited<ReturnType<typeof loadSitemap>>>;
  /** What an earlier crawl has seen on a page. */
  readPage: ((target: Target) => Promise<KnownPage | undefined> | undefined) | undefined;
  /** Reads what a page holds; rejects with what to say of one that cannot be read. */
  readContent: (html: string, url: string) => Promise<PageContent>;
  finishWith: (end: CrawlEnd) => void;
  now: () => number;
  sleep: Sleep;
  /** Aborted as soon as the crawl is to end, for whatever reason. */
  active: AbortSignal;
};

/** Thrown by a visit whose page could not be had. */
export class PageFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * The state of one crawl, page by page. `visit` loads a page, reads it, tells its records and queues where it leads; it throws
 * PageFailed alone, after which `pause` comes before the next try, or `giveUp` when there is none.
 */
export class SiteVisitor {
  readonly #parts: Parts;
  readonly #startedAt: number;
  readonly #isNew = createRecordFilter();
  #pagesRead: number;
  #failuresInARow = 0;
  #robotsNotes = 0;
  #encodingNotes = 0;
  #lastProblem = 'There was no page to read.';

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#startedAt = parts.now();
    this.#pagesRead = parts.spec.resume?.visited.length ?? 0;
  }

  /** How the crawl ends once no page is left. */
  end(): CrawlEnd {
    if (this.#pagesRead > 0) return { outcome: 'finished' };
    return { outcome: 'failed', reason: `No page could be read. ${this.#lastProblem}` };
  }

  async visit(target: Target, context: VisitContext): Promise<void> {
    const { queue, active, settings, now } = this.#parts;
    if (active.aborted || queue.isDone(target)) return;
    // A page that need not be asked for uses none of the budget, nor does it need any.
    if (target.lastmod === undefined && !queue.begin(target)) return;
    const known = target.kind === 'record' ? await this.#parts.readPage?.(target) : undefined;
    if (known && target.lastmod !== undefined && target.lastmod < known.readAt)
      return this.#pass(target, known, 'listed');
    if (!queue.begin(target)) return;
    if (now() - this.#startedAt > settings.timeLimitMs) return this.#endInTime();
    try {
      if (target.kind === 'sitemap') await this.#visitSitemap(target, context);
      else await this.#visitPage(target, context, known);
    } catch (error) {
      // What was under way when the crawl ended stays pending; another process may take it up.
      if (active.aborted) return;
      throw error instanceof PageFailed ? error : new PageFailed(failureOf(error));
    }
  }

  /** Waits before a page is tried again: the longer, the more often it has failed, and as long as its site says. */
  async pause({ url }: Target, { failure }: PageFailed, tries: number): Promise<void> {
    const { settings, politeness, sleep, active } = this.#parts;
    this.#lastProblem = failure.message;
    const pauseMs = settings.retryDelayMs * 2 ** tries;
    if (failure.restMs !== undefined) await politeness.backOff(url, Math.max(failure.restMs, REFUSED_TIMES * pauseMs));
    else
      await sleep(pauseMs, active).catch((error: unknown) => {
        if (!active.aborted) throw error;
      });
  }

  /** Counts a page as failed; what its site has asked for holds for the pages after it, and too many failures end the crawl. */
  async giveUp(target: Target, { failure }: PageFailed): Promise<void> {
    const { queue, reporter, politeness, finishWith } = this.#parts;
    const { message, restMs, fatal } = failure;
    this.#lastProblem = message;
    if (restMs !== undefined) await politeness.backOff(target.url, restMs);
    if (fatal) return finishWith({ outcome: 'failed', reason: message });
    this.#failuresInARow += 1;
    queue.finish(target);
    await reporter.add({ counts: { pages_failed: 1 }, errors: [{ url: target.url, message }] });
    if (this.#failuresInARow < MAX_FAILURES_IN_A_ROW) return;
    finishWith({ outcome: 'failed', reason: `${this.#failuresInARow} pages in a row failed. ${message}` });
  }

  async #visitSitemap(target: Target, context: VisitContext): Promise<void> {
    const { queue, frontier, reporter } = this.#parts;
    const loaded = await this.#parts.loadSitemap(target.url, context);
    if (loaded.kind === 'unchanged') return queue.finish(target);
    if (loaded.kind !== 'sitemap') return this.#settle(target, loaded);
    this.#countRead();
    queue.add(frontier.followListed(loaded));
    queue.finish(target);
    return reporter.add({ counts: { pages_fetched: 1 } });
  }

  async #visitPage(target: Target, context: VisitContext, known: KnownPage | undefined): Promise<void> {
    const loaded = await this.#parts.load(target.url, context, known);
    if (loaded.kind === 'page') return this.#read(target, loaded);
    if (loaded.kind !== 'unchanged') return this.#settle(target, loaded);
    if (known) return this.#pass(target, known, 'verified');
    throw new PageFailed({ kind: 'failed', message: 'The page answered 304 without being asked.', retry: false });
  }

  /** A page that has not changed: its record is as it was, and it leads where it led. */
  async #pass(target: Target, known: KnownPage, how: 'verified' | 'listed'): Promise<void> {
    const { queue, frontier, reporter } = this.#parts;
    this.#countRead();
    queue.add(frontier.follow(target, { links: known.links, next: undefined }));
    const records = this.#isNew({ url: known.record }, true) ? [known.record] : [];
    if (how === 'verified') queue.finish(target);
    else queue.giveBack(target);
    return reporter.add({ counts: how === 'verified' ? { pages_fetched: 1 } : {}, [how]: records });
  }

  /** A page that holds nothing to read, or could not be had. */
  async #settle(target: Target, loaded: Exclude<Loaded, { kind: 'unchanged' } | LoadedPage>): Promise<void> {
    const { queue, reporter, spec } = this.#parts;
    if (loaded.kind === 'failed') throw new PageFailed(loaded);
    this.#failuresInARow = 0;
    this.#lastProblem = loaded.message;
    const note = [{ url: target.url, message: loaded.message }];
    if (loaded.kind === 'gone') {
      queue.finish(target);
      return reporter.add({ counts: { pages_gone: 1 }, gone: [target.url], errors: note });
    }
    queue.giveBack(target);
    const isNoted = spec.knownPagesOnly || (loaded.reason === 'robots' && this.#robotsNotes < MAX_ROBOTS_NOTES);
    if (isNoted) this.#robotsNotes += 1;
    return reporter.add({ counts: { pages_skipped: 1 }, errors: isNoted ? note : [] });
  }

  async #read(target: Target, loaded: LoadedPage): Promise<void> {
    const { spec, queue, frontier, reporter, normalize } = this.#parts;
    const { url, html, validators, problem } = loaded;
    if (!queue.claim(target, url)) return queue.finish(target);
    const content = await this.#parts.readContent(html, url);
    this.#countRead();
    if (spec.knownPagesOnly) {
      const known = tellKnownPage(target, loaded, content, normalize);
      queue.finish(target, url);
      return reporter.add(known);
    }
    const { own, links, next } = content;
    queue.add(frontier.follow(target, { links, next }));
    const worth = { own, validators, links: frontier.worthKeeping(links) };
    const news = tellPage(target, worth, this.#choose(target, content), normalize);
    if (problem !== undefined && this.#encodingNotes < MAX_ENCODING_NOTES) {
      this.#encodingNotes += 1;
      news.errors.push({ url, message: problem });
    }
    queue.finish(target, url);
    return reporter.add(news);
  }

  /** The entries of a list are only outlines of pages: those that are visited anyway speak for themselves. */
  #choose(target: Target, { own, entries }: PageContent) {
    const { queue, frontier } = this.#parts;
    if (target.kind === 'list') return [];
    if (own) return this.#isNew(own, true) ? [own] : [];
    return entries.filter((entry) => {
      const key = frontier.keyOnSite(entry.url);
      const isVisited = key !== undefined && queue.willVisit(key);
      return target.kind === 'any' && !isVisited && this.#isNew(entry, false);
    });
  }

  async #endInTime(): Promise<void> {
    const minutes = Math.round(this.#parts.settings.timeLimitMs / 60_000);
    this.#parts.finishWith({ outcome: 'finished' });
    await this.#parts.reporter.add({
      errors: [{ message: `The crawl ended after ${minutes} minutes; there are pages it has not seen.` }],
    });
  }

  #countRead(): void {
    this.#failuresInARow = 0;
    this.#pagesRead += 1;
  }
}

/** What stands for an error that no site has made, such as a page that cannot be read. */
const failureOf = (error: unknown): Failure => ({
  kind: 'failed',
  message: error instanceof Error ? error.message : String(error),
  retry: false,
});
