import { startProcess } from '../../support/processes.ts';
import { until } from '../run-support.ts';

/** What a site answers at each path. */
export type Answers = Record<string, { status?: number; headers?: Record<string, string>; body?: string }>;
/** One request as it reached the site: milliseconds of the site's own monotonic clock. */
export type Arrival = { path: string; at: number };
export type WatchedSite = { url: string; arrivals(): Promise<Arrival[]> };

/** A site in a process of its own, that notes when each request reaches it; it ends with the test. */
export async function startWatchedSite(answers: Answers): Promise<WatchedSite> {
  const { output } = startProcess('test/scrapers/fixtures/watched-site.ts', {}, undefined, [JSON.stringify(answers)]);
  const said = await until(
    async () => output(),
    (text) => text.includes('\n'),
  );
  const url = said.trim();
  return { url, arrivals: async () => (await (await fetch(`${url}/arrivals`)).json()) as Arrival[] };
}

/** A request that goes out on time is on its way for longer on a busy machine. */
const JITTER_MS = 2_500;

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
      const took = Math.round(to.at - from.at);
      return took >= wanted - JITTER_MS ? [] : [`${from.path} to ${to.path} in ${took} ms, not ${wanted}`];
    }),
  );
}
