import { Worker } from 'node:worker_threads';
import type { SiteScope } from '../../shared/scrapers/site.ts';
import type { PageContent } from './records.ts';
import type { CrawlSettings, CrawlSpec } from './spec.ts';
import type { ExtractOptions } from '../extract/extract-page.ts';

export type ReaderData = { scope: SiteScope; extract: ExtractOptions };
export type PageToRead = { html: string; url: string };
export type Answer = 'ready' | { content: PageContent } | { problem: string };

/** Reads pages beside the crawl. A page that cannot be read rejects with what to say of it, and harms no other. */
export type PageReader = { read(html: string, url: string): Promise<PageContent>; close(): Promise<void> };

type Limits = { heapMb?: number; limitMs: number };
type Job = { page: PageToRead; resolve: (content: PageContent) => void; reject: (error: Error) => void };

/**
 * One worker thread that reads pages in their order while the crawl asks for the next ones. A page that takes longer than
 * `limitMs` (the start of the thread does not count) or more memory than `heapMb` ends the thread, and the pages behind it
 * go to a new one.
 */
export function createPageReader(data: ReaderData, { heapMb = 384, limitMs }: Limits): PageReader {
  const jobs: Job[] = [];
  let thread: Worker | undefined;
  let limit: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(new URL('./page-reader-thread.ts', import.meta.url), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    let isReady = false;
    started.on('message', (answer: Answer) => {
      if (started !== thread) return;
      if (answer !== 'ready') return settle(answer);
      isReady = true;
      beginNext();
    });
    started.on('error', (error: Error & { code?: string }) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (started === thread) giveUp(isMemory ? 'The page takes too much memory to read.' : error.message);
    });
    started.on('exit', () => {
      if (started === thread)
        giveUp(isReady ? 'Reading the page ended the reader.' : 'The reader could not be started.');
    });
    for (const { page } of jobs) send(started, page);
    return started;
  }

  /** The time of the page that is first in the line begins. */
  function beginNext(): void {
    clearTimeout(limit);
    limit = jobs.length === 0 ? undefined : setTimeout(giveUp, limitMs, 'The page takes too long to read.');
  }

  function settle(answer: Exclude<Answer, 'ready'>): void {
    const job = jobs.shift();
    beginNext();
    if ('content' in answer) job?.resolve(answer.content);
    else job?.reject(new Error(answer.problem));
  }

  function giveUp(problem: string): void {
    void thread?.terminate();
    thread = undefined;
    clearTimeout(limit);
    jobs.shift()?.reject(new Error(problem));
    if (jobs.length > 0) thread = start();
  }

  return {
    read: (html, url) =>
      new Promise((resolve, reject) => {
        const page = { html, url };
        const isIdle = jobs.push({ page, resolve, reject }) === 1;
        if (thread) {
          send(thread, page);
          if (isIdle) beginNext();
        } else thread = start();
      }),
    async close() {
      clearTimeout(limit);
      const last = thread;
      thread = undefined;
      for (const { reject } of jobs.splice(0)) reject(new Error('The reader of pages was closed.'));
      await last?.terminate();
    },
  };
}

/** The reader of the pages of one crawl. */
export const readerOf = (
  { site, start_urls: startUrls, extract }: CrawlSpec,
  { pageTimeLimitMs: limitMs }: CrawlSettings,
): PageReader => createPageReader({ scope: { site, startUrls }, extract }, { limitMs });

function send(thread: Worker, page: PageToRead): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  thread.postMessage(page);
}
