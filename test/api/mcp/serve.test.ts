import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
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

  test('tells unknown fields of an input in place of ignoring them', async () => {
    const { call } = await connectMcp(app);
    const answer = await call('search_listings', { max_prise: 5 }).catch((error: Error) => ({ text: error.message }));
    expect(answer.text).toContain('max_prise');
  });
});
