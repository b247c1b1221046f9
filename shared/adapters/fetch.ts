import type { LookupFunction } from 'node:net';
import { Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Agent, Dispatcher } from 'undici';
import { deadlinesOf, type DeadlineName, type Deadlines } from '../kit/deadlines.ts';
import { inClientSpan, traceHeaders } from '../kit/tracing.ts';
import { createDecoders } from './fetch-decode.ts';
import { assertPublicUrl, createSafeLookup, FetchError } from './fetch-guard.ts';
import { guardConnector, startProxiedAgent, type ConnectionGuard } from './fetch-proxy.ts';

export type FetchOptions = {
  signal?: AbortSignal;
  /** Largest body in bytes after decompression; default 10 MB. */
  maxBytes?: number;
  /** For everything together: names, connections, redirects and body; default `fetch`. */
  deadline?: DeadlineName;
  headers?: Record<string, string>;
  method?: string;
  body?: string | Buffer;
  /** Default 5; 0 hands back the redirect itself. */
  maxRedirects?: number;
  /** The Accept header. */
  accept?: string;
  /** The http(s) proxy to go through, credentials and all; the target is vetted as without one. */
  proxyUrl?: string | undefined;
  /** Where the body of a 2xx answer goes piece by piece, as fast as it is taken; `body` is empty then. */
  into?: Writable;
  /** Whether the server is told of the trace that the request is part of (W3C `traceparent`). */
  handsOnTrace?: boolean;
};

export type FetchedResponse = {
  status: number;
  /** Lower-case names; a repeated header is joined with commas. */
  headers: Record<string, string>;
  /** The address after redirects. */
  url: string;
  /** Decompressed, otherwise as sent (no charset conversion). */
  body: Buffer;
};

export type GuardedFetch = {
  fetch(url: string, options?: FetchOptions): Promise<FetchedResponse>;
  close(): Promise<void>;
};

type Request = { url: URL; method: string; headers: Record<string, string>; body: string | Buffer | undefined };

/**
 * An HTTP client for addresses that strangers chose: it connects to public (or allowed) addresses only, checked on the
 * address it really connects to and again on each redirect, and bounds time and size. Any status is an answer; what is
 * refused or fails is a FetchError, an abort of the caller's signal its own reason. `lookup` replaces the system's DNS.
 * Redirects and decoding are ours: by undici's interceptors 9 of the 77 tests of the guard fail.
 */
export function createGuardedFetch(settings: {
  allow: string[];
  /** Hosts and networks that proxies may be on although they are not public; default `allow`. */
  proxyAllow?: string[];
  userAgent: string;
  lookup?: LookupFunction;
  /** To one host at once; default 8. */
  connections?: number;
  deadlines?: Deadlines | undefined;
}): GuardedFetch {
  const { allow, proxyAllow = allow, userAgent, lookup, connections = 8, deadlines = deadlinesOf() } = settings;
  const connectWithinMs = deadlines.connection;
  createSafeLookup(allow);
  /** By proxy; the one without is ''. */
  let agents = new Map<string, Promise<Agent>>();

  function agentOf(proxyUrl = ''): Promise<Agent> {
    const known = agents.get(proxyUrl);
    if (known) return known;
    const started =
      proxyUrl === ''
        ? startAgent({ allow, connections, lookup, connectWithinMs })
        : startProxiedAgent(proxyUrl, { allow, proxyAllow, connections, lookup, connectWithinMs });
    agents.set(proxyUrl, started);
    return started;
  }

  async function fetchGuarded(text: string, options: FetchOptions): Promise<FetchedResponse> {
    const { maxRedirects = 5, maxBytes = 10_485_760 } = options;
    const timeoutMs = deadlines[options.deadline ?? 'fetch'];
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = options.signal ? AbortSignal.any([deadline, options.signal]) : deadline;
    let request: Request = {
      url: assertPublicUrl(text, allow),
      method: options.method ?? 'GET',
      headers: {
        accept: options.accept ?? '*/*',
        'accept-encoding': 'gzip, br, deflate',
        'user-agent': userAgent,
        ...lowerCase(options.headers ?? {}),
        ...(options.handsOnTrace && traceHeaders()),
      },
      body: options.body,
    };
    try {
      for (let redirects = 0; ; redirects += 1) {
        signal.throwIfAborted();
        const response = await send(await agentOf(options.proxyUrl), request, signal);
        const next = maxRedirects > 0 ? redirected(request, response) : undefined;
        if (!next) return await readResponse(request, response, { maxBytes, into: options.into }, signal);
        await response.body.dump({ limit: 16_384, signal });
        if (redirects >= maxRedirects) {
          throw new FetchError('too_many_redirects', `More than ${maxRedirects} redirects.`);
        }
        assertPublicUrl(next.url.href, allow);
        request = next;
      }
    } catch (error) {
      if (options.signal?.aborted) throw options.signal.reason;
      if (deadline.aborted) throw new FetchError('timeout', `No complete answer within ${timeoutMs} ms.`);
      throw toFetchError(error);
    }
  }

  return {
    fetch: (url, options = {}) => inClientSpan(options.method ?? 'GET', url, () => fetchGuarded(url, options)),
    async close() {
      const open = [...agents.values()];
      agents = new Map();
      await Promise.all(open.map(async (agent) => (await agent).destroy()));
    },
  };
}

async function startAgent({ connections, ...guard }: ConnectionGuard & { connections: number }): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici');
  return new Agent({ connections, allowH2: false, connect: guardConnector(buildConnector, guard) });
}

function send(agent: Agent, request: Request, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { url, method, headers, body } = request;
  return agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers,
    body,
    signal,
  });
}

/** The request that follows a redirect answer, without the caller's credentials when it leaves the origin. */
function redirected(request: Request, response: Dispatcher.ResponseData): Request | undefined {
  const { statusCode } = response;
  const location = [response.headers['location']].flat()[0];
  if (![301, 302, 303, 307, 308].includes(statusCode) || !location) return undefined;
  const url = URL.parse(location, request.url.href);
  if (!url) throw new FetchError('bad_url', 'The answer redirects to something that is not a URL.');
  const dropped = url.origin === request.url.origin ? [] : ['authorization', 'cookie', 'proxy-authorization'];
  const becomesGet =
    (statusCode === 303 && request.method !== 'HEAD') ||
    ((statusCode === 301 || statusCode === 302) && request.method === 'POST');
  if (becomesGet) dropped.push('content-type', 'content-length');
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !dropped.includes(name)));
  return becomesGet ? { url, method: 'GET', headers, body: undefined } : { ...request, url, headers };
}

async function readResponse(
  request: Request,
  response: Dispatcher.ResponseData,
  { maxBytes, into }: { maxBytes: number; into: Writable | undefined },
  signal: AbortSignal,
): Promise<FetchedResponse> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = [value].flat().join(', ');
  }
  const isBodiless = request.method === 'HEAD' || [204, 304].includes(response.statusCode);
  const result = { status: response.statusCode, headers, url: request.url.href };
  if (isBodiless) {
    await response.body.dump({ limit: 16_384, signal });
    return { ...result, body: Buffer.alloc(0) };
  }
  const tooLarge = () => new FetchError('too_large', `The answer has more than ${maxBytes} bytes.`);
  if (Number(headers['content-length']) > maxBytes) {
    response.body.on('error', () => undefined).destroy();
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const collect = (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    return size > maxBytes ? tooLarge() : null;
  };
  const decoders = createDecoders(headers['content-encoding'] ?? '');
  if (!decoders) {
    response.body.on('error', () => undefined).destroy();
    throw new FetchError('network', `The answer is coded in '${headers['content-encoding']}'.`, { retryable: false });
  }
  if (into && response.statusCode >= 200 && response.statusCode < 300) {
    const count = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        size += chunk.length;
        done(size > maxBytes ? tooLarge() : null, chunk);
      },
    });
    await pipeline([response.body, ...decoders, count, into], { signal });
    return { ...result, body: Buffer.alloc(0) };
  }
  if (decoders.length === 0) await drain(response.body, collect);
  else {
    const collector = new Writable({ write: (chunk: Buffer, _encoding, done) => done(collect(chunk)) });
    await pipeline([response.body, ...decoders, collector], { signal });
  }
  return { ...result, body: Buffer.concat(chunks, size) };
}

/** Reads a body as it is; the request's signal destroys it, and what `collect` objects to ends it. */
function drain(body: Dispatcher.ResponseData['body'], collect: (chunk: Buffer) => Error | null): Promise<void> {
  return new Promise((resolve, reject) => {
    body.on('data', (chunk: Buffer) => {
      const objection = collect(chunk);
      if (!objection) return;
      reject(objection);
      body.destroy();
    });
    body.on('end', resolve);
    body.on('error', reject);
    body.on('close', () => reject(new Error('The answer ended early.')));
  });
}

const lowerCase = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function toFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  if (!(error instanceof Error)) return new FetchError('network', 'The request failed.', { cause: error });
  if (error.cause instanceof FetchError) return error.cause;
  const code = 'code' in error ? String(error.code) : error.name;
  if (code.includes('TIMEOUT') || code === 'ETIMEDOUT') {
    return new FetchError('timeout', `The server did not answer in time (${code}).`, { cause: error });
  }
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code);
  const speaksNoTls = /^ERR_SSL|^EPROTO$/.test(code);
  return new FetchError('network', failureOf(code, isCertificate, speaksNoTls), {
    cause: error,
    retryable: !isCertificate && !speaksNoTls,
  });
}

function failureOf(code: string, isCertificate: boolean, speaksNoTls: boolean): string {
  if (isCertificate) return `The certificate of the site is not valid (${code}).`;
  return speaksNoTls ? `The site speaks no proper TLS (${code}).` : `The request failed (${code}).`;
}
