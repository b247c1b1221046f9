import { createServer } from 'node:http';
import type { LookupFunction } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  assertPublicUrl,
  createSafeLookup,
  FetchError,
  isPublicAddress,
} from '../../../shared/adapters/fetch-guard.ts';
import { createGuardedFetch, type GuardedFetch } from '../../../shared/adapters/fetch.ts';
import { deadlinesOf } from '../../../shared/kit/deadlines.ts';
import { startSite, type Route, type Site } from '../../support/site-server.ts';

const opened: { close(): Promise<void> }[] = [];
let canary: Site;

async function site(routes: Record<string, Route>): Promise<Site> {
  const started = await startSite(routes);
  opened.push(started);
  return started;
}

function guarded(allow: string[] = [], lookup?: LookupFunction, deadlines = deadlinesOf(20)): GuardedFetch {
  const client = createGuardedFetch({ allow, userAgent: 'Quayside test', lookup, deadlines });
  opened.push(client);
  return client;
}

/** A DNS stub: each look-up of a name takes the next of its answers, the last one for ever. */
function names(table: Record<string, string[][]>): LookupFunction {
  return (hostname, options, callback) => {
    const answers = table[hostname] ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (!answer) return callback(Object.assign(new Error(`no ${hostname}`), { code: 'ENOTFOUND' }), []);
    const addresses = answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) return callback(null, addresses);
    callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
  };
}

const port = (url: string) => new URL(url).port;

async function failure(promise: Promise<unknown>): Promise<FetchError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof FetchError)) throw new Error('it did not fail with a FetchError', { cause: error });
  return error;
}

beforeEach(async () => {
  canary = await site({ '/': 'secret' });
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

const privateHosts = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '0177.0.0.01',
  '127.0.0.1.',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[fe80::1]',
  '[fd00::1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::1]',
  '[2001:0:7f00:1::1]',
  '[fec0::1]',
  'localhost',
  'LOCALHOST.',
  'app.localhost',
];

test.each(privateHosts)('never connects to http://%s', async (host) => {
  const error = await failure(guarded().fetch(`http://${host}:${port(canary.url)}/`));
  expect(error.reason).toBe('blocked_address');
  expect(error.retryable).toBe(false);
  expect(canary.hits.size).toBe(0);
});

test.each([
  ['file:///etc/passwd', 'blocked_scheme'],
  ['gopher://example.com/', 'blocked_scheme'],
  ['data:text/plain,hello', 'blocked_scheme'],
  ['ftp://example.com/', 'blocked_scheme'],
  ['javascript:alert(1)', 'blocked_scheme'],
  ['http://user:secret@example.com/', 'bad_url'],
  ['http://user@example.com/', 'bad_url'],
  ['http://', 'bad_url'],
  ['not a url', 'bad_url'],
  ['http://exa mple.com/', 'bad_url'],
  ['http://example.com:22/', 'blocked_port'],
  ['http://example.com:25/', 'blocked_port'],
  ['http://example.com:5432/', 'blocked_port'],
  ['http://example.com:6379/', 'blocked_port'],
])('refuses %s as %s before anything is looked up', async (url, reason) => {
  const lookup = vi.fn<LookupFunction>();
  expect((await failure(guarded([], lookup).fetch(url))).reason).toBe(reason);
  expect(() => assertPublicUrl(url, [])).toThrow(FetchError);
  expect(lookup).not.toHaveBeenCalled();
});

test.each([
  'http://example.com',
  'https://example.com:8443/x?y#z',
  'http://1.1.1.1:3000/',
  'https://[2606:4700::1111]/',
])('accepts %s as a public URL', (url) => {
  expect(assertPublicUrl(url, []).href).toBe(new URL(url).href);
});

test('an allowed entry opens one address, one name, one range or one port of them, and nothing else', () => {
  expect(isPublicAddress('10.1.2.3', [])).toBe(false);
  expect(isPublicAddress('10.1.2.3', ['10.0.0.0/8'])).toBe(true);
  expect(isPublicAddress('11.1.2.3', ['10.0.0.0/8'])).toBe(true);
  expect(isPublicAddress('::ffff:10.1.2.3', ['10.0.0.0/8'])).toBe(true);
  expect(isPublicAddress('fd00::7', ['fd00::/64'])).toBe(true);
  expect(isPublicAddress('fd01::7', ['fd00::/64'])).toBe(false);
  expect(isPublicAddress('127.0.0.1', ['127.0.0.1:81'], 81)).toBe(true);
  expect(isPublicAddress('127.0.0.1', ['127.0.0.1:81'], 82)).toBe(false);
  expect(isPublicAddress('127.0.0.1', ['127.0.0.1:81'])).toBe(false);
  expect(isPublicAddress('::1', ['[::1]:81'], 81)).toBe(true);
  expect(isPublicAddress('not an address', [])).toBe(false);
  expect(assertPublicUrl('http://localhost:22/', ['localhost:22']).port).toBe('22');
  expect(() => assertPublicUrl('http://localhost:23/', ['localhost:22'])).toThrow(FetchError);
  expect(() => createGuardedFetch({ allow: ['10.0.0.0/33'], userAgent: 'x' })).toThrow('10.0.0.0/33');
});

test('reads a page of an allowed host, with status, headers and untouched bytes', async () => {
  const bytes = Buffer.from([0xe9, 0x00, 0xff]);
  const own = await site({
    '/page': { status: 404, headers: { 'X-One': '1', 'content-type': 'text/html; charset=latin1' }, body: bytes },
  });
  const answer = await guarded([`127.0.0.1:${port(own.url)}`]).fetch(`${own.url}/page`);
  expect(answer).toMatchObject({ status: 404, url: `${own.url}/page`, headers: { 'x-one': '1' } });
  expect(answer.body).toEqual(bytes);
});

test('reads from an allowed IPv6 address, and from no other port of it', async (context) => {
  const server = createServer((_request, response) => response.end('six'));
  const hasIpv6 = await new Promise((resolve) =>
    server.on('error', () => resolve(false)).listen(0, '::1', () => resolve(true)),
  );
  if (!hasIpv6) return context.skip('this machine has no IPv6 loopback');
  opened.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
  const address = server.address();
  const own = `http://[::1]:${typeof address === 'object' ? address?.port : ''}/`;
  expect((await guarded([`[::1]:${port(own)}`]).fetch(own)).body.toString()).toBe('six');
  expect((await guarded(['::/64']).fetch(own)).body.toString()).toBe('six');
  expect((await failure(guarded(['[::1]:1']).fetch(own))).reason).toBe('blocked_address');
});

test('sends method, body, headers, Accept and the user agent', async () => {
  const own = await site({
    '/': (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => response.end(JSON.stringify({ method: request.method, headers: request.headers, body })));
    },
  });
  const answer = await guarded(['127.0.0.1']).fetch(own.url, {
    method: 'POST',
    body: 'ping',
    headers: { 'X-Signature': 'abc' },
    accept: 'image/*',
  });
  expect(JSON.parse(answer.body.toString())).toMatchObject({
    method: 'POST',
    body: 'ping',
    headers: { 'x-signature': 'abc', accept: 'image/*', 'user-agent': 'Quayside test', 'content-length': '4' },
  });
});

const encoders: Record<string, (body: string) => Buffer> = {
  gzip: gzipSync,
  br: brotliCompressSync,
  deflate: deflateSync,
  'deflate ': deflateRawSync,
  'gzip, br': (body) => brotliCompressSync(gzipSync(body)),
};

test.each(Object.keys(encoders))('decodes a body sent as %s', async (encoding) => {
  const text = 'grüße '.repeat(5_000);
  const body = encoders[encoding]?.(text) ?? '';
  const own = await site({
    '/': { headers: { 'content-encoding': encoding }, body },
    '/empty': { headers: { 'content-encoding': encoding } },
  });
  const client = guarded(['127.0.0.1']);
  expect((await client.fetch(own.url)).body.toString()).toBe(text);
  expect((await client.fetch(`${own.url}/empty`)).body.length).toBe(0);
  expect((await client.fetch(own.url, { method: 'HEAD' })).status).toBe(200);
});

test('a coding it does not know is a final failure, a broken one a failure', async () => {
  const own = await site({
    '/unknown': { headers: { 'content-encoding': 'aes' }, body: 'x' },
    '/layers': { headers: { 'content-encoding': 'gzip, '.repeat(500) }, body: 'x' },
    '/broken': { headers: { 'content-encoding': 'gzip' }, body: 'not gzip at all' },
  });
  const client = guarded(['127.0.0.1']);
  expect(await failure(client.fetch(`${own.url}/unknown`))).toMatchObject({ reason: 'network', retryable: false });
  expect(await failure(client.fetch(`${own.url}/layers`))).toMatchObject({ reason: 'network', retryable: false });
  expect(await failure(client.fetch(`${own.url}/broken`))).toMatchObject({ reason: 'network' });
});

test('stops at a redirect to a private address, to a private name, or to another scheme', async () => {
  const target = canary.url;
  const own = await site({
    '/literal': { status: 302, headers: { location: target } },
    '/name': { status: 301, headers: { location: `http://inside.test:${port(target)}/` } },
    '/file': { status: 307, headers: { location: 'file:///etc/passwd' } },
    '/gopher': { status: 303, headers: { location: 'gopher://example.com/' } },
    '/credentials': { status: 303, headers: { location: 'http://user:secret@example.com/' } },
  });
  const lookup = names({ 'public.test': [['127.0.0.1']], 'inside.test': [['127.0.0.1'], ['::1']] });
  const client = guarded([`public.test:${port(own.url)}`], lookup);
  const go = async (path: string) => (await failure(client.fetch(`http://public.test:${port(own.url)}${path}`))).reason;
  expect(await go('/literal')).toBe('blocked_address');
  expect(await go('/name')).toBe('blocked_address');
  expect(await go('/name')).toBe('blocked_address');
  expect(await go('/file')).toBe('blocked_scheme');
  expect(await go('/gopher')).toBe('blocked_scheme');
  expect(await go('/credentials')).toBe('bad_url');
  expect(canary.hits.size).toBe(0);
});

test('follows five redirects and no sixth', async () => {
  const hop = (n: number): Record<string, Route> => ({
    [`/${n}`]: { status: 302, headers: { location: `/${n + 1}` } },
  });
  const own = await site({
    ...hop(1),
    ...hop(2),
    ...hop(3),
    ...hop(4),
    ...hop(5),
    '/6': 'there',
    '/loop': { status: 302, headers: { location: '/loop' } },
  });
  const client = guarded(['127.0.0.1']);
  expect(await client.fetch(`${own.url}/1`)).toMatchObject({ status: 200, url: `${own.url}/6` });
  expect(await failure(client.fetch(`${own.url}/loop`))).toMatchObject({
    reason: 'too_many_redirects',
    retryable: false,
  });
  expect(own.hits.get('/loop')).toBe(6);
});

test('hands back the redirect itself when none may be followed', async () => {
  const own = await site({ '/': { status: 302, headers: { location: canary.url } } });
  const answer = await guarded(['127.0.0.1']).fetch(own.url, { maxRedirects: 0, headers: { 'x-secret': '1' } });
  expect(answer).toMatchObject({ status: 302, headers: { location: canary.url } });
  expect(canary.hits.size).toBe(0);
});

test('drops credentials when a redirect leaves the origin; 303 becomes GET, 307 keeps method and body', async () => {
  const seen: unknown[] = [];
  const record: Route = (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push([request.method, request.headers.authorization, request.headers['content-type'], body]);
      response.end();
    });
  };
  const other = await site({ '/': record });
  const own = await site({
    '/same': { status: 307, headers: { location: '/end' } },
    '/end': record,
    '/away': { status: 303, headers: { location: other.url } },
  });
  const client = guarded(['127.0.0.1']);
  const options = { method: 'POST', body: 'b', headers: { Authorization: 'Bearer x', 'Content-Type': 'text/x' } };
  await client.fetch(`${own.url}/same`, options);
  await client.fetch(`${own.url}/away`, options);
  expect(seen).toEqual([
    ['POST', 'Bearer x', 'text/x', 'b'],
    ['GET', undefined, undefined, ''],
  ]);
});

test('a look-up answers the public addresses only, and fails when there are none', async () => {
  const look = (addresses: string[], allow: string[] = [], onPort?: number) =>
    new Promise((resolve, reject) => {
      const lookup = createSafeLookup(allow, onPort, names({ 'mixed.test': [addresses] }));
      lookup('mixed.test', { all: true }, (error, found) => (error ? reject(error) : resolve(found)));
    });
  expect(await look(['127.0.0.1', '1.1.1.1', '::1', '10.0.0.1'])).toEqual([{ address: '1.1.1.1', family: 4 }]);
  await expect(look(['fd00::1'])).rejects.toMatchObject({ reason: 'blocked_address' });
  await expect(look(['127.0.0.1'], ['127.0.0.1:80'])).rejects.toMatchObject({ reason: 'blocked_address' });
  expect(await look(['127.0.0.1'], ['127.0.0.1:80'], 80)).toHaveLength(1);
  expect(await look(['127.0.0.1'], ['mixed.test'])).toHaveLength(1);
});

test.runIf(process.platform === 'linux')(
  'a name that is rebound between two connections reaches only vetted addresses',
  async () => {
    const own = await site({ '/': { headers: { connection: 'close' }, body: 'public' } });
    let hits = 0;
    const inside = createServer((_request, response) => {
      hits += 1;
      response.end('inside');
    });
    await new Promise<void>((resolve) => inside.listen(Number(port(own.url)), '127.0.0.2', resolve));
    opened.push({ close: () => new Promise((resolve) => inside.close(() => resolve())) });
    const rebound = `http://rebound.test:${port(own.url)}/`;
    // 127.0.0.1 stands in for the public address, 127.0.0.2 for the private one.
    const lookup = names({ 'rebound.test': [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2', '127.0.0.1']] });
    const client = guarded(['127.0.0.1'], lookup);
    expect((await client.fetch(rebound)).body.toString()).toBe('public');
    expect((await failure(client.fetch(rebound))).reason).toBe('blocked_address');
    expect((await client.fetch(rebound)).body.toString()).toBe('public');
    expect(hits).toBe(0);
  },
);

test('counts bytes after decompression: a body of exactly the limit passes, one more does not', async () => {
  const own = await site({
    '/exact': { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(1_000)) },
    '/more': { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(1_001)) },
    '/plain': Buffer.alloc(1_001),
  });
  const client = guarded(['127.0.0.1']);
  expect((await client.fetch(`${own.url}/exact`, { maxBytes: 1_000 })).body.length).toBe(1_000);
  expect(await failure(client.fetch(`${own.url}/more`, { maxBytes: 1_000 }))).toMatchObject({
    reason: 'too_large',
    retryable: false,
  });
  expect((await failure(client.fetch(`${own.url}/plain`, { maxBytes: 1_000 }))).reason).toBe('too_large');
});

test.each(['gzip', 'deflate', 'br'])('a bomb of 300 MB in %s costs no more than the limit', async (encoding) => {
  const tenMegabytes = Buffer.alloc(10_485_760);
  const bomb =
    encoding === 'gzip'
      ? Buffer.concat(Array.from({ length: 30 }, () => gzipSync(tenMegabytes)))
      : encoding === 'br'
        ? brotliCompressSync(Buffer.alloc(100_000_000))
        : deflateSync(Buffer.alloc(100_000_000));
  const own = await site({ '/': { headers: { 'content-encoding': encoding }, body: bomb } });
  const before = process.memoryUsage.rss();
  expect((await failure(guarded(['127.0.0.1']).fetch(own.url))).reason).toBe('too_large');
  expect(process.memoryUsage.rss() - before).toBeLessThan(60_000_000);
});

test('an endless body ends at the limit and its connection is closed', async () => {
  let closed: Promise<unknown> | undefined;
  const own = await site({
    '/': (_request, response) => {
      closed = new Promise((resolve) => response.on('close', resolve));
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) continue;
      };
      response.on('drain', write);
      write();
    },
  });
  expect((await failure(guarded(['127.0.0.1']).fetch(own.url))).reason).toBe('too_large');
  await closed;
});

test('the deadline covers silence, a trickle of bytes and slow redirects, and may be retried', async () => {
  const own = await site({
    '/silent': () => undefined,
    '/trickle': (_request, response) => {
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    },
    '/circle': (_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/circle' }).end(), 60);
    },
  });
  const client = guarded(['127.0.0.1'], undefined, { ...deadlinesOf(20), fetch: 200 });
  const results = await Promise.all(
    ['/silent', '/trickle', '/circle'].map((path) => failure(client.fetch(own.url + path, { maxRedirects: 50 }))),
  );
  expect(results.map(({ reason, retryable }) => [reason, retryable])).toEqual([
    ['timeout', true],
    ['timeout', true],
    ['timeout', true],
  ]);
});

test('a caller who aborts gets its own reason back', async () => {
  const own = await site({ '/': () => controller.abort(new Error('the job was cancelled')) });
  const controller = new AbortController();
  await expect(guarded(['127.0.0.1']).fetch(own.url, { signal: controller.signal })).rejects.toThrow(
    'the job was cancelled',
  );
});

test('a lying Content-Length, a refused connection and an unknown name are failures that may be retried', async () => {
  const own = await site({
    '/short': (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('ten bytes.');
      setImmediate(() => response.destroy());
    },
  });
  const gone = await startSite({});
  await gone.close();
  const client = guarded(['127.0.0.1'], names({}));
  for (const url of [`${own.url}/short`, gone.url, 'http://nowhere.test/']) {
    expect(await failure(client.fetch(url))).toMatchObject({ reason: 'network', retryable: true });
  }
});
