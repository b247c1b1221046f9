import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createPace, type Pace } from '../../../scrapers/politeness/pace.ts';
import { createLeasedPace } from '../../../scrapers/politeness/pace-leased.ts';

/** A pace that counts what it is asked, at a time that only the test moves. */
function setUp() {
  const time = { now: 0 };
  const asked = { reserveSlot: 0, acquire: 0, release: 0 };
  const shared = createPace(() => time.now);
  const counted: Pace = {
    ...shared,
    reserveSlot: (...args) => ((asked.reserveSlot += 1), shared.reserveSlot(...args)),
    acquire: (host) => ((asked.acquire += 1), shared.acquire(host)),
    release: (host, permit) => ((asked.release += 1), shared.release(host, permit)),
  };
  return { time, asked, shared, pace: createLeasedPace(counted, () => time.now) };
}

describe('slots of a fast crawl', () => {
  test('those of a second are reserved with one question, and come evenly spread', async () => {
    const { pace, asked } = setUp();
    const waits = await Promise.all(Array.from({ length: 8 }, () => pace.reserveSlot('a.example', 100, 1)));
    expect(waits.toSorted((a, b) => a - b)).toEqual([0, 100, 200, 300, 400, 500, 600, 700]);
    expect(asked.reserveSlot).toBe(1);
  });

  test('no slot is given that others may have', async () => {
    const { pace, shared } = setUp();
    for (let slot = 0; slot < 10; slot += 1) await pace.reserveSlot('a.example', 100, 1);
    expect(await shared.reserveSlot('a.example', 100, 1)).toBe(1_000);
    expect(await pace.reserveSlot('a.example', 100, 1)).toBe(1_100);
  });

  test('a pause is followed by no rush', async () => {
    const { pace, time } = setUp();
    await pace.reserveSlot('a.example', 100, 1);
    time.now = 550;
    expect(await pace.reserveSlot('a.example', 100, 1)).toBe(0);
    expect(await pace.reserveSlot('a.example', 100, 1)).toBe(100);
  });

  test('a host that wants to be left alone is, whatever was reserved before', async () => {
    const { pace } = setUp();
    await pace.reserveSlot('a.example', 100, 1);
    await pace.backOff('a.example', 30_000);
    expect(await pace.reserveSlot('a.example', 100, 1)).toBe(30_000);
  });

  test('a slow crawl reserves each slot when it needs it', async () => {
    const { pace, asked } = setUp();
    expect([await pace.reserveSlot('a.example', 1_000, 1), await pace.reserveSlot('a.example', 1_000, 1)]).toEqual([
      0, 1_000,
    ]);
    expect(asked.reserveSlot).toBe(2);
  });
});

describe('permits of a host', () => {
  test('one is kept from page to page, no longer than a second', async () => {
    const { pace, asked, time } = setUp();
    for (let page = 0; page < 20; page += 1) {
      const permit = await pace.acquire('a.example');
      time.now += 10;
      await pace.release('a.example', permit ?? '');
    }
    expect(asked).toMatchObject({ acquire: 1, release: 0 });
    time.now += 1_000;
    await pace.acquire('a.example');
    expect(asked).toMatchObject({ acquire: 2, release: 1 });
  });

  test('one that nobody needs any more is free for others soon', async () => {
    const { pace, shared, time, asked } = setUp();
    const permits = await Promise.all(Array.from({ length: 8 }, () => pace.acquire('a.example')));
    expect(await shared.acquire('a.example')).toBeUndefined();
    for (const permit of permits) await pace.release('a.example', permit ?? '');
    time.now += 100;
    for (let tries = 0; tries < 100 && asked.release < 8; tries += 1) await delay(10);
    expect(await shared.acquire('a.example')).toBeDefined();
  });

  test('a ninth request gets none', async () => {
    const { pace } = setUp();
    const permits = await Promise.all(Array.from({ length: 9 }, () => pace.acquire('a.example')));
    expect(permits.filter((permit) => permit !== undefined)).toHaveLength(8);
  });
});
