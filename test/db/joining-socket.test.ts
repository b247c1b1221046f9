import { once } from 'node:events';
import { createServer, Socket, type AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { createPool } from '../../db/client.ts';
import { JoiningSocket } from '../../db/joining-socket.ts';
import { cloneDatabase } from '../support/database.ts';

/** Sends these pieces written together, and answers what arrived and in how many writes it left. */
async function send(pieces: Buffer[], connected: boolean): Promise<{ arrived: Buffer; writes: number[] }> {
  const chunks: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = new JoiningSocket();
  const write = vi.spyOn(Socket.prototype, '_write');
  socket.connect((server.address() as AddressInfo).port, '127.0.0.1');
  if (connected) await once(socket, 'connect');
  socket.cork();
  for (const piece of pieces) socket.write(piece);
  socket.uncork();
  socket.end();
  await once(socket, 'close');
  server.close();
  await once(server, 'close');
  const own = write.mock.calls.filter((_, call) => write.mock.contexts[call] === socket);
  write.mockRestore();
  return { arrived: Buffer.concat(chunks), writes: own.map(([chunk]) => (chunk as Buffer).length) };
}

test.each([true, false])('everything arrives in its order, whatever its size (connected: %s)', async (connected) => {
  const sizes = [1, 5, 0, 300, 2];
  const small = sizes.map((size, n) => Buffer.alloc(size, n));
  const large = [Buffer.from('a'), Buffer.alloc(300_000, 'b'), Buffer.from('c')];
  for (const pieces of [small, large, [...small, ...large]])
    expect((await send(pieces, connected)).arrived.equals(Buffer.concat(pieces))).toBe(true);
});

test('small pieces leave in one write, large ones uncopied', async () => {
  const pieces = [Buffer.alloc(10), Buffer.alloc(20), Buffer.alloc(5)];
  expect((await send(pieces, true)).writes).toEqual([35]);
  expect((await send([...pieces, Buffer.alloc(70_000)], true)).writes).toEqual([]);
});

test('a query arrives as it was written, over a connection that joins its messages', async () => {
  const { url } = await cloneDatabase();
  const pool = createPool({ databaseUrl: url, max: 1, applicationName: 'test joining' });
  for (const text of ['', 'Größe', 'x'.repeat(70_000), '中'.repeat(1_000_000)]) {
    const { rows } = await pool.query<{ text: string }>({
      name: 'echo',
      text: 'select $1::text as text',
      values: [text],
    });
    expect(rows[0]!.text === text).toBe(true);
  }
  await pool.end();
});
