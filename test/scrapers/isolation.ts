import { crawlWithParent } from '../../scrapers/crawl/crawl-with-parent.ts';
import { readPageContent } from '../../scrapers/crawl/page-content.ts';
import type { PageReader } from '../../scrapers/crawl/page-reader.ts';
import type { RunCrawl } from '../../scrapers/crawl/process.ts';
import {
  callProcedure,
  createCaller,
  readFromCrawl,
  readToCrawl,
  type FromCrawl,
  type ToCrawl,
} from '../../scrapers/crawl/protocol.ts';
import type { CrawlSpec } from '../../scrapers/crawl/spec.ts';
import { createAnalyses, type Analyses } from '../../scrapers/learn/analyses.ts';
import type { Isolation } from '../../scrapers/services.ts';
import { parseMarketplace } from '../../shared/profiles/read-profile.ts';

/** Crawls in this process; what the crawl and its parent say to each other is copied and checked as between processes. */
const crawlHere: RunCrawl = async (spec, settings, parent, { signal }) => {
  const failed = Promise.withResolvers<never>();
  const ending = new AbortController();
  const receive = async (raw: unknown) => {
    const message = readFromCrawl(structuredClone(raw));
    if (message.kind !== 'call') return;
    const value = await callProcedure(parent, message.name, message.args);
    const reply = readToCrawl(structuredClone({ kind: 'answer', id: message.id, value } satisfies ToCrawl));
    if (reply.kind === 'answer') caller.answer(reply);
  };
  const caller = createCaller((message: FromCrawl) => {
    receive(message).catch((error: unknown) => {
      ending.abort(error);
      failed.reject(error);
    });
  });
  const start = readToCrawl(structuredClone({ kind: 'start', spec, settings }));
  if (start.kind !== 'start') throw new Error('the crawl was not told to start');
  const options = { signal: AbortSignal.any([signal, ending.signal]), reader: readerHere(spec) };
  return Promise.race([crawlWithParent(start.spec, start.settings, caller.rpc, options), failed.promise]);
};

/** Reads the pages of a crawl in this process, without a limit. */
export const readerHere = ({ site, start_urls: startUrls, extract }: CrawlSpec): PageReader => ({
  read: async (html, url) => readPageContent(html, url, { site, startUrls }, extract),
  close: async () => undefined,
});

/** Reads foreign pages in this process: for tests whose subject is not the process or the thread. */
export const inThisProcess: Isolation = {
  crawl: crawlHere,
  createPageAnalyst(marketplace) {
    const analyses: Analyses = createAnalyses(parseMarketplace(marketplace));
    return {
      ask: async (name, task) => structuredClone(analyses[name](structuredClone(task) as never)) as never,
      close: async () => undefined,
    };
  },
};
