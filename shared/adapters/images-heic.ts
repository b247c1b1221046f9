import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import type { HeicAnswer, HeicRequest } from './heic-worker.ts';
import { ImageError } from './images-error.ts';

type RgbaPixels = { width: number; height: number; rgba: Uint8ClampedArray<ArrayBuffer> };

const IDLE_MS = 10_000;

type Limits = { withinMs: number; signal?: AbortSignal | undefined };

let worker: Worker | undefined;
let idleTimer: NodeJS.Timeout | undefined;

/** One HEIC or AVIF file at a time: they are decoded whole, 48 megapixels take up to 1 GB. */
export const heifTurns = new PQueue({ concurrency: 1 });

/**
 * The upright RGBA pixels of one image of an HEVC-coded HEIC file (turned by the file's own boxes, never by EXIF).
 * One decode runs at a time, in one shared thread that dies of a timeout, an abort, a damaged file, or 10 s of idleness.
 * (A pool of piscina cannot keep what the decoder prints out of our log, nor end a thread after a damaged file.)
 */
export function decodeHeic(request: HeicRequest, limits: Limits): Promise<RgbaPixels> {
  return heifTurns.add(() => decodeNow(request, limits));
}

async function decodeNow(request: HeicRequest, limits: Limits): Promise<RgbaPixels> {
  limits.signal?.throwIfAborted();
  clearTimeout(idleTimer);
  worker ??= startWorker();
  const current = worker;
  current.ref();
  try {
    const answer = await ask(current, request, limits);
    if ('refusal' in answer) throw new ImageError(answer.refusal, new Error(answer.message));
    current.unref();
    idleTimer = setTimeout(() => stopWorker(current), IDLE_MS).unref();
    return answer;
  } catch (error) {
    stopWorker(current);
    throw error;
  }
}

function ask(current: Worker, request: HeicRequest, { withinMs, signal }: Limits): Promise<HeicAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HeicAnswer>();
  const timer = setTimeout(() => reject(new ImageError('timeout')), withinMs);
  const onAbort = () => reject(signal?.reason);
  const onError = (error: Error) => reject(isOutOfMemory(error) ? new ImageError('too_many_pixels', error) : error);
  const onExit = (code: number) => reject(new Error(`the HEIC thread ended with code ${code}`));
  current.on('message', resolve).on('error', onError).on('exit', onExit);
  signal?.addEventListener('abort', onAbort, { once: true });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  current.postMessage(request);
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    current.off('message', resolve).off('error', onError).off('exit', onExit);
  });
}

const isOutOfMemory = (error: Error) => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

function startWorker(): Worker {
  // The wasm build writes its complaints about damaged files to the console: they come back as a refusal already.
  const started = new Worker(new URL('./heic-worker.ts', import.meta.url), { stdout: true, stderr: true });
  started.unref();
  return started;
}

function stopWorker(current: Worker): void {
  if (worker === current) worker = undefined;
  current.on('error', () => undefined);
  void current.terminate();
}
