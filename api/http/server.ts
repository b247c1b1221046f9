import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { ServiceError, type ErrorCode } from '../../shared/errors.ts';
import { BODY_TIMEOUT_MS } from './read-bytes.ts';
import { renderEnvelope } from './render-error.ts';

const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 65_000;
const GRACE_MS = 1_000;
const HARD_DEADLINE_MS = 10_000;

/** A server with limits against slow clients; what Node refuses before Express sees it is answered in our envelope. */
export function createHttpServer(handler: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 1_000,
    },
    handler,
  );
  server.on('clientError', answerUnreadable);
  server.on('request', closeUnlessReceived);
  // Node answers an unknown `Expect` with a bare 417; RFC 9110 lets a server ignore it.
  server.on('checkExpectation', handler);
  return server;
}

/** A request that was answered before its body had come is let come to its end, but not for longer than a body may take. */
function closeUnlessReceived(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete) return;
    const timer = setTimeout(() => request.socket.destroy(), BODY_TIMEOUT_MS);
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

/** Listens, or ends the process with one line when the port is taken. */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      console.error(`PORT: ${port} on ${host} is in use`);
      process.exit(78);
    });
    server.listen(port, host, resolve);
  });
}

/**
 * Stops without failing a request: for one second answers still go out and close their connections, so that keep-alive
 * clients leave; then nothing new is accepted, and what is left after ten seconds is cut.
 */
export async function drainServer(server: Server): Promise<void> {
  await wait(GRACE_MS);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => server.closeAllConnections(), HARD_DEADLINE_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
