import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inheritedEnvironment } from '../../shared/kit/config.ts';
import { deadlinesOf } from '../../shared/kit/deadlines.ts';
import { callProcedure, ProtocolError, readFromCrawl, type ParentRpc, type ToCrawl } from './protocol.ts';
import type { CrawlEnd, CrawlSettings, CrawlSpec } from './spec.ts';

/** Thrown when the process of a crawl ended without saying how the crawl did, or said what nobody understands. */
export class CrawlLost extends Error {}

type ProcessOptions = {
  signal: AbortSignal;
  /** Heap of the process in MB; a crawl that needs more is lost, and nothing else is. */
  heapMb?: number;
  /** A process that says nothing for so long hangs, and is killed. Crawls report every second. */
  silenceMs?: number;
  /** What the process runs. */
  program?: URL;
};

/**
 * Runs one crawl to its end (`stopped` after an abort of the signal) and answers the calls that it makes.
 * Throws CrawlLost when it ended without saying how, and what a call threw.
 */
export type RunCrawl = (
  spec: CrawlSpec,
  settings: CrawlSettings,
  rpc: ParentRpc,
  options: { signal: AbortSignal },
) => Promise<CrawlEnd>;

/** Half of what is new on each heap. Pages live for milliseconds: V8 would let this grow to 64 MB, which fills memory and saves no work. */
const YOUNG_MB = 16;
/** Characters of what a process said last; a crash prints its reason before a stack trace of some 4,000. */
const LAST_WORDS = 64_000;
const CRAWL = new URL('./child.ts', import.meta.url);

/**
 * Runs one crawl in a process of its own, so that its memory comes back and what a page does to it harms nothing else. It
 * has no way to the database: it calls the parent. An abort of the signal stops it within three seconds (outcome `stopped`).
 * Throws CrawlLost when the process crashed, hung, ran out of memory or sent a malformed message, and what a call threw.
 */
export async function crawlInProcess(
  spec: CrawlSpec,
  settings: CrawlSettings,
  rpc: ParentRpc,
  options: ProcessOptions,
): Promise<CrawlEnd> {
  const { crawlSilence, crawlStop } = settings.deadlines ?? deadlinesOf();
  const { signal, heapMb = 512, silenceMs = crawlSilence, program = CRAWL } = options;
  if (signal.aborted) return { outcome: 'stopped' };
  const scratch = await mkdtemp(join(tmpdir(), 'quayside-crawl-'));
  const child = fork(program, {
    execArgv: [`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${YOUNG_MB}`],
    env: { ...environment(), TMPDIR: scratch },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // As JSON, undefined and numbers that are none would arrive as null.
    serialization: 'advanced',
  });
  const lastWords = keepTail(child, LAST_WORDS);
  const send = (message: ToCrawl) => child.connected && child.send(message);
  const permits = createPermits(rpc);

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
      grace = setTimeout(() => kill(undefined), crawlStop);
    };

    signal.addEventListener('abort', stop, { once: true });
    child.on('error', (error) => kill(new CrawlLost(`The crawl could not be started: ${error.message}`)));
    const receive = async (raw: unknown) => {
      const message = readFromCrawl(raw);
      if (message.kind === 'end') end = message.end;
      else
        send({ kind: 'answer', id: message.id, value: await callProcedure(permits.rpc, message.name, message.args) });
    };
    child.on('message', (raw) => {
      watchdog.refresh();
      receive(raw).catch((error: Error) => kill(error instanceof ProtocolError ? new CrawlLost(error.message) : error));
    });
    child.on('close', (code, killedBy) => {
      permits.releaseAll();
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

/** Calls that know which permits are held, and release those that a crawl leaves behind: others need not wait for them to lapse. */
function createPermits(rpc: ParentRpc): { rpc: ParentRpc; releaseAll(): void } {
  const held = new Map<string, string>();
  let isOver = false;
  // A permit that cannot be released lapses by itself: that is no reason to end a crawl.
  const release = async (host: string, permit: string) => {
    held.delete(permit);
    await rpc.release(host, permit).catch(() => undefined);
  };
  return {
    rpc: {
      ...rpc,
      async acquire(host) {
        const permit = await rpc.acquire(host);
        if (permit === undefined) return undefined;
        held.set(permit, host);
        if (isOver) void release(host, permit);
        return permit;
      },
      release,
    },
    releaseAll() {
      isOver = true;
      for (const [permit, host] of held) void release(host, permit);
    },
  };
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
