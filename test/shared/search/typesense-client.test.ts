import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect, promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createTypesenseClient,
  readLines,
  TypesenseError,
  type Limits,
  type TypesenseClient,
} from '../../../shared/search/typesense/client.ts';
import { startTypesenseServer } from '../../support/typesense-server.ts';

const KEY = 'a-key-of-the-tests';
const SECRET = 'what only the server is told';
const closing: (() => Promise<unknown>)[] = [];

/** Time stands still, so that a node that failed stays one that did, however slow the machine is. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) await close();
});

type Node = { url: string; requests: string[]; connections: number };

async function startNode(answer: RequestListener): Promise<Node> {
  const server = createServer((message, response) => {
    node.requests.push(`${message.method} ${message.url}`);
    answer(message, response);
  });
  server.on('connection', () => {
    node.connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const node = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    connections: 0,
  } as Node;
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return node;
}

const json =
  (status: number, body: string, type = 'application/json'): RequestListener =>
  (_message, response) => {
    response.writeHead(status, { 'Content-Type': type }).end(body);
  };
const well = json(200, '{"results":[]}');
const silent: RequestListener = () => {};
const faults: Record<string, RequestListener> = {
  'a line cut at once': (_message, response) => response.destroy(),
  'an answer cut in the middle': (_message, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 });
    response.write('{"results":', () => response.destroy());
  },
  'half a JSON': json(200, '{"results":['),
  'no object': json(200, 'null'),
  'no answer at all': json(200, ''),
  'a page of a proxy': json(200, '<html>Welcome</html>', 'text/html'),
  'a page of a proxy that fails': json(502, '<html>Bad gateway</html>', 'text/html'),
};

function open(...nodes: { url: string }[]): TypesenseClient {
  const client = createTypesenseClient({
    nodes: nodes.map(({ url }) => `${url}/`),
    apiKey: KEY,
    collection: 'listings',
  });
  closing.unshift(() => client.close());
  return client;
}

const search = (client: TypesenseClient, limits?: Limits) =>
  client.ask(
    (typesense) => typesense.multiSearch.perform({ searches: [{ collection: 'listings', q: SECRET }] }),
    limits,
  );
const failureOf = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error: unknown) => error,
  );
const turns = (count: number) => Array.from({ length: count });

describe('of several nodes', () => {
  test('each has its turn', async () => {
    const nodes = [await startNode(well), await startNode(well)];
    const client = open(...nodes);
    for (const _ of turns(6)) await search(client);
    expect(nodes.map(({ requests }) => requests.length)).toEqual([3, 3]);
  });

  test.each([
    ...Object.entries(faults),
    ...[307, 408, 429, 500, 503].map((status) => [String(status), json(status, '{"message":"Not now"}')] as const),
  ])('one that fails is passed over, and left alone for a while: %s', async (_name, fault) => {
    const [good, bad] = [await startNode(well), await startNode(fault)];
    const client = open(good, bad);
    for (const _ of turns(6)) expect(await search(client)).toEqual({ results: [] });
    expect([good.requests.length, bad.requests.length]).toEqual([6, 1]);
    vi.setSystemTime(Date.now() + 11_000);
    for (const _ of turns(2)) await search(client);
    expect(bad.requests).toHaveLength(2);
  });

  test('one that takes no connection is passed over', async () => {
    const good = await startNode(well);
    const client = open(good, { url: 'http://127.0.0.1:1' });
    for (const _ of turns(4)) expect(await search(client)).toEqual({ results: [] });
  });

  test('one that is late is left alone for a while, and no other is blamed', async () => {
    const controller = new AbortController();
    const late = await startNode(() => controller.abort(new Error('enough')));
    const good = await startNode(well);
    const client = open(late, good);
    const failures = [];
    while (late.requests.length === 0) failures.push(await failureOf(search(client, { signal: controller.signal })));
    expect(failures.at(-1)).toEqual(new TypesenseError(0, 'enough'));
    for (const _ of turns(4)) expect(await search(client)).toEqual({ results: [] });
    expect(late.requests).toHaveLength(1);
  });

  test.each([400, 401, 403, 404, 409, 422])('all would say the same: %i is final', async (status) => {
    const fault = json(status, '{"message":"No, thanks"}');
    const nodes = [await startNode(fault), await startNode(fault)];
    const failure = await failureOf(search(open(...nodes)));
    expect(failure).toBeInstanceOf(TypesenseError);
    expect(failure).toMatchObject({ status, message: expect.stringContaining('No, thanks') });
    expect(nodes.flatMap(({ requests }) => requests)).toHaveLength(1);
  });

  test('none is followed elsewhere', async () => {
    const elsewhere = await startNode(well);
    const node = await startNode((_message, response) =>
      response.writeHead(307, { Location: `${elsewhere.url}/multi_search` }).end(),
    );
    expect(await failureOf(search(open(node)))).toMatchObject({ status: 307 });
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('a single node', () => {
  test.each(Object.entries(faults))('that fails is told: %s', async (_name, fault) => {
    const node = await startNode(fault);
    expect(await failureOf(search(open(node)))).toBeInstanceOf(TypesenseError);
    expect(node.requests).toHaveLength(1);
  });

  test('that takes no connection is told', async () => {
    const failure = await failureOf(search(open({ url: 'http://127.0.0.1:1' })));
    expect(failure).toMatchObject({ status: 0, message: expect.stringContaining('ECONNREFUSED') });
  });

  test('keeps its connections', async () => {
    const node = await startNode(well);
    const client = open(node);
    for (const _ of turns(50)) await search(client);
    expect(node.connections).toBeLessThan(5);
  });
});

describe('a deadline', () => {
  const trickling: RequestListener = (_message, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(timer));
  };

  test.each([
    ['silent', silent],
    ['trickling', trickling],
  ] as const)('is one for all tries together, and for the last byte: %s nodes', async (_name, fault) => {
    const nodes = [await startNode(fault), await startNode(fault), await startNode(fault)];
    const failure = await failureOf(search(open(...nodes), { timeoutMs: 300 }));
    expect(failure).toMatchObject({ status: 0, message: expect.stringContaining('timeout') });
    expect(nodes.flatMap(({ requests }) => requests).length).toBeLessThanOrEqual(1);
  });

  test('holds for imports and exports', async () => {
    const client = open(await startNode(silent));
    const limits = { timeoutMs: 100 };
    const documents = (act: 'import' | 'export') =>
      client.ask<unknown>((typesense) => {
        const found = typesense.collections('listings').documents();
        return act === 'import' ? found.import('{"id":"1"}') : found.export();
      }, limits);
    expect(await failureOf(documents('import'))).toBeInstanceOf(TypesenseError);
    expect(await failureOf(documents('export'))).toBeInstanceOf(TypesenseError);
  });

  test('that is over before anything is sent bothers no node', async () => {
    const node = await startNode(well);
    expect(await failureOf(search(open(node), { signal: AbortSignal.abort() }))).toBeInstanceOf(TypesenseError);
    expect(node.requests).toEqual([]);
  });
});

test('no failure tells the key or what was sent, and nothing is written to the console', async () => {
  const spies = (['log', 'warn', 'error', 'info', 'debug', 'trace'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => {}),
  );
  try {
    const answers = [
      ...Object.values(faults),
      silent,
      json(503, '{}'),
      json(400, '{}'),
      json(401, '{}'),
      json(404, '{}'),
    ];
    const nodes = [{ url: 'http://127.0.0.1:1' }, { url: 'nowhere' }];
    for (const answer of answers) nodes.push(await startNode(answer));
    for (const node of nodes) {
      const failure = await failureOf(search(open(node), { timeoutMs: 1_000 }));
      expect(failure).toBeInstanceOf(TypesenseError);
      const told = inspect(failure, { depth: Infinity, showHidden: true });
      expect(told).not.toContain(KEY);
      expect(told).not.toContain(SECRET);
    }
    expect(spies.flatMap(({ mock }) => mock.calls)).toEqual([]);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
});

test('documents go in and come out by the thousand, one per line', async () => {
  const server = await startTypesenseServer();
  closing.push(() => server.close());
  const client = createTypesenseClient({ nodes: [server.url], apiKey: server.key, collection: 'many' });
  closing.unshift(() => client.close());
  const fields = [{ name: 'title', type: 'string' as const }];
  await client.ask((typesense) => typesense.collections().create({ name: 'many', fields }));
  const lines = Array.from({ length: 5_000 }, (_, number) =>
    JSON.stringify({ id: `${number}`, title: 'Ünï\u2028code' }),
  );
  const answer = await client.ask((typesense) =>
    typesense
      .collections('many')
      .documents()
      .import([...lines, '{"id":"bad"}'].join('\n'), { action: 'upsert' }),
  );
  const told = readLines<{ success: boolean; code?: number }>(answer);
  expect([told.length, told.filter(({ success }) => success).length, told.at(-1)?.code]).toEqual([5_001, 5_000, 400]);
  const exported = await client.ask((typesense) => typesense.collections('many').documents().export());
  expect(readLines(exported)).toEqual(lines.map((line) => JSON.parse(line) as unknown));
});

test('lines are read with and without an end, and refused where one is no JSON', () => {
  expect(readLines('')).toEqual([]);
  expect(readLines('{"a":1}\n{"a":2}\n')).toEqual([{ a: 1 }, { a: 2 }]);
  expect(readLines('{"a":1}\n\n{"a":2}')).toEqual([{ a: 1 }, { a: 2 }]);
  expect(() => readLines('{"a":1}\n{"a":')).toThrow(TypesenseError);
});

test('a process that has closed its client ends, whatever deadlines it had', async () => {
  const node = await startNode(well);
  const module = new URL('../../../shared/search/typesense/client.ts', import.meta.url).href;
  const script = `
    const { createTypesenseClient } = await import(${JSON.stringify(module)});
    const nodes = ['http://127.0.0.1:1', ${JSON.stringify(node.url)}];
    const client = createTypesenseClient({ nodes, apiKey: 'key', collection: 'listings' });
    const search = () => client.ask((typesense) => typesense.multiSearch.perform({ searches: [] }), { timeoutMs: 3_600_000 });
    await Promise.all([search(), search(), search()]);
    await client.close();
    console.log('closed');`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  expect([stdout, stderr]).toEqual(['closed\n', '']);
});
