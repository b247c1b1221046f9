/** One kind of server: how many processors, and what one request takes of them. */
export type Station = { processors: number; demandMs: number };

/** Erlang C: the probability that an arrival has to wait for one of `servers` that bear `erlangs` of load (A. K. Erlang, 1917). */
export function erlangC(servers: number, erlangs: number): number {
  let blocking = 1;
  for (let used = 1; used <= servers; used += 1) blocking = (erlangs * blocking) / (used + erlangs * blocking);
  const utilisation = erlangs / servers;
  return blocking / (1 - utilisation * (1 - blocking));
}

/**
 * Mean time in a station of M/G/c by Allen and Cunneen's approximation (Probability, Statistics, and Queueing Theory, 1990): the wait
 * of M/M/c times the mean of the squared coefficients of variation of arrivals (1) and service.
 */
export function meanResponseMs(serviceMs: number, servers: number, perMs: number, squaredVariation: number): number {
  const erlangs = perMs * serviceMs;
  const wait = (erlangC(servers, erlangs) * serviceMs) / (servers - erlangs);
  return serviceMs + (wait * (1 + squaredVariation)) / 2;
}

/** Requests per second that the busiest station allows: the bottleneck analysis of Denning and Buzen (1978). */
export const maxPerSecond = (stations: readonly Station[]): number =>
  Math.min(...stations.map(({ processors, demandMs }) => (processors * 1_000) / demandMs));
