import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpServer } from '../../../api/http/server.ts';

test('an answer that was under way when the stop began closes its connection, so that its client sends nothing more into it', async () => {
  const underWay: ServerResponse[] = [];
  const { server, drain } = createHttpServer((_request, response) => void underWay.push(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const { port } = server.address() as AddressInfo;
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, agent }, resolve).on('error', reject).end();
  });
  await expect.poll(() => underWay.length).toBe(1);
  const drained = drain();
  underWay[0]!.end('done');
  const answer = await answered;
  answer.resume();
  expect(answer.headers.connection).toBe('close');
  await drained;
});
