import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  // 1 s for a head, 2 s for a body, 12 s for a request.
  app = await startApp({ env: { DEADLINE_FACTOR: '0.2' } });
});
afterAll(() => app.close());

/** Sends a text and then, if told so, a byte every tenth of a second, whatever is answered, until the connection is closed. */
function send(text: string, { trickles }: { trickles: boolean }): Promise<string> {
  const { port } = new URL(app.url);
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true }, () => socket.write(text));
    const timer = trickles ? setInterval(() => socket.write(' '), 100) : undefined;
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('end', () => trickles || socket.end());
    socket.on('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

test('a head that never ends is answered 408', async () => {
  expect(await send('GET /health HTTP/1.1\r\nHost: x\r\n', { trickles: false })).toMatch(/^HTTP\/1\.1 408/);
});

test('a body that trickles is answered 408, and the connection of one who trickles on is cut before the deadline of requests', async () => {
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`;
  const [read, refused, unknown] = await Promise.all(
    ['/api/auth/login', '/api/listings', '/api/nowhere'].map((path) => send(head(path), { trickles: true })),
  );
  expect(read).toMatch(/^HTTP\/1\.1 408 /);
  expect(read).toContain('"code":"request_timeout"');
  expect(refused).toMatch(/^HTTP\/1\.1 401 /);
  expect(unknown).toMatch(/^HTTP\/1\.1 404 /);
  // Node, which would cut them at that of requests, writes a 408 of its own behind the answer.
  for (const answer of [read, refused, unknown]) expect(answer!.match(/HTTP\/1\.1/g)).toHaveLength(1);
});
