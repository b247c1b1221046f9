// The process of one crawl: it starts with nothing but a channel to its parent, and ends with the crawl.
import { setTimeout as delay } from 'node:timers/promises';
import { createGuardedFetch } from '../shared/adapters/fetch.ts';
import { crawl } from './crawl.ts';
import { readerOf } from './page-reader.ts';
import { createPageBatches } from './pages-batched.ts';
import { createLeasedPace } from './rate-leased.ts';
import { createNormalize } from './crawl-normalize.ts';
import type { Desk, FromCrawl, Question, ToCrawl } from './crawl-protocol.ts';
import type { CrawlSettings, CrawlSpec } from './crawl-spec.ts';

const stopping = new AbortController();
const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
let asked = 0;

const send = (message: FromCrawl) => process.send?.(message);

/** Asks the parent's desk, and resolves or rejects as it does. */
function ask<Name extends keyof Desk>(
  name: Name,
  ...args: Parameters<NonNullable<Desk[Name]>>
): ReturnType<NonNullable<Desk[Name]>> {
  asked += 1;
  const id = asked;
  const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  send({ kind: 'question', id, name, args } as Question);
  return answer as ReturnType<NonNullable<Desk[Name]>>;
}

async function run(spec: CrawlSpec, settings: CrawlSettings): Promise<void> {
  const fetch = createGuardedFetch({ allow: settings.fetchAllow, userAgent: settings.userAgent });
  const ports = {
    fetch,
    pace: createLeasedPace(
      {
        takeTurn: (host, intervalMs, count) => ask('takeTurn', host, intervalMs, count),
        rest: (host, milliseconds) => ask('rest', host, milliseconds),
        enter: (host) => ask('enter', host),
        leave: (host, visit) => ask('leave', host, visit),
      },
      () => performance.now(),
    ),
    readPage: createPageBatches((pages) => ask('readPages', pages)),
    readContent: readerOf(spec, settings).read,
    robots: {
      read: (host: string) => ask('readRobots', host),
      write: (host: string, text: string) => ask('writeRobots', host, text),
    },
    normalize: createNormalize(spec, () => new Date()),
    report: (news: Parameters<Desk['report']>[0]) => ask('report', news),
    now: () => Date.now(),
    sleep: (milliseconds: number, signal: AbortSignal) => delay(milliseconds, undefined, { signal }),
  };
  const end = await crawl(spec, settings, ports, stopping.signal);
  process.send?.({ kind: 'end', end } satisfies FromCrawl, () => process.exit(0));
}

process.on('message', (message: ToCrawl) => {
  if (message.kind === 'start') void run(message.spec, message.settings);
  else if (message.kind === 'stop') stopping.abort(new Error('the crawl was told to stop'));
  else {
    const question = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error === undefined) question?.resolve(message.value);
    else question?.reject(new Error(message.error));
  }
});
// A crawl without a parent has nobody to tell what it finds.
process.on('disconnect', () => process.exit(1));
