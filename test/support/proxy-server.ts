import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export type ProxyServer = {
  /** `127.0.0.1:port`. */
  host: string;
  /** What it was asked to connect to, and by whom: the CONNECT targets and the credentials that came with them. */
  asked: { target: string; authorization: string | undefined }[];
  close(): Promise<void>;
};

/** An HTTP proxy on loopback that knows CONNECT alone; with `password`, for the user `crawler` only. */
export async function startProxy({ password }: { password?: string } = {}): Promise<ProxyServer> {
  const asked: ProxyServer['asked'] = [];
  const sockets = new Set<Socket>();
  const expected = password === undefined ? undefined : `Basic ${btoa(`crawler:${password}`)}`;
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, client: Socket) => {
    const target = request.url ?? '';
    const authorization = request.headers['proxy-authorization'];
    asked.push({ target, authorization });
    if (expected !== undefined && authorization !== expected)
      return client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
    const { hostname, port } = new URL(`http://${target}`);
    const upstream = connect(Number(port || 80), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    sockets.add(upstream);
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
