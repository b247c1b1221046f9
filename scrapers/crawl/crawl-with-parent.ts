import { setTimeout as delay } from 'node:timers/promises';
import { createGuardedFetch } from '../../shared/adapters/fetch.ts';
import { createNormalize } from '../../shared/scrapers/site-normalizer.ts';
import { createLeasedPace } from '../politeness/pace-leased.ts';
import { crawl } from './crawl.ts';
import { readerOf, type PageReader } from './page-reader.ts';
import type { ParentRpc } from './protocol.ts';
import { fetchSettingsOf, type CrawlEnd, type CrawlSettings, type CrawlSpec, type KnownPage } from './spec.ts';

type Options = {
  signal: AbortSignal;
  /** What reads the pages; a thread beside the crawl when absent. */
  reader?: PageReader;
};

/** Runs one crawl that calls its parent for everything that lives in the database. */
export async function crawlWithParent(
  spec: CrawlSpec,
  settings: CrawlSettings,
  parent: ParentRpc,
  { signal, reader = readerOf(spec, settings) }: Options,
): Promise<CrawlEnd> {
  // What the first request loads would make it late, and the second one too close to it.
  await Promise.all([import('undici'), import('@crawlee/basic')]);
  const fetch = createGuardedFetch(fetchSettingsOf(settings));
  const ports = {
    fetch,
    pace: createLeasedPace(parent, () => performance.now()),
    readPage: createPageBatches(parent.readPages),
    readContent: reader.read,
    robots: { read: parent.readRobots, write: parent.writeRobots },
    normalize: createNormalize(spec, () => new Date()),
    report: parent.report,
    log: parent.log,
    now: () => Date.now(),
    sleep: (milliseconds: number, asleep: AbortSignal) => delay(milliseconds, undefined, { signal: asleep }),
  };
  try {
    return await crawl(spec, settings, ports, signal);
  } finally {
    await Promise.all([fetch.close(), reader.close()]);
  }
}

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
