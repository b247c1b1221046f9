import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client, ConfigurationOptions } from 'typesense';
import type { Agent, request } from 'undici';
import { deadlinesOf, type Deadlines } from '../../kit/deadlines.ts';
import { inClientSpan } from '../../kit/tracing.ts';

export type TypesenseConfig = { nodes: string[]; apiKey: string; collection: string };

/** What the server has answered in place of what was asked for; `status` 0 when it gave no sane answer at all. */
export class TypesenseError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(`Typesense: ${message}`);
    this.status = status;
  }
}

export type Limits = {
  /** For all that is asked together, and all tries. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

export type TypesenseClient = {
  deadlines: Deadlines;
  /** What the package answers; a TypesenseError for an answer that is none, a late one or none at all. */
  ask<Answer>(act: (typesense: Client) => Promise<Answer>, limits?: Limits): Promise<Answer>;
  /**
   * Calls back when the last connection to a node has ended: it may be another process when it is reached again. `isClosed` when
   * it was the node that has ended it, and not this side after some idle time.
   */
  onDisconnect(listener: (isClosed: boolean) => void): void;
  close(): Promise<void>;
};

type Adapter = Extract<ConfigurationOptions['axiosAdapter'], (config: never) => unknown>;

/** This side ends an idle connection before a server does. */
const IDLE_MS = 4_000;
/** A failed node is tried last for so long. */
const SHUN_SECONDS = 10;

/** Speaks with the nodes of a cluster: one that does not answer, or cannot at the moment, is passed over. */
export function createTypesenseClient(
  { nodes, apiKey }: TypesenseConfig,
  deadlines: Deadlines = deadlinesOf(),
): TypesenseClient {
  const underWay = new AsyncLocalStorage<AbortSignal>();
  const listeners: ((isClosed: boolean) => void)[] = [];
  // Most installations have no index: the packages are loaded for those that have.
  const opening = Promise.all([import('typesense'), import('undici')]).then(([{ Client }, undici]) => {
    const agent = new undici.Agent({
      connections: 32,
      connect: { timeout: deadlines.indexConnection },
      keepAliveTimeout: IDLE_MS,
    });
    watchConnections(agent, (isClosed) => listeners.forEach((listener) => listener(isClosed)));
    const client = new Client({
      nodes: nodes.map((url) => ({ url: url.replace(/(?<!\/)\/+$/, '') })),
      apiKey,
      numRetries: nodes.length - 1,
      retryIntervalSeconds: 0.001,
      healthcheckIntervalSeconds: SHUN_SECONDS,
      logLevel: 'silent',
      axiosAdapter: createAdapter(undici.request, agent, () => underWay.getStore()),
    });
    return { client, agent };
  });
  // Whoever asks is told.
  opening.catch(() => undefined);

  return {
    deadlines,
    async ask(act, { timeoutMs = deadlines.indexWrite, signal } = {}) {
      let deadline: AbortSignal | undefined;
      try {
        const { client } = await opening;
        const timeout = AbortSignal.timeout(timeoutMs);
        deadline = signal ? AbortSignal.any([signal, timeout]) : timeout;
        return await underWay.run(deadline, () => act(client));
      } catch (error) {
        throw toTypesenseError(deadline?.aborted ? deadline.reason : error);
      }
    },
    onDisconnect: (listener) => void listeners.push(listener),
    close: async () => (await opening).agent.close(),
  };
}

/** Tells when no connection to a node is left; undici names the end of an idle one `UND_ERR_INFO`. */
function watchConnections(agent: Agent, onEnd: (isClosed: boolean) => void): void {
  const open = new Map<string, number>();
  agent.on('connect', ({ origin }) => open.set(origin, (open.get(origin) ?? 0) + 1));
  agent.on('disconnect', ({ origin }, _targets, error) => {
    const left = (open.get(origin) ?? 1) - 1;
    open.set(origin, left);
    if (left === 0) onEnd((error as Error & { code?: string }).code !== 'UND_ERR_INFO');
  });
}

/**
 * How the package sends a try to a node: over connections that are kept, within the deadline of what is asked, and following
 * nobody elsewhere with the key. What it throws, another node is asked instead; an answer is final unless its status is 5xx.
 */
function createAdapter(send: typeof request, agent: Agent, deadlineOf: () => AbortSignal | undefined): Adapter {
  return async (config) => {
    const answer = (status: number, data: unknown) => ({ status, data, statusText: '', headers: {}, config });
    const { url = '', method = 'get' } = config;
    const signal = deadlineOf();
    // This node is not to blame, and the next one would come too late as well.
    if (signal?.aborted) return answer(408, {});
    const verb = method.toUpperCase();
    const { status: statusCode, text } = await inClientSpan(verb, url, async () => {
      const sent = await send(url, {
        method: verb,
        query: config.params as Record<string, unknown> | undefined,
        headers: config.headers.toJSON() as Record<string, string>,
        body: (config.data as string | undefined) ?? null,
        dispatcher: agent,
        signal,
      });
      return { status: sent.statusCode, text: await sent.body.text() };
    });
    if (statusCode >= 200 && statusCode < 300) return answer(statusCode, LINES.test(url) ? text : parse(text));
    const message = messageOf(text);
    if (isPassing(statusCode)) throw new TypesenseError(statusCode, `${statusCode} ${message}`.trim());
    return answer(statusCode, { message });
  };
}

/** What is answered with one JSON value per line. */
const LINES = /\/documents\/(?:import|export)$/;

/** Another node would not say the same. */
const isPassing = (status: number) => status < 400 || status === 408 || status === 429;

/** The JSON values of a text, one per line. */
export function readLines<Line>(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end === -1 ? undefined : end);
    if (line !== '') lines.push(parse(line) as Line);
    start = end === -1 ? text.length : end + 1;
  }
  return lines;
}

/** Typesense answers objects and lists of them. */
function parse(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Told below.
  }
  throw new TypesenseError(0, 'the answer is no JSON');
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message.slice(0, 300) : '';
  } catch {
    return '';
  }
}

/** Says what has failed and nothing else: errors of the package hold what was sent. */
function toTypesenseError(error: unknown): TypesenseError {
  if (error instanceof TypesenseError) return error;
  const { httpStatus, message, code } = error as Partial<Error> & { httpStatus?: number; code?: string };
  return new TypesenseError(httpStatus ?? 0, message || code || 'no answer');
}
