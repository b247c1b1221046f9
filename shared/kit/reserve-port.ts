import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../db/errors.ts';

/** What stops a start for a reason the operator can mend; the message is one line. */
export class StartError extends Error {}

/** The configured port, or a free one for port 0; throws a StartError when something else keeps it longer than `waitMs`. */
export async function reservePort(host: string, port: number, waitMs: number): Promise<number> {
  for (const deadline = performance.now() + waitMs; ; await sleep(200)) {
    try {
      return await tryPort(host, port);
    } catch (error) {
      const inUse = errorCode(error) === 'EADDRINUSE';
      if (inUse && performance.now() < deadline) continue;
      throw new StartError(
        inUse
          ? `PORT: ${port} is already in use on ${host}; stop what listens there or set another PORT`
          : `PORT: cannot listen on ${host}:${port} (${errorCode(error)})`,
      );
    }
  }
}

function tryPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
