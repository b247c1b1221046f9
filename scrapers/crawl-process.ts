import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inheritedEnvironment } from '../shared/config.ts';
import type { Desk, FromCrawl, Question, ToCrawl } from './crawl-protocol.ts';
import type { CrawlEnd, CrawlSettings, CrawlSpec, KnownPage } from './crawl-spec.ts';

/** Thrown when the process of a crawl ended without saying how the crawl did. */
export class CrawlLost extends Error {}

type ProcessOptions = {
  signal: AbortSignal;
  /** Heap of the process in MB; a crawl that needs more is lost, and nothing else is. */
  heapMb?: number;
  /** A process that says nothing for so long hangs, and is killed. Crawls report every second. */
  silenceMs?: number;
};

/** Half of what is new on each heap. Pages live for milliseconds: V8 would let this grow to 64 MB, which fills memory and saves no work. */
const YOUNG_MB = 16;
const STOP_GRACE_MS = 3_000;
/** Characters of what a process said last; a crash prints its reason before a stack trace of some 4,000. */
const LAST_WORDS = 64_000;
const program = new URL('./crawl-child.ts', import.meta.url);

/**
 * Runs one crawl in a process of its own, so that its memory comes back and what a page does to it harms nothing else. It
 * has no way to the database: it asks the desk. An abort of the signal stops it within three seconds (outcome `stopped`).
 * Throws CrawlLost when the process crashed, hung or ran out of memory, and the desk's error when the desk failed.
 */
export async function crawlInProcess(
  spec: CrawlSpec,
  settings: CrawlSettings,
  desk: Desk,
  options: ProcessOptions,
): Promise<CrawlEnd> {
  const { signal, heapMb = 512, silenceMs = 90_000 } = options;
  if (signal.aborted) return { outcome: 'stopped' };
  const scratch = await mkdtemp(join(tmpdir(), 'quayside-crawl-'));
  const child = fork(program, {
    execArgv: [`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${YOUNG_MB}`],
    env: { ...environment(), TMPDIR: scratch },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const lastWords = keepTail(child, LAST_WORDS);
  const send = (message: ToCrawl) => child.connected && child.send(message);
  const visits = createVisits(desk);

  return new Promise<CrawlEnd>((resolve, reject) => {
    let failure: Error | undefined;
    let end: CrawlEnd | undefined;
    let grace: NodeJS.Timeout | undefined;
    const kill = (why: Error | undefined) => {
      failure ??= why;
      child.kill('SIGKILL');
    };
    const watchdog = setTimeout(() => kill(new CrawlLost('The crawl hung and was ended.')), silenceMs);
    const stop = () => {
      send({ kind: 'stop' });
      grace = setTimeout(() => kill(undefined), STOP_GRACE_MS);
    };

    signal.addEventListener('abort', stop, { once: true });
    child.on('error', (error) => kill(new CrawlLost(`The crawl could not be started: ${error.message}`)));
    child.on('message', (message: FromCrawl) => {
      watchdog.refresh();
      if (message.kind === 'end') end = message.end;
      else void answer(visits.desk, message).then(send, kill);
    });
    child.on('close', (code, killedBy) => {
      visits.endAll();
      void rm(scratch, { recursive: true, force: true, maxRetries: 3 });
      clearTimeout(watchdog);
      clearTimeout(grace);
      signal.removeEventListener('abort', stop);
      if (failure) reject(failure);
      else if (end) resolve(end);
      else if (signal.aborted) resolve({ outcome: 'stopped' });
      else reject(new CrawlLost(reasonOf(code, killedBy, lastWords())));
    });
    send({ kind: 'start', spec, settings });
  });
}

/** A desk that knows which visits are under way, and ends those that a crawl leaves behind: others need not wait for them to lapse. */
function createVisits(desk: Desk): { desk: Desk; endAll(): void } {
  const underWay = new Map<string, string>();
  let isOver = false;
  const end = (host: string, visit: string) => {
    underWay.delete(visit);
    return desk.leave(host, visit);
  };
  // They lapse by themselves if this fails.
  const endLate = (host: string, visit: string) => void end(host, visit).catch(() => undefined);
  return {
    desk: {
      ...desk,
      async enter(host) {
        const visit = await desk.enter(host);
        if (visit === undefined) return undefined;
        underWay.set(visit, host);
        if (isOver) endLate(host, visit);
        return visit;
      },
      leave: end,
    },
    endAll() {
      isOver = true;
      for (const [visit, host] of underWay) endLate(host, visit);
    },
  };
}

async function answer(desk: Desk, { id, name, args }: Question): Promise<ToCrawl> {
  if (name === 'readPages') return { kind: 'answer', id, value: await readPages(desk, ...args) };
  const ask = desk[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
  return { kind: 'answer', id, value: await ask?.(...args) };
}

/** What a desk knows of some pages, also one that is asked for them one by one. */
async function readPages(desk: Desk, pages: string[]): Promise<(KnownPage | undefined)[]> {
  return desk.readPages?.(pages) ?? Promise.all(pages.map(async (page) => desk.readPage?.(page)));
}

/** What the system needs to run a program, and nothing else: the service's secrets stay with the service. */
function environment(): Record<string, string | undefined> {
  const { PATH, HOME, LANG, TZ, LD_LIBRARY_PATH, SystemRoot, ...all } = inheritedEnvironment({});
  const { NODE_EXTRA_CA_CERTS, NODE_COMPILE_CACHE } = all;
  const given = { PATH, HOME, LANG, TZ, LD_LIBRARY_PATH, SystemRoot, NODE_EXTRA_CA_CERTS, NODE_COMPILE_CACHE };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function keepTail(child: ChildProcess, length: number): () => string {
  let tail = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-length);
  });
  return () => tail;
}

function reasonOf(code: number | null, killedBy: string | null, lastWords: string): string {
  if (/heap out of memory|heap limit/i.test(lastWords)) return 'The crawl ran out of memory.';
  return `The crawl ended unexpectedly (${killedBy ?? `exit code ${code}`}).`;
}
