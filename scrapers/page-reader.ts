import { Worker } from 'node:worker_threads';
import type { SiteScope } from '../shared/scrapers/site.ts';
import type { PageContent } from './crawl-records.ts';
import type { ExtractOptions } from './extract/extract-page.ts';

export type ReaderData = { scope: SiteScope; extract: ExtractOptions };
export type PageToRead = { html: string; url: string };
export type Answer = { content: PageContent } | { problem: string };

/** Reads pages beside the crawl. A page that cannot be read rejects with what to say of it, and harms no other. */
export type PageReader = { read(html: string, url: string): Promise<PageContent>; close(): Promise<void> };

type Limits = { heapMb?: number; limitMs?: number };
type Job = { page: PageToRead; resolve: (content: PageContent) => void; reject: (error: Error) => void };

/**
 * A reader in a thread of its own: a fast crawl asks for the next pages while one is read. A page that takes longer than
 * `limitMs` or more memory than `heapMb` ends the thread, and the pages behind it go to a new one.
 */
export function createPageReader(data: ReaderData, { heapMb = 384, limitMs = 30_000 }: Limits = {}): PageReader {
  const jobs: Job[] = [];
  let thread: Worker | undefined;
  let limit: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(new URL('./page-reader-thread.ts', import.meta.url), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    started.on('message', (answer: Answer) => {
      if (started !== thread) return;
      const job = next();
      if ('content' in answer) job?.resolve(answer.content);
      else job?.reject(new Error(answer.problem));
    });
    started.on('error', (error: Error & { code?: string }) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (started === thread) giveUp(isMemory ? 'The page takes too much memory to read.' : error.message);
    });
    for (const { page } of jobs) send(started, page);
    return started;
  }

  /** Takes the page that was read out of the line; the time of the one behind it begins. */
  function next(): Job | undefined {
    const job = jobs.shift();
    clearTimeout(limit);
    limit = jobs.length === 0 ? undefined : setTimeout(giveUp, limitMs, 'The page takes too long to read.');
    return job;
  }

  function giveUp(problem: string): void {
    void thread?.terminate();
    thread = undefined;
    next()?.reject(new Error(problem));
    if (jobs.length > 0) thread = start();
  }

  return {
    read: (html, url) =>
      new Promise((resolve, reject) => {
        const page = { html, url };
        jobs.push({ page, resolve, reject });
        if (jobs.length === 1) limit = setTimeout(giveUp, limitMs, 'The page takes too long to read.');
        if (thread) send(thread, page);
        else thread = start();
      }),
    async close() {
      clearTimeout(limit);
      const last = thread;
      thread = undefined;
      await last?.terminate();
    },
  };
}

function send(thread: Worker, page: PageToRead): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  thread.postMessage(page);
}
