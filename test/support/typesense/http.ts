import type { ServerResponse } from 'node:http';
import type { Document } from './collection.ts';
import { Refusal } from './filter.ts';

export type Reply = { status: number; body: unknown; type?: string };

export const JSON_TYPE = 'application/json; charset=utf-8';

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const unready: Reply = { status: 503, body: { message: 'Not Ready or Lagging' } };
export const forbidden: Reply = {
  status: 401,
  body: { message: 'Forbidden - a valid `x-typesense-api-key` header must be sent.' },
};
export const missing = (): Reply => ({ status: 404, body: { message: 'Not Found' } });

export const noStats = Object.fromEntries(
  [
    'cache_hit_ratio',
    'delete_latency_ms',
    'delete_requests_per_second',
    'import_latency_ms',
    'import_requests_per_second',
    'overloaded_requests_per_second',
    'pending_write_batches',
    'search_latency_ms',
    'search_requests_per_second',
    'total_requests_per_second',
    'write_latency_ms',
    'write_requests_per_second',
  ]
    .map((name): [string, unknown] => [name, 0])
    .concat([
      ['latency_ms', {}],
      ['requests_per_second', {}],
    ]),
);

export function send(response: ServerResponse, { status, body, type = JSON_TYPE }: Reply): void {
  response.writeHead(status, { 'Content-Type': type });
  response.end(typeof body === 'string' ? body : stringify(body));
}

/** Until the time is over or the caller has gone. */
export function sleep(milliseconds: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

export const pick = (document: Document, fields: string[] | undefined) =>
  fields ? Object.fromEntries(Object.entries(document).filter(([name]) => fields.includes(name))) : document;

export const stringify = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each));

/** Every digit of an integer counts. */
export function parse(text: string): unknown {
  const keepDigits = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '') ? BigInt(source!) : value;
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    throw new Refusal(400, 'Bad JSON.');
  }
}
