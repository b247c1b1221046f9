import type { Pace } from './pace.ts';

/** How far ahead slots are leased at once: a crawl slower than its pace wastes no more than that. */
const LEASE_MS = 1_000;
/** A permit is kept so long for the next page, and released when none comes. */
const MAX_IDLE_MS = 100;
/** A permit is released after so long also when there is no end of pages: others may be waiting for it. */
const MAX_HELD_MS = 1_000;

type Slots = { intervalMs: number; nextAt: number; lastAt: number };
type HeldPermit = { permit: string; acquiredAt: number; idleAt: number };

/** How many slots a crawl at this pace leases at once, at least one: as many questions are worth asking at once. */
export const slotsPerLease = (intervalMs: number): number => Math.max(1, Math.floor(LEASE_MS / intervalMs));

/**
 * The same pace with far fewer questions to it: a fast crawl leases the slots of a second at once, and keeps its permits at a
 * host from page to page. Slots that went by unused are gone, so that a pause is followed by no rush.
 */
export function createLeasedPace(pace: Pace, now: () => number): Pace {
  const leased = new Map<string, Slots>();
  const leasing = new Map<string, Promise<void>>();
  const backOffUntil = new Map<string, number>();
  const idle = new Map<string, HeldPermit[]>();
  const acquiredAt = new Map<string, number>();

  async function lease(host: string, intervalMs: number): Promise<void> {
    const before = backOffUntil.get(host);
    const count = slotsPerLease(intervalMs);
    const at = now() + (await pace.reserveSlot(host, intervalMs, count));
    // A host that wanted to be left alone meanwhile did not mean these slots.
    if (backOffUntil.get(host) === before)
      leased.set(host, { intervalMs, nextAt: at, lastAt: at + (count - 1) * intervalMs });
  }

  const isHeldTooLong = (held: HeldPermit) => now() - held.acquiredAt >= MAX_HELD_MS;

  async function giveBack(host: string, { permit }: HeldPermit): Promise<void> {
    acquiredAt.delete(permit);
    await pace.release(host, permit);
  }

  function sweep(host: string): void {
    const held = idle.get(host) ?? [];
    const isOver = (each: HeldPermit) => now() - each.idleAt >= MAX_IDLE_MS || isHeldTooLong(each);
    // A permit that cannot be released lapses by itself.
    for (const each of held.filter(isOver)) void giveBack(host, each).catch(() => undefined);
    const staying = held.filter((each) => !isOver(each));
    if (staying.length === 0) idle.delete(host);
    else {
      idle.set(host, staying);
      setTimeout(sweep, MAX_IDLE_MS, host).unref();
    }
  }

  return {
    async reserveSlot(host, intervalMs, count) {
      if (slotsPerLease(intervalMs) <= count) return pace.reserveSlot(host, intervalMs, count);
      for (;;) {
        const slots = leased.get(host);
        const at = Math.max(now(), slots?.nextAt ?? 0);
        if (slots?.intervalMs === intervalMs && at + (count - 1) * intervalMs <= slots.lastAt) {
          slots.nextAt = at + count * intervalMs;
          return Math.max(0, at - now());
        }
        const leaseUnderWay = leasing.get(host) ?? lease(host, intervalMs).finally(() => leasing.delete(host));
        leasing.set(host, leaseUnderWay);
        await leaseUnderWay;
      }
    },
    async backOff(host, milliseconds) {
      leased.delete(host);
      backOffUntil.set(host, Math.max(backOffUntil.get(host) ?? 0, now() + milliseconds));
      await pace.backOff(host, milliseconds);
    },
    async acquire(host) {
      if (now() < (backOffUntil.get(host) ?? 0)) return undefined;
      // The permit released last is taken first, so that those too many grow idle.
      const held = idle.get(host)?.pop();
      if (held && !isHeldTooLong(held)) return held.permit;
      if (held) await giveBack(host, held);
      const permit = await pace.acquire(host);
      if (permit !== undefined) acquiredAt.set(permit, now());
      return permit;
    },
    async release(host, permit) {
      const held = { permit, acquiredAt: acquiredAt.get(permit) ?? now(), idleAt: now() };
      const others = idle.get(host);
      if (isHeldTooLong(held)) await giveBack(host, held);
      else if (others) others.push(held);
      else {
        idle.set(host, [held]);
        setTimeout(sweep, MAX_IDLE_MS, host).unref();
      }
    },
  };
}
