import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await app.close();
});

/** Sends bytes as they are and answers everything that comes back. */
function sendRaw(bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

const login = (body: string | Buffer, headers: Record<string, string> = {}) =>
  app
    .as()
    .request('POST', '/api/auth/login', { raw: body, headers: { 'Content-Type': 'application/json', ...headers } });

describe('bodies', () => {
  test.each([
    ['malformed JSON', '{"email":', 400, 'bad_request'],
    ['no body', '', 400, 'bad_request'],
    ['a NUL', '{"email":"a@example.com","password":"abc\\u0000defgh"}', 400, 'validation_error'],
    ['half a surrogate', '{"email":"a@example.com","password":"abc\\ud800defgh"}', 400, 'validation_error'],
    [
      'a prototype key',
      '{"email":"a@example.com","password":"abcdefgh","__proto__":{"polluted":1}}',
      400,
      'validation_error',
    ],
    ['33 levels', `{"email":"a@example.com","password":${'['.repeat(33)}${']'.repeat(33)}}`, 400, 'validation_error'],
    ['200,000 levels', '['.repeat(200_000) + ']'.repeat(200_000), 400, 'validation_error'],
    ['a megabyte and a byte', `{"email":"${'a'.repeat(1_048_577)}"}`, 413, 'payload_too_large'],
  ])('%s: %j -> %i', async (_name, body, status, code) => {
    const reply = await login(body);
    expect(reply.status).toBe(status);
    expect(reply.body.error.code).toBe(code);
  });

  test('415 for another media type and for another charset', async () => {
    expect((await login('{}', { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await login('{}', { 'Content-Type': 'application/json; charset=latin1' })).status).toBe(415);
    expect((await login('{}', { 'Content-Encoding': 'compress' })).status).toBe(415);
  });

  test('400 for bytes that are not UTF-8: nothing is replaced silently', async () => {
    const reply = await login(Buffer.from('{"email":"a@example.com","password":"abc\xff\xfedefgh"}', 'latin1'));
    expect(reply.status).toBe(400);
  });

  test('413 for a compressed bomb, 400 for broken compression', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1_048_576, 'a'));
    expect((await login(bomb, { 'Content-Encoding': 'gzip' })).status).toBe(413);
    expect((await login('no gzip', { 'Content-Encoding': 'gzip' })).status).toBe(400);
  });

  test('nothing of a request leaks into the prototype of objects', async () => {
    await login('{"constructor":{"prototype":{"polluted":true}}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('addresses', () => {
  test('404 in the envelope, with a request id', async () => {
    const reply = await app.as().get('/api/nowhere', { headers: { 'X-Request-Id': 'my-request-1' } });
    expect(reply.status).toBe(404);
    expect(reply.body.error.code).toBe('not_found');
    expect(reply.headers.get('x-request-id')).toBe('my-request-1');
  });

  test.each(['a', 'trace-1', 'x'.repeat(128)])('the request id %s of the caller is kept', async (id) => {
    const reply = await app.as().get('/api/nowhere', { headers: { 'X-Request-Id': id } });
    expect(reply.headers.get('x-request-id')).toBe(id);
  });

  test.each(['a b', '<script>', 'x'.repeat(129)])('the request id %s is replaced', async (id) => {
    const reply = await app.as().get('/api/nowhere', { headers: { 'X-Request-Id': id } });
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    '/api/listings/a.boat',
    '/api/listings/f%C3%BCr-zwei',
    '/api/listings/%00',
    `/api/listings/${'x'.repeat(3_000)}`,
    `/api/listings/${'x'.repeat(3_000)}.md`,
    '/api/users/a%20b',
    '/api/categories/sail%20boats',
    '/api/rentals/%3Cb%3E',
  ])('404 for %s: no id or slug is of that form', async (path) => {
    const reply = await app.as().get(path);
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
  });

  test('405 with Allow', async () => {
    const reply = await app.as().delete('/api/categories');
    expect(reply.status).toBe(405);
    expect(reply.body.error.code).toBe('method_not_allowed');
    expect(reply.headers.get('allow')).toContain('GET');
  });

  test.each([
    '/api/categories/%ff',
    '/api/categories/%',
    '/api/categories?hide_empty=%ff',
    '/api/categories?hide_empty=true?%ff',
    '/api/categories?hide_empty=%E0%A4%A',
  ])('400 for %s', async (path) => {
    expect((await app.as().get(path)).status).toBe(400);
  });

  test.each(['bogus=1', 'hide_empty=maybe', 'hide_empty=true&hide_empty=false', 'hide_empty[a]=1', 'constructor=1'])(
    '400 validation_error for ?%s',
    async (query) => {
      const reply = await app.as().get(`/api/categories?${query}`);
      expect(reply.status).toBe(400);
      expect(reply.body.error.code).toBe('validation_error');
    },
  );

  test('security headers are on every answer', async () => {
    for (const path of ['/api/categories', '/api/nowhere', '/health']) {
      const { headers } = await app.as().get(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  test('a preflight is answered for every origin, method and the Authorization header, without cookies', async () => {
    const reply = await app.as().request('OPTIONS', '/api/listings', {
      headers: {
        Origin: 'https://somewhere.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    expect(reply.status).toBe(204);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('access-control-allow-methods')).toContain('POST');
    expect(reply.headers.get('access-control-allow-headers')).toContain('authorization');
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('raw connections', () => {
  test.each([
    ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 400/],
    [
      'both lengths',
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400/,
    ],
    [
      'a bad length',
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: five\r\n\r\nhello',
      /^HTTP\/1\.1 400/,
    ],
    ['20 KB of headers', `GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431/],
    ['no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400/],
  ])('%s is refused and others go on', async (_name, bytes, expected) => {
    const answer = await sendRaw(bytes);
    expect(answer).toMatch(expected);
    expect((await app.as().get('/health')).status).toBe(200);
  });
});

describe('lists in a query', () => {
  test.each(['category[x]=1', 'category[]=1&category[x][y]=2', 'seller_id[0][1]=a', 'country[a]=DE&country=FR'])(
    '?%s is a 400 that names the parameter',
    async (query) => {
      const { status, body } = await app.as().get(`/api/listings?${query}`);
      expect(status).toBe(400);
      expect(body.error.details.errors[0].path).toMatch(/^\/query\/(category|seller_id|country)/);
    },
  );
});
