import PQueue, { TimeoutError } from 'p-queue';
import { Piscina } from 'piscina';
import type { PageContent, PageToRead } from './page-content.ts';
import type { CrawlSettings, CrawlSpec } from './spec.ts';

/** Reads pages beside the crawl. A page that cannot be read rejects with what to say of it, and harms no other. */
export type PageReader = { read(html: string, url: string): Promise<PageContent>; close(): Promise<void> };

type Limits = { heapMb?: number; limitMs: number };

/**
 * A pool of one worker thread that reads pages in their order while the crawl asks for the next ones. A page that takes longer
 * than `limitMs` (the start of the thread does not count) or more memory than `heapMb` ends the thread, and the pages behind
 * it go to a new one.
 */
export function createPageReader(
  site: Pick<PageToRead, 'scope' | 'extract'>,
  { heapMb = 384, limitMs }: Limits,
): PageReader {
  const pool = new Piscina<PageToRead | undefined, PageContent>({
    filename: new URL('./page-content.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  const turns = new PQueue({ concurrency: 1 });
  const closing = new AbortController();

  return {
    async read(html, url) {
      const { signal } = closing;
      const started = turns.add(() => pool.run(undefined, { name: 'waitUntilReady', signal }));
      const read = turns.add((turn) => pool.run({ html, url, ...site }, turn), { timeout: limitMs, signal });
      const [, page] = await Promise.all([started, read]).catch((error: unknown) => {
        throw new Error(problemOf(error), { cause: error });
      });
      return page;
    },
    async close() {
      closing.abort(new Error('The reader of pages was closed.'));
      await pool.destroy();
    },
  };
}

function problemOf(error: unknown): string {
  if (error instanceof TimeoutError) return 'The page takes too long to read.';
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? 'The page takes too much memory to read.'
    : error.message;
}

/** The reader of the pages of one crawl. */
export const readerOf = (
  { site, start_urls: startUrls, extract }: CrawlSpec,
  { pageTimeLimitMs: limitMs }: CrawlSettings,
): PageReader => createPageReader({ scope: { site, startUrls }, extract }, { limitMs });
