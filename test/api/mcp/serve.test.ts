import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { connectMcp } from '../../support/mcp-client.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(closeApps);

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/** Sends with a Host header of one's own, which fetch does not allow. */
const send = (extra: Record<string, string>, body = ping) =>
  new Promise<number>((resolve, reject) => {
    const sent = request(`${app.url}/mcp`, { method: 'POST', headers: { ...headers, ...extra } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });

describe('a request to /mcp', () => {
  test('is answered for the host and origin of the service and of loopback, and refused for any other', async () => {
    expect(await send({})).toBe(200);
    expect(await send({ Host: 'localhost:1' })).toBe(200);
    expect(await send({ Origin: app.url })).toBe(200);
    expect(await send({ Host: 'evil.example' })).toBe(403);
    expect(await send({ Origin: 'https://evil.example' })).toBe(403);
    expect(await send({ Origin: 'null' })).toBe(403);
  });

  test('is 401 with a bad credential', async () => {
    expect(await send({ Authorization: 'Bearer nobody' })).toBe(401);
  });

  test('is a client error, never a fault of ours, when it is no JSON-RPC', async () => {
    for (const body of ['', '{', '[]', 'null', '{"jsonrpc":"2.0"}', `[${ping},${ping}]`, `"${'x'.repeat(300_000)}"`]) {
      const status = await send({}, body);
      expect(status, body.slice(0, 20)).toBeGreaterThanOrEqual(400);
      expect(status, body.slice(0, 20)).toBeLessThan(500);
    }
  });

  test('takes from the same budget as one over HTTP', async () => {
    const limited = await startApp({ env: { RATE_LIMIT_MULTIPLIER: '1' } });
    const { call } = await connectMcp(limited);
    const remaining = async () =>
      Number((await fetch(`${limited.url}/api/listings`)).headers.get('X-RateLimit-Remaining'));
    const before = await remaining();
    await call('search_listings', {});
    expect(await remaining()).toBe(before - 2);
  });

  test('tells unknown fields of an input in place of ignoring them, and which there are', async () => {
    const { call } = await connectMcp(app);
    const { isError, text } = await call('search_listings', { max_prise: 5 });
    expect(isError).toBe(true);
    expect(text).toMatch(/^validation_error: .*max_price.*max_prise.*\nNext: correct/s);
  });
});

/** Arguments as a careless or hostile client would send them, as JSON: what they are called, and what they hold. */
const deep = (open: string, close: string, depth = 60_000) => open.repeat(depth) + close.repeat(depth);
const hostile: [string, string][] = [
  ['null', 'null'],
  ['a text', '"x"'],
  ['a list', '[1,2,3]'],
  ['deep lists', `{"q":${deep('[', ']')}}`],
  ['deep objects', `{"attributes":${deep('{"a":', '}', 20_000).replace('{}', '{"a":1}').replace(':}', ':1}')}}`],
  ['a long text', `{"q":${JSON.stringify('x'.repeat(200_000))}}`],
  [
    'many fields',
    JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, index]))),
  ],
  [
    'many attributes',
    JSON.stringify({ attributes: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`a${index}`, 1])) }),
  ],
  [
    'wrong types',
    '{"q":{"$ne":null},"category":7,"min_price":"1","max_price":[],"condition":"new","limit":"all","page":-1,"attributes":[1]}',
  ],
  ['numbers beyond all bounds', '{"min_price":1e308,"limit":1e9,"page":99999999,"radius_km":-1}'],
  [
    'the prototype',
    '{"__proto__":{"q":"x"},"constructor":{"prototype":{}},"attributes":{"__proto__":"x","constructor":"y"}}',
  ],
  [
    'control characters',
    String.raw`{"q":"\u0000\u0001\ud800","id":"\u0000","category":"\u0000","attributes":{"\u0000":"\u0000"}}`,
  ],
  ['a text of blanks', JSON.stringify({ text: `${' '.repeat(4_990)}a`, q: `${' '.repeat(190)}a` })],
  ['signs of SQL', `{"q":"'; drop table listings; --","id":"' or 1=1","category":"' or 1=1"}`],
];

describe('arguments of a tool', () => {
  const callRaw = async (name: string, args: string, token?: string) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
    const authorization: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const response = await fetch(`${app.url}/mcp`, { method: 'POST', headers: { ...headers, ...authorization }, body });
    return { status: response.status, text: await response.text() };
  };

  test.each(hostile)(
    'such as %s are never a fault of ours, and the answer is short and says what to do',
    async (_, args) => {
      const admin = await app.createUser({ role: 'admin' });
      const { client } = await connectMcp(app, admin.token);
      for (const { name, inputSchema } of (await client.listTools()).tools) {
        const confirmed = 'confirm' in (inputSchema.properties ?? {}) && args.startsWith('{"');
        const { status, text } = await callRaw(
          name,
          confirmed ? `{"confirm":true,${args.slice(1)}` : args,
          admin.token,
        );
        expect(status, name).toBeLessThan(500);
        expect(text, name).not.toContain('internal_error');
        expect(text, name).not.toMatch(/-32603/);
        if (status === 200 && text.includes('"isError":true')) {
          expect(text.length, name).toBeLessThan(5_000);
          expect(text, name).toContain('Next: ');
        }
      }
    },
  );
});

describe('limits', () => {
  test('429 with Retry-After once the budget of requests is used up, for the address and for the account', async () => {
    const limited = await startApp({ env: { RATE_LIMIT_MULTIPLIER: '0.01' } });
    const user = await limited.createUser();
    for (const authorization of [{}, { Authorization: `Bearer ${user.token}` }] as Record<string, string>[]) {
      const ask = () =>
        fetch(`${limited.url}/mcp`, { method: 'POST', headers: { ...headers, ...authorization }, body: ping });
      let answer = await ask();
      expect(answer.status).toBe(200);
      for (let count = 0; answer.status === 200 && count < 100; count += 1) answer = await ask();
      expect(answer.status).toBe(429);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await answer.json()).toMatchObject({ error: { code: 'rate_limited' } });
    }
  });

  test('a tool that is refused for its budget of writes says when to call again', async () => {
    const limited = await startApp({ env: { RATE_LIMIT_MULTIPLIER: '0.1' } });
    const { call } = await connectMcp(limited, (await limited.createUser()).token);
    let answer = await call('set_favorite', { listing_id: 'lst_of_nobody', favorite: false });
    for (let count = 0; !answer.text.startsWith('rate_limited') && count < 100; count += 1)
      answer = await call('set_favorite', { listing_id: 'lst_of_nobody', favorite: false });
    expect(answer).toMatchObject({
      isError: true,
      text: expect.stringMatching(/\nNext: wait [1-9]\d* seconds, and call again/),
    });
  });

  test('a key publishes as often a day as it may, and is told when it may again', async () => {
    const seller = await app.createUser();
    const fields = { name: 'agent', scopes: ['publish'], limits: { publications_per_day: 1 } };
    const { body } = await app.as(seller).post('/api/api-keys', fields);
    const { call } = await connectMcp(app, body.key);
    const draft = async (): Promise<string> => (await app.as(seller).post('/api/listings', listingBody())).body.id;
    const [first, second] = [await draft(), await draft()];
    expect((await call('publish_listing', { id: first, confirm: true })).data).toMatchObject({ status: 'active' });
    const refused = await call('publish_listing', { id: second, confirm: true });
    expect(refused.text).toMatch(/^rate_limited: .*\nNext: wait [1-9]\d* seconds/s);
    expect((await app.as(seller).get(`/api/listings/${second}`)).body.status).toBe('draft');
  });
});

describe('behind a proxy with a prefix', () => {
  test('the server answers for the host of the proxy alone, and names addresses behind it', async () => {
    const proxied = await startApp({ env: { PROXY_BASE_URL: 'https://market.example.com/boats' } });
    const seller = await proxied.createUser();
    const { body: listing } = await proxied.as(seller).post('/api/listings', listingBody());
    await proxied.as(seller).post(`/api/listings/${listing.id}/publish`);
    const call = (name: string, args: unknown, extra: Record<string, string> = {}) =>
      new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        const own = { ...headers, Host: 'market.example.com', Origin: 'https://market.example.com', ...extra };
        const sent = request(`${proxied.url}/boats/mcp`, { method: 'POST', headers: own }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve({ status: response.statusCode, text }));
        });
        sent.on('error', reject);
        sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }));
      });
    const read = await call('get_listing', { id: listing.id });
    expect(read.text).toContain(`https://market.example.com/boats/listings/${listing.slug}`);
    expect((await call('list_favorites', {})).text).toContain('https://market.example.com/boats/mcp');
    expect((await call('get_listing', { id: listing.id }, { Host: 'evil.example' })).status).toBe(403);
    expect((await call('get_listing', { id: listing.id }, { Origin: 'https://evil.example' })).status).toBe(403);
  });
});
