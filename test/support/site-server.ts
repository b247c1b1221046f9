import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export type Route =
  | string
  | Buffer
  | { status?: number; headers?: Record<string, string>; body?: string | Buffer }
  | ((request: IncomingMessage, response: ServerResponse) => unknown);

export type Site = {
  /** Without a trailing slash. */
  url: string;
  /** Requests per path (without query), unknown paths too. */
  hits: Map<string, number>;
  close(): Promise<void>;
};

const typeOfText = (text: string) =>
  text.trimStart().startsWith('<') ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8';

/** A web site on 127.0.0.1 that answers each path (with its query, else without) by its route and all others with 404. */
export async function startSite(routes: Record<string, Route>): Promise<Site> {
  const hits = new Map<string, number>();
  const server = createServer((request, response) => {
    const target = request.url ?? '/';
    const path = target.split('?', 1).join();
    hits.set(path, (hits.get(path) ?? 0) + 1);
    const route = routes[target] ?? routes[path];
    if (typeof route === 'function') return void route(request, response);
    if (route === undefined) return response.writeHead(404).end('not found');
    const {
      status = 200,
      headers = {},
      body = '',
    } = typeof route === 'string' || Buffer.isBuffer(route) ? { body: route } : route;
    if (typeof body === 'string') response.setHeader('content-type', typeOfText(body));
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the site server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    hits,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}
