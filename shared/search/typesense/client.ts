import { Agent, request } from 'undici';

export type TypesenseConfig = { nodes: string[]; apiKey: string; collection: string };

/** What the server has answered in place of what was asked for; `status` 0 when it gave no sane answer at all. */
export class TypesenseError extends Error {
  readonly status: number;
  constructor(status: number, message: string, options?: ErrorOptions) {
    super(`Typesense: ${message}`, options);
    this.status = status;
  }
}

export type Call = {
  query?: Record<string, string>;
  /** JSON, or lines of it as they are. */
  body?: object | string;
  /** For all tries together. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

export type TypesenseClient = {
  /** The JSON answered; a TypesenseError for any other answer, a late one or none. */
  ask<Answer>(method: Method, path: string, call?: Call): Promise<Answer>;
  /** The same for answers of one JSON value per line. */
  askLines<Line>(method: Method, path: string, call?: Call): Promise<Line[]>;
  close(): Promise<void>;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const WRITE_TIMEOUT_MS = 20_000;
/** A node that failed comes last for so long. */
const SHUN_MS = 10_000;

/** Speaks HTTP with the nodes of a cluster: one that does not answer, or cannot at the moment, is passed over. */
export function createTypesenseClient({ nodes, apiKey }: TypesenseConfig): TypesenseClient {
  const agent = new Agent({ connections: 32, connect: { timeout: 2_000 }, keepAliveTimeout: 10_000 });
  const shunnedUntil = new Map<string, number>();
  let turn = 0;

  function inOrder(): string[] {
    turn += 1;
    const rotated = nodes.map((_, index) => nodes[(turn + index) % nodes.length]!);
    const now = performance.now();
    return rotated.toSorted((a, b) => Number(isShunned(a, now)) - Number(isShunned(b, now)));
  }
  const isShunned = (node: string, now: number) => (shunnedUntil.get(node) ?? 0) > now;

  async function send(method: Method, path: string, call: Call): Promise<string> {
    const timeout = AbortSignal.timeout(call.timeoutMs ?? WRITE_TIMEOUT_MS);
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
    let failure: unknown;
    for (const node of inOrder()) {
      try {
        const text = await sendTo(node, method, path, call, signal);
        shunnedUntil.delete(node);
        return text;
      } catch (error) {
        if (error instanceof TypesenseError && isFinal(error.status)) throw error;
        shunnedUntil.set(node, performance.now() + SHUN_MS);
        failure = error;
        if (signal.aborted) break;
      }
    }
    if (failure instanceof TypesenseError) throw failure;
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw new TypesenseError(0, reason, { cause: failure });
  }

  async function sendTo(
    node: string,
    method: Method,
    path: string,
    { query, body }: Call,
    signal: AbortSignal,
  ): Promise<string> {
    const search = query ? `?${new URLSearchParams(query).toString()}` : '';
    const { statusCode, body: answer } = await request(`${node.replace(/\/+$/, '')}${path}${search}`, {
      method,
      dispatcher: agent,
      signal,
      headers: {
        'X-TYPESENSE-API-KEY': apiKey,
        ...(body !== undefined && { 'Content-Type': typeof body === 'string' ? 'text/plain' : 'application/json' }),
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    if (statusCode < 200 || statusCode > 299) throw new TypesenseError(statusCode, messageOf(text, statusCode));
    return text;
  }

  return {
    ask: async (method, path, call = {}) => parse(await send(method, path, call)),
    async askLines(method, path, call = {}) {
      const text = await send(method, path, call);
      return text.split('\n').flatMap((line) => (line === '' ? [] : [parse<never>(line)]));
    },
    close: () => agent.close(),
  };
}

/** Another node would say the same. */
const isFinal = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 429;

function parse<Answer>(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch (error) {
    throw new TypesenseError(0, 'the answer is no JSON', { cause: error });
  }
}

function messageOf(text: string, status: number): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return `${status} ${String(message).slice(0, 300)}`;
  } catch {
    return String(status);
  }
}
