import type { CrawlQueue } from './request-queue.ts';
import type { CrawlNews } from './spec.ts';

/** News come at least so often, also when there are none: whoever hears nothing for long takes the crawl for lost. */
const EVERY_MS = 1_000;
const MAX_RECORDS = 50;

/** What visits tell; what they change in the request queue goes along. */
export type PageNews = Omit<CrawlNews, 'queue'>;

export type Reporter = ReturnType<typeof createReporter>;

/**
 * Sends the news of a crawl on as they come, in groups: while some are being stored, the next ones gather (group commit). With
 * 50 records waiting `add` is as slow as the storing, so that a crawl is never far ahead of what is stored. A send that fails
 * is told to `onError`, once per send.
 */
export function createReporter(
  send: (news: CrawlNews) => Promise<void>,
  queue: Pick<CrawlQueue, 'takeChanges'>,
  onError: (error: unknown) => void,
) {
  let gathered = nothing();
  let sending: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const timer = setInterval(() => void flush(), EVERY_MS);

  /** Settles when everything that was told so far is stored. */
  function flush(): Promise<void> {
    next ??= sending = sending
      .then(() => {
        next = undefined;
        const news = { ...gathered, queue: queue.takeChanges() };
        gathered = nothing();
        return send(news);
      })
      .catch(onError);
    return next;
  }

  return {
    async add(news: Partial<PageNews>): Promise<void> {
      for (const [name, count] of Object.entries(news.counts ?? {}) as [keyof PageNews['counts'], number][]) {
        gathered.counts[name] = (gathered.counts[name] ?? 0) + count;
      }
      gathered.records.push(...(news.records ?? []));
      gathered.errors.push(...(news.errors ?? []));
      gathered.gone.push(...(news.gone ?? []));
      gathered.pages.push(...(news.pages ?? []));
      gathered.verified.push(...(news.verified ?? []));
      gathered.listed.push(...(news.listed ?? []));
      const sent = flush();
      if (gathered.records.length >= MAX_RECORDS) await sent;
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}

const nothing = (): PageNews => ({
  counts: {},
  records: [],
  errors: [],
  gone: [],
  pages: [],
  verified: [],
  listed: [],
});
