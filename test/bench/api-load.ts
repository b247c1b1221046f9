import { connect, type Socket } from 'node:net';

/** What a run of requests took: the rate, and the latencies in milliseconds, sorted. */
export type Load = { requests: number; perSecond: number; latencies: Float64Array; bytes: number };

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Sends GET requests for `durationMs` over a fixed number of keep-alive connections, each its next one as soon as the last
 * is answered: request number i is for `paths[i % paths.length]`. Any answer but 200 throws.
 */
export function loadPaths(
  port: number,
  paths: readonly string[],
  connections: number,
  durationMs: number,
  from = 0,
): Promise<Load> {
  const requests = paths.map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n`),
  );
  let next = from;
  return loadRequests(port, () => requests[next++ % requests.length]!, 200, connections, durationMs);
}

/** The same with whatever `nextRequest` gives; any answer but the status expected throws. */
export async function loadRequests(
  port: number,
  nextRequest: () => Buffer,
  expectedStatus: number,
  connections: number,
  durationMs: number,
): Promise<Load> {
  const latencies: number[] = [];
  let bytes = 0;
  const startedAt = performance.now();
  const deadline = startedAt + durationMs;

  async function work(): Promise<void> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const read = createReader(socket);
    try {
      while (performance.now() < deadline) {
        const sentAt = performance.now();
        const request = nextRequest();
        socket.write(request);
        const { status, length } = await read();
        if (status !== expectedStatus) throw new Error(`${status} for ${request.toString('utf8', 0, 500)}`);
        latencies.push(performance.now() - sentAt);
        bytes += length;
      }
    } finally {
      socket.destroy();
    }
  }
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    latencies: Float64Array.from(latencies).sort(),
    bytes,
  };
}

/** Reads one answer after the other; all of them name their length. */
function createReader(socket: Socket): () => Promise<{ status: number; length: number }> {
  let waiting: PromiseWithResolvers<{ status: number; length: number }> | undefined;
  let head: Buffer = Buffer.alloc(0);
  let missing = -1;
  let answer = { status: 0, length: 0 };
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk;
    if (missing < 0) {
      head = head.length === 0 ? rest : Buffer.concat([head, rest]);
      const end = head.indexOf(HEAD_END);
      if (end < 0) return;
      const text = head.toString('latin1', 0, end);
      answer = { status: Number(text.slice(9, 12)), length: Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0) };
      rest = head.subarray(end + HEAD_END.length);
      head = Buffer.alloc(0);
      missing = answer.length;
    }
    missing -= rest.length;
    if (missing > 0) return;
    missing = -1;
    waiting?.resolve(answer);
  });
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')));
  return () => {
    waiting = Promise.withResolvers();
    return waiting.promise;
  };
}

/** The value that this share of sorted values is below. */
export const quantile = (sorted: Float64Array, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
