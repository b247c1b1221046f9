// The process of one crawl: it starts with nothing but a channel to its parent, and ends with the crawl.
import { setTimeout as delay } from 'node:timers/promises';
import { createGuardedFetch } from '../../shared/adapters/fetch.ts';
import { crawl } from './crawl.ts';
import { readerOf } from './page-reader.ts';
import { createLeasedPace } from '../politeness/pace-leased.ts';
import { createNormalize } from '../../shared/scrapers/site-normalizer.ts';
import { createCaller, readToCrawl, type FromCrawl } from './protocol.ts';
import { fetchSettingsOf, type CrawlEnd, type CrawlSettings, type CrawlSpec, type KnownPage } from './spec.ts';

const stopping = new AbortController();
const { rpc, answer } = createCaller((message: FromCrawl) => process.send?.(message));
let hasEnded = false;

/** Tells the parent how the crawl ended, and ends the process. */
function end(how: CrawlEnd): void {
  if (hasEnded) return;
  hasEnded = true;
  process.send?.({ kind: 'end', end: how } satisfies FromCrawl, () => process.exit(0));
}

async function run(spec: CrawlSpec, settings: CrawlSettings): Promise<void> {
  // What the first request loads would make it late, and the second one too close to it.
  await Promise.all([import('undici'), import('@crawlee/basic')]);
  const fetch = createGuardedFetch(fetchSettingsOf(settings));
  const ports = {
    fetch,
    pace: createLeasedPace(rpc, () => performance.now()),
    readPage: createPageBatches(rpc.readPages),
    readContent: readerOf(spec, settings).read,
    robots: { read: rpc.readRobots, write: rpc.writeRobots },
    normalize: createNormalize(spec, () => new Date()),
    report: rpc.report,
    log: rpc.log,
    now: () => Date.now(),
    sleep: (milliseconds: number, signal: AbortSignal) => delay(milliseconds, undefined, { signal }),
  };
  end(await crawl(spec, settings, ports, stopping.signal));
}

process.on('message', (raw) => {
  try {
    const message = readToCrawl(raw);
    if (message.kind === 'start') void run(message.spec, message.settings);
    else if (message.kind === 'stop') stopping.abort(new Error('the crawl was told to stop'));
    else answer(message);
  } catch (error) {
    end({ outcome: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
});
// A crawl without a parent has nobody to tell what it finds.
process.on('disconnect', () => process.exit(1));

/** Asks for known pages in batches: with the page that is wanted go those that will be wanted soon, whose answers are kept. */
function createPageBatches(ask: (pages: string[]) => Promise<(KnownPage | undefined)[]>) {
  const kept = new Map<string, Promise<KnownPage | undefined>>();
  return async (page: string, soon: () => readonly string[]): Promise<KnownPage | undefined> => {
    const known = kept.get(page);
    if (known) {
      kept.delete(page);
      return known;
    }
    const pages = [page, ...soon().filter((other) => !kept.has(other))];
    const answers = ask(pages);
    for (const [index, other] of pages.entries()) {
      const answer = answers.then((all) => all[index]);
      // Told by the visit that wants it, if any does.
      answer.catch(() => undefined);
      if (other !== page) kept.set(other, answer);
    }
    return (await answers)[0];
  };
}
