import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { deadlinesOf, type Deadlines } from '../../shared/kit/deadlines.ts';
import { ServiceError, type ErrorCode } from '../../shared/kit/errors.ts';
import { renderEnvelope } from './render-error.ts';

const KEEP_ALIVE_MS = 65_000;
const GRACE_MS = 1_000;
const MAX_GRACE_MS = 3_000;

export type HttpServer = { server: Server; drain(): Promise<void> };

/**
 * A server with limits against slow clients; what Node refuses before Express sees it is answered in our envelope. `drain`
 * stops it without failing a request.
 */
export function createHttpServer(handler: RequestListener, deadlines: Deadlines = deadlinesOf()): HttpServer {
  const server = createServer(
    {
      headersTimeout: deadlines.requestHead,
      requestTimeout: deadlines.request,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 1_000,
    },
    handler,
  );
  server.on('clientError', answerUnreadable);
  const responses = new Set<ServerResponse>();
  server.on('request', (request, response) => {
    responses.add(response);
    response.once('close', () => responses.delete(response));
    closeUnlessReceived(request, response, deadlines.requestBody);
  });
  // Node answers an unknown `Expect` with a bare 417; RFC 9110 lets a server ignore it.
  server.on('checkExpectation', handler);
  return { server, drain: () => drainServer(server, responses, deadlines.drain) };
}

/** A request that was answered before its body had come is let come to its end, but not for longer than a body may take. */
function closeUnlessReceived(request: IncomingMessage, response: ServerResponse, withinMs: number): void {
  response.once('finish', () => {
    if (request.complete) return;
    const timer = setTimeout(() => request.socket.destroy(), withinMs);
    request.once('close', () => clearTimeout(timer));
  });
}

const unreadable: Record<string, [ErrorCode, string, string]> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    '431 Request Header Fields Too Large',
    'The headers are larger than 16 KiB.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', '408 Request Timeout', 'The request did not arrive in time.'],
};

function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, line, message] = unreadable[error.code ?? ''] ?? [
    'bad_request',
    '400 Bad Request',
    'The request could not be read.',
  ];
  const body = renderEnvelope(new ServiceError(code, message));
  const headers = [
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`HTTP/1.1 ${line}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
  // Whoever goes on sending has had a moment to read that.
  const timer = setTimeout(() => socket.destroy(), GRACE_MS);
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Listens, or ends the process with one line when the port is taken. With `reusePort` (SO_REUSEPORT) several processes share it,
 * and the system deals out their connections.
 */
export async function listen(
  server: Server,
  { host, port, reusePort }: { host: string; port: number; reusePort: boolean },
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTSUP') console.error('REUSE_PORT: this system does not let processes share a port');
      else if (error.code === 'EADDRINUSE') console.error(`PORT: ${port} on ${host} is in use`);
      else return reject(error);
      process.exit(78);
    });
    server.listen({ port, host, reusePort }, resolve);
  });
}

/**
 * First every answer, also those under way, closes its connection, until no client has one
 * open, or those that are left have not been used for three seconds; then nothing new is accepted, and what is left is cut in
 * the end. Connections are closed right after the loop has taken in what came, so that no request lies in one unread.
 */
async function drainServer(server: Server, underWay: Iterable<ServerResponse>, withinMs: number): Promise<void> {
  for (const response of underWay) if (!response.headersSent) response.setHeader('Connection', 'close');
  const startedAt = performance.now();
  do await wait(GRACE_MS);
  while (performance.now() - startedAt < MAX_GRACE_MS && (await countConnections(server)) > 0);
  await setImmediate();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => globalThis.setImmediate(() => server.closeIdleConnections()), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}

const countConnections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
