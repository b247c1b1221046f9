import type { Frontier } from './frontier.ts';
import type { CrawlNews } from './spec.ts';

const EVERY_MS = 1_000;
const MAX_RECORDS = 50;
/** The state is as large as the site: it goes along every ten seconds, and less often the more pages are known. */
const STATE_EVERY_MS = 10_000;
const STATE_MS_PER_PAGE = 1;

type Gathered = Omit<CrawlNews, 'state'>;

export type Reporter = ReturnType<typeof createReporter>;

/**
 * Gathers the news of a crawl and sends them on every second, or when 50 records are waiting; `add` is slow then, so that
 * a crawl is never far ahead of what is stored. A send that fails is told to `onError`, once per send.
 */
export function createReporter(
  send: (news: CrawlNews) => Promise<void>,
  frontier: Pick<Frontier, 'state' | 'size'>,
  onError: (error: unknown) => void,
) {
  let gathered = nothing();
  let stateSentAt = performance.now();
  let sending: Promise<void> = Promise.resolve();
  const timer = setInterval(() => void flush(), EVERY_MS);

  function flush(isLast = false): Promise<void> {
    sending = sending
      .then(() => {
        const news = gathered;
        gathered = nothing();
        const isDue = performance.now() - stateSentAt > Math.max(STATE_EVERY_MS, frontier.size() * STATE_MS_PER_PAGE);
        if (isDue || isLast) stateSentAt = performance.now();
        return send(isDue || isLast ? { ...news, state: frontier.state() } : news);
      })
      .catch(onError);
    return sending;
  }

  return {
    async add(news: Partial<Gathered>): Promise<void> {
      for (const [name, count] of Object.entries(news.counts ?? {}) as [keyof Gathered['counts'], number][]) {
        gathered.counts[name] = (gathered.counts[name] ?? 0) + count;
      }
      gathered.records.push(...(news.records ?? []));
      gathered.errors.push(...(news.errors ?? []));
      gathered.gone.push(...(news.gone ?? []));
      gathered.pages.push(...(news.pages ?? []));
      gathered.verified.push(...(news.verified ?? []));
      gathered.listed.push(...(news.listed ?? []));
      if (gathered.records.length >= MAX_RECORDS) await flush();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await flush(true);
    },
  };
}

const nothing = (): Gathered => ({
  counts: {},
  records: [],
  errors: [],
  gone: [],
  pages: [],
  verified: [],
  listed: [],
});
