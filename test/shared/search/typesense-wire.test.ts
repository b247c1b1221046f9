import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataFile } from '../../support/data.ts';
import { startTypesenseServer, type TypesenseServer } from '../../support/typesense-server.ts';

type Exchange = {
  note: string;
  request: { method: string; path: string; body?: unknown };
  response: { status: number; content_type: string; body: unknown };
};

let server: TypesenseServer;
beforeAll(async () => {
  server = await startTypesenseServer();
});
afterAll(() => server.close());

const recorded = dataFile('typesense-wire/exchanges.json');
const exchanges = recorded ? (JSON.parse(readFileSync(recorded, 'utf8')) as Exchange[]) : [];

/** What values stand for, where figures and marked texts may differ: the same names, types and numbers of elements. */
function shapeOf(value: unknown, name = ''): unknown {
  if (name === 'highlight' || name === 'highlights') return name;
  if (
    [
      'message',
      'error',
      'id',
      'value',
      'count',
      'found',
      'out_of',
      'num_documents',
      'num_deleted',
      'num_updated',
    ].includes(name)
  )
    return value;
  if (Array.isArray(value)) return value.map((each) => shapeOf(each));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each, key)]));
  return typeof value;
}

/** One after the other: each builds on what those before have left. */
describe.skipIf(exchanges.length === 0)('the stand-in answers as a real server does:', () => {
  test.each(exchanges.map((exchange) => [exchange.note, exchange] as const))(
    '%s',
    async (note, { request, response }) => {
      const key = note === 'wrong key' ? 'wrong' : server.key;
      const { body } = request;
      const answer = await fetch(server.url + request.path, {
        method: request.method,
        headers: { 'X-TYPESENSE-API-KEY': key },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      expect([answer.status, answer.headers.get('content-type')]).toEqual([response.status, response.content_type]);
      const parse = (json: string): unknown =>
        response.content_type.startsWith('text/plain')
          ? json.split('\n').map((line) => JSON.parse(line) as unknown)
          : JSON.parse(json);
      const expected = typeof response.body === 'string' ? parse(response.body) : response.body;
      expect(shapeOf(parse(text))).toEqual(shapeOf(expected));
    },
  );
});
