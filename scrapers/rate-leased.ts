import type { Pace } from './rate.ts';

/** So much of the time ahead is taken at once at a host: a crawl that is slower than its pace wastes no more than that. */
const LEASE_MS = 1_000;
/** A place among the visitors of a host is kept so long for the next page, and given back when none comes. */
const IDLE_MS = 100;
/** A place is given back after so long also when there is no end of pages: others may be waiting for it. */
const LONGEST_STAY_MS = 1_000;

type Turns = { intervalMs: number; nextAt: number; lastAt: number };
type Place = { visit: string; enteredAt: number; leftAt: number };

/** How many pages a crawl at this pace asks for until its turns are taken anew: as many questions are worth asking at once. */
export const pagesPerLease = (intervalMs: number): number => Math.max(1, Math.floor(LEASE_MS / intervalMs));

/**
 * The same pace with far fewer questions to it: a fast crawl takes the turns of a second at once, and keeps its place at a host
 * from page to page. Turns that went by unused are gone, so that a pause is followed by no rush.
 */
export function createLeasedPace(pace: Pace, now: () => number): Pace {
  const turns = new Map<string, Turns>();
  const asking = new Map<string, Promise<void>>();
  const rests = new Map<string, number>();
  const places = new Map<string, Place[]>();
  const entered = new Map<string, number>();

  async function leaseTurns(host: string, intervalMs: number): Promise<void> {
    const restsBefore = rests.get(host);
    const count = pagesPerLease(intervalMs);
    const at = now() + (await pace.takeTurn(host, intervalMs, count));
    // A host that wanted to be left alone meanwhile did not mean these turns.
    if (rests.get(host) === restsBefore)
      turns.set(host, { intervalMs, nextAt: at, lastAt: at + (count - 1) * intervalMs });
  }

  async function leave(host: string, visit: string): Promise<void> {
    const place = { visit, enteredAt: entered.get(visit) ?? now(), leftAt: now() };
    const kept = places.get(host);
    if (isTooLong(place)) await giveBack(host, place);
    else if (kept) kept.push(place);
    else {
      places.set(host, [place]);
      setTimeout(sweep, IDLE_MS, host).unref();
    }
  }

  const isTooLong = ({ enteredAt }: Place) => now() - enteredAt >= LONGEST_STAY_MS;

  async function giveBack(host: string, { visit }: Place): Promise<void> {
    entered.delete(visit);
    await pace.leave(host, visit);
  }

  function sweep(host: string): void {
    const kept = places.get(host) ?? [];
    const isOver = (place: Place) => now() - place.leftAt >= IDLE_MS || isTooLong(place);
    // A place that cannot be given back lapses by itself.
    for (const place of kept.filter(isOver)) void giveBack(host, place).catch(() => undefined);
    const staying = kept.filter((place) => !isOver(place));
    if (staying.length === 0) places.delete(host);
    else {
      places.set(host, staying);
      setTimeout(sweep, IDLE_MS, host).unref();
    }
  }

  return {
    async takeTurn(host, intervalMs) {
      if (pagesPerLease(intervalMs) === 1) return pace.takeTurn(host, intervalMs);
      for (;;) {
        const held = turns.get(host);
        const at = Math.max(now(), held?.nextAt ?? 0);
        if (held?.intervalMs === intervalMs && at <= held.lastAt) {
          held.nextAt = at + intervalMs;
          return Math.max(0, at - now());
        }
        const lease = asking.get(host) ?? leaseTurns(host, intervalMs).finally(() => asking.delete(host));
        asking.set(host, lease);
        await lease;
      }
    },
    async rest(host, milliseconds) {
      turns.delete(host);
      rests.set(host, (rests.get(host) ?? 0) + 1);
      await pace.rest(host, milliseconds);
    },
    async enter(host) {
      // The place left last is taken first, so that those too many grow idle.
      const place = places.get(host)?.pop();
      if (place && !isTooLong(place)) return place.visit;
      if (place) await giveBack(host, place);
      const visit = await pace.enter(host);
      if (visit !== undefined) entered.set(visit, now());
      return visit;
    },
    leave,
  };
}
