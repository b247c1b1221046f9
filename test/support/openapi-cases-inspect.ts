import { toWire, type Case, type Parts, type Reply, type Send } from './openapi-cases.ts';

export type ErrorCodes = Map<number, Set<string>>;

/** Throws unless the answer is one that any request may get: no fault of the service, errors as the contract words them, nothing leaked. */
export function inspectReply({ status, json, text, headers }: Reply, { id, statuses }: Case, codes: ErrorCodes): void {
  if (status >= 500 && !(status === 503 && statuses.includes(503)))
    throw new Error(`${id} answered ${status}: ${text.slice(0, 500)}`);
  if (Object.hasOwn(Object.prototype, 'polluted'))
    throw new Error(`${id} let a request reach the prototype of objects`);
  if (headers.get('x-content-type-options') !== 'nosniff') throw new Error(`${id} ${status} has no nosniff`);
  if (status < 400) return;
  const { code, message } = (json?.error ?? {}) as { code?: string; message?: string };
  if (!message || !code || !codes.get(status)?.has(code))
    throw new Error(`${id} ${status} has the code ${code}: ${text.slice(0, 500)}`);
  if (/\n\s+at |node_modules|\.ts:\d|syntax error at or near|violates .* constraint/.test(text))
    throw new Error(`${id} ${status} tells too much: ${text.slice(0, 500)}`);
}

/** Sends requests one after the other and inspects every answer; it tells how many there were. */
export async function sendAll(send: Send, codes: ErrorCodes, each: Case, requests: Parts[]): Promise<number> {
  for (const parts of requests) inspectReply(await send(toWire(each, parts)), each, codes);
  return requests.length;
}
