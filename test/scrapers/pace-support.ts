import type { IncomingMessage, ServerResponse } from 'node:http';
import { startSite, type Route, type Site } from '../support/site-server.ts';

/** One request as it reached the site: milliseconds of a monotonic clock. */
export type Arrival = { path: string; at: number };
export type WatchedSite = Site & { arrivals: Arrival[] };

/** A site that notes when each request reaches it. */
export async function startWatchedSite(routes: Record<string, Route>): Promise<WatchedSite> {
  const arrivals: Arrival[] = [];
  const watched = Object.entries(routes).map(([path, route]): [string, Route] => [
    path,
    (request: IncomingMessage, response: ServerResponse) => {
      arrivals.push({ path, at: performance.now() });
      if (typeof route === 'function') return route(request, response);
      const answer = typeof route === 'string' || Buffer.isBuffer(route) ? { body: route } : route;
      const { status = 200, headers = {}, body = '' } = answer;
      const type = path === '/robots.txt' ? 'text/plain' : 'text/html; charset=utf-8';
      response.writeHead(status, { 'content-type': type, ...headers }).end(body);
    },
  ]);
  return Object.assign(await startSite(Object.fromEntries(watched)), { arrivals });
}

/** A request that goes out on time is noted when a busy machine comes to it. */
const JITTER_MS = 900;

/**
 * The windows, from any request to any later one, into which more requests fell than the intervals between them allow:
 * empty for a site that was asked at its pace. The interval is that between a request and the one before it.
 */
export function tooFast(
  arrivals: readonly Arrival[],
  intervalMs: (before: Arrival, after: Arrival) => number,
): string[] {
  const due = arrivals.slice(1).map((after, index) => intervalMs(arrivals[index]!, after));
  return arrivals.flatMap((from, i) =>
    arrivals.slice(i + 1).flatMap((to, further) => {
      const wanted = due.slice(i, i + further + 1).reduce((sum, each) => sum + each, 0);
      const took = to.at - from.at;
      return took >= wanted - JITTER_MS ? [] : [`${from.path} to ${to.path} in ${took} ms, not ${wanted}`];
    }),
  );
}
