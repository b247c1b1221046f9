import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody } from '../../support/listing-bodies.ts';

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await startApp();
  user = await app.createUser();
});
afterAll(() => app.close());

const JSON_TYPE = { 'Content-Type': 'application/json' };
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
const login = (raw: string | Buffer, headers: Record<string, string> = {}) =>
  app.as().request('POST', '/api/auth/login', { raw, headers: { ...JSON_TYPE, ...headers } });
const ingest = (records: unknown[]) => app.as(user).post('/api/ingest', { records });

describe('a body of many parts', () => {
  test.each([
    ['20,001 keys', JSON.stringify(keys(20_001))],
    ['20,001 list items', JSON.stringify(Array.from({ length: 20_001 }, () => 0))],
    ['20,001 levels', `${'['.repeat(20_002)}${']'.repeat(20_002)}`],
    ['10,000 keys of 10,001 items', JSON.stringify({ ...keys(10_000), k0: Array.from({ length: 10_001 }, () => 0) })],
  ])('%s: 400 validation_error that names the limit', async (_what, text) => {
    const { status, body } = await login(text);
    expect([status, body.error.code, body.error.details.limit]).toEqual([400, 'validation_error', 20_000]);
    expect(body.error.message).toContain('20,000');
    expect(body.error.details.errors).toEqual([
      { path: '/body', message: 'must have at most 20,000 keys and list items in all' },
    ]);
  });

  test('20,000 keys and list items are looked at like any others, and what stands in texts is not counted', async () => {
    const many = await login(JSON.stringify(keys(20_000)));
    expect(many.body.error.message).toBe('The request does not fit this operation.');
    const text = '{[,"'.repeat(30_000);
    const { status, body } = await login(JSON.stringify({ email: 'a@example.com', password: text, [text]: 1 }));
    expect([status, body.error.message]).toEqual([400, 'The request does not fit this operation.']);
  });

  test('500 ordinary records are ingested although they have more in all', async () => {
    const records = Array.from({ length: 500 }, (_, index) => ({
      ...ingestBody({ title: `Bavaria 37 number ${index}` }),
      url: `https://boats.example.com/ordinary/${index}`,
      raw_record: keys(40),
    }));
    const { status, body } = await ingest(records);
    expect([status, body.created, body.failed]).toEqual([200, 500, []]);
  });

  test('few records, or many empty ones, may not bring more than 20,000 or 100 for each', async () => {
    const heavy = Array.from({ length: 60 }, (_, index) => ({
      url: `https://a.example/${index}`,
      raw_record: keys(500),
    }));
    const empty = Array.from({ length: 50_001 }, () => []);
    for (const records of [heavy, empty]) {
      const { status, body } = await ingest(records);
      expect([status, body.error.code, body.error.details.limit]).toEqual([400, 'validation_error', 20_000]);
    }
  });

  test('a raw record has at most 500 fields, and one with more fails alone', async () => {
    const of = (count: number) => ({
      ...ingestBody({ title: `Bavaria 37 with ${count} fields` }),
      url: `https://boats.example.com/fields/${count}`,
      raw_record: keys(count),
    });
    const { status, body } = await ingest([of(500), of(501)]);
    expect([status, body.created, body.failed.length]).toEqual([200, 1, 1]);
    expect(JSON.stringify(body.failed[0])).toContain('500');
  });
});

describe('the coding of a body', () => {
  test('a byte order mark and compression change nothing', async () => {
    const text = '{"email":"a@example.com"}';
    const plain = await login(text);
    for (const raw of [Buffer.from(`\ufeff${text}`), gzipSync(text)]) {
      const coding: Record<string, string> = raw[0] === 0x1f ? { 'Content-Encoding': 'gzip' } : {};
      expect((await login(raw, coding)).body).toEqual(plain.body);
    }
  });

  test('413 for what is too large only after decompression, 400 for what is no gzip or is cut', async () => {
    const gzip = { 'Content-Encoding': 'gzip' };
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
    expect((await login(bomb, gzip)).status).toBe(413);
    expect((await login('hello', gzip)).status).toBe(400);
    expect((await login(gzipSync('{"email":"a@example.com"}').subarray(0, 30), gzip)).status).toBe(400);
  });
});

test('400 for two Host headers, also when they agree', async () => {
  for (const second of ['y', 'x']) {
    const { answer } = await new Promise<{ answer: string }>((resolve) => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () =>
        socket.end(`GET /api/categories HTTP/1.1\r\nHost: x\r\nhOST: ${second}\r\n\r\n`),
      );
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString()));
      socket.on('close', () => resolve({ answer }));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"bad_request"');
    expect(answer).toMatch(/^connection: close\r$/im);
  }
});
