// The process of one crawl: it starts with nothing but a channel to its parent, and ends with the crawl.
import { crawlWithParent } from './crawl-with-parent.ts';
import { createCaller, readToCrawl, type FromCrawl } from './protocol.ts';
import type { CrawlEnd, CrawlSettings, CrawlSpec } from './spec.ts';

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
  end(await crawlWithParent(spec, settings, rpc, { signal: stopping.signal }));
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
