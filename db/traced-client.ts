import { context, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import pg, { type Pool, type PoolClient } from 'pg';
import { sqlState } from './errors.ts';

const tracer = trace.getTracer('quayside');

/** Summaries by the text of a statement; those beyond are made anew each time. */
const MAX_SUMMARIES = 1_000;
const summaries = new Map<string, Summary>();

type Summary = { operation: string; collection: string | undefined };
type Query = (...given: unknown[]) => unknown;

/**
 * PostgreSQL's client, but that each statement of a trace that is recorded has a span: what it does to which table, never its
 * text or values. Without a trace it is the client as it is.
 */
export class TracedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // As its class has it when it is called: subclasses and tests put their own in its place.
    const query: Query = (...given) =>
      Reflect.apply((Object.getPrototypeOf(this) as { query: Query }).query, this, given);
    const traced: Query = (...given) => {
      const text = textOf(given[0]);
      if (text === undefined || !trace.getActiveSpan()?.isRecording()) return query(...given);
      return follow(this.#begin(text), query, given);
    };
    this.query = traced as typeof this.query;
  }

  #begin(text: string): Span {
    const { operation, collection } = summarize(text);
    const summary = collection === undefined ? operation : `${operation} ${collection}`;
    return tracer.startSpan(summary, {
      kind: SpanKind.CLIENT,
      attributes: {
        'db.system.name': 'postgresql',
        'db.namespace': this.database ?? '',
        'db.operation.name': operation,
        'db.query.summary': summary,
        ...(collection !== undefined && { 'db.collection.name': collection }),
        'server.address': this.host,
        'server.port': this.port,
      },
    });
  }
}

/** Who waits for a connection of the pool goes on in the trace that it waited in, and not in that of whoever gave it back. */
export function keepTraces(pool: Pool): void {
  const connect = pool.connect.bind(pool) as (callback?: (...given: never[]) => void) => Promise<PoolClient>;
  pool.connect = ((callback?: (...given: never[]) => void) =>
    callback ? connect(context.bind(context.active(), callback)) : connect()) as Pool['connect'];
}

/** The span ends with the answer, whether that is a promise's or a callback's. */
function follow(span: Span, query: Query, given: unknown[]): unknown {
  const callback = given.at(-1);
  if (typeof callback === 'function') {
    const told = (error: unknown, ...rest: unknown[]) => {
      end(span, error);
      (callback as Query)(error, ...rest);
    };
    return query(...given.slice(0, -1), told);
  }
  const answer = query(...given) as Promise<unknown>;
  answer.then(
    () => end(span, undefined),
    (error: unknown) => end(span, error),
  );
  return answer;
}

function end(span: Span, error: unknown): void {
  if (error) {
    const state = sqlState(error);
    span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', state ?? 'connection');
    if (state !== undefined) span.setAttribute('db.response.status_code', state);
  }
  span.end();
}

/** The text of a statement; undefined for what is no statement but sends itself, such as a cursor. */
function textOf(query: unknown): string | undefined {
  if (typeof query === 'string') return query;
  if (typeof query !== 'object' || query === null || 'submit' in query || !('text' in query)) return undefined;
  return typeof query.text === 'string' ? query.text : undefined;
}

function summarize(text: string): Summary {
  const known = summaries.get(text);
  if (known) return known;
  const [, word = ''] = /^\s*([a-z]+)/i.exec(text) ?? [];
  const [, collection] = /\b(?:from|into|update|join)\s+(?:only\s+)?"?([a-z_][\w.]*)/i.exec(text) ?? [];
  const summary = { operation: word.toUpperCase() || 'QUERY', collection };
  if (summaries.size < MAX_SUMMARIES) summaries.set(text, summary);
  return summary;
}
