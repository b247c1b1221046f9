import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Does its worst between two statements; the connection is cut when it resolves. */
export type Strike = () => Promise<unknown>;

export type FaultProxy = {
  /** DATABASE_URL for whoever is to meet faults. */
  url: string;
  /**
   * From now on the statements of all connections named `quayside-api` are counted. Instead of passing on the nth, or its
   * answer with `after`, the proxy strikes and cuts the connection.
   */
  arm(nth: number, how?: { strike?: Strike; after?: boolean }): void;
  /** Ends the counting: how many statements there were, and whether the fault came. */
  disarm(): { statements: number; struck: boolean };
  close(): Promise<void>;
};

type Fault = { nth: number; strike: Strike; after: boolean; statements: number; struck: boolean };

const nothing: Strike = async () => undefined;

/** A proxy in front of PostgreSQL that reads its protocol, so that faults come between two statements of one's choice. */
export async function startFaultProxy(databaseUrl: string): Promise<FaultProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let fault: Fault | undefined;

  const server = createServer((client) => {
    const backend = connect({ host: target.hostname, port: Number(target.port) });
    const cut = () => {
      for (const socket of [client, backend]) {
        sockets.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [client, backend]) {
      sockets.add(socket);
      // Messages are passed on one by one: none waits until the one before it is acknowledged.
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', cut);
    }
    const strike = async (struck: Fault) => {
      struck.struck = true;
      await struck.strike();
      cut();
    };
    let isCounted = false;
    /** The fault that waits for the answer on this connection. */
    let awaited: Fault | undefined;

    readMessages(client, { hasStartup: true }, (message, type) => {
      if (type === undefined) isCounted = message.includes('application_name\0quayside-api\0');
      // A simple query, or the end of an extended one.
      if (isCounted && fault && !fault.struck && (type === 'Q' || type === 'S')) {
        fault.statements += 1;
        if (fault.statements === fault.nth && !fault.after) {
          void strike(fault);
          return;
        }
        if (fault.statements === fault.nth) awaited = fault;
      }
      backend.write(message);
    });
    readMessages(backend, { hasStartup: false }, (message, type) => {
      if (!awaited) client.write(message);
      else if (type === 'Z' && !awaited.struck) void strike(awaited);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    arm(nth, { strike = nothing, after = false } = {}) {
      fault = { nth, strike, after, statements: 0, struck: false };
    },
    disarm() {
      const { statements = 0, struck = false } = fault ?? {};
      fault = undefined;
      return { statements, struck };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Tells of every message of PostgreSQL's protocol once it is whole; the first one of a client has no type. */
function readMessages(
  socket: Socket,
  { hasStartup }: { hasStartup: boolean },
  tell: (message: Buffer, type: string | undefined) => void,
): void {
  let isStarting = hasStartup;
  let held = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    for (;;) {
      const typeBytes = isStarting ? 0 : 1;
      if (held.length < typeBytes + 4) return;
      const length = typeBytes + held.readInt32BE(typeBytes);
      if (held.length < length) return;
      const message = held.subarray(0, length);
      held = held.subarray(length);
      tell(message, isStarting ? undefined : String.fromCodePoint(message[0] ?? 0));
      isStarting = false;
    }
  });
}
