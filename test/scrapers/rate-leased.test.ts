import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createPace, type Pace } from '../../scrapers/rate.ts';
import { createLeasedPace } from '../../scrapers/rate-leased.ts';

/** A pace that counts what it is asked, at a time that only the test moves. */
function setUp() {
  const time = { now: 0 };
  const asked = { takeTurn: 0, enter: 0, leave: 0 };
  const shared = createPace(() => time.now);
  const counted: Pace = {
    ...shared,
    takeTurn: (...args) => ((asked.takeTurn += 1), shared.takeTurn(...args)),
    enter: (host) => ((asked.enter += 1), shared.enter(host)),
    leave: (host, visit) => ((asked.leave += 1), shared.leave(host, visit)),
  };
  return { time, asked, shared, pace: createLeasedPace(counted, () => time.now) };
}

describe('turns of a fast crawl', () => {
  test('those of a second are taken with one question, and come evenly spread', async () => {
    const { pace, asked } = setUp();
    const waits = await Promise.all(Array.from({ length: 8 }, () => pace.takeTurn('a.example', 100)));
    expect(waits.toSorted((a, b) => a - b)).toEqual([0, 100, 200, 300, 400, 500, 600, 700]);
    expect(asked.takeTurn).toBe(1);
  });

  test('no turn is given that others may have', async () => {
    const { pace, shared } = setUp();
    for (let turn = 0; turn < 10; turn += 1) await pace.takeTurn('a.example', 100);
    expect(await shared.takeTurn('a.example', 100)).toBe(1_000);
    expect(await pace.takeTurn('a.example', 100)).toBe(1_100);
  });

  test('a pause is followed by no rush', async () => {
    const { pace, time } = setUp();
    await pace.takeTurn('a.example', 100);
    time.now = 550;
    expect(await pace.takeTurn('a.example', 100)).toBe(0);
    expect(await pace.takeTurn('a.example', 100)).toBe(100);
  });

  test('a host that wants to be left alone is, whatever was taken before', async () => {
    const { pace } = setUp();
    await pace.takeTurn('a.example', 100);
    await pace.rest('a.example', 30_000);
    expect(await pace.takeTurn('a.example', 100)).toBe(30_000);
  });

  test('a slow crawl takes each turn when it needs it', async () => {
    const { pace, asked } = setUp();
    expect([await pace.takeTurn('a.example', 1_000), await pace.takeTurn('a.example', 1_000)]).toEqual([0, 1_000]);
    expect(asked.takeTurn).toBe(2);
  });
});

describe('places at a host', () => {
  test('one is kept from page to page, no longer than a second', async () => {
    const { pace, asked, time } = setUp();
    for (let page = 0; page < 20; page += 1) {
      const visit = await pace.enter('a.example');
      time.now += 10;
      await pace.leave('a.example', visit ?? '');
    }
    expect(asked).toMatchObject({ enter: 1, leave: 0 });
    time.now += 1_000;
    await pace.enter('a.example');
    expect(asked).toMatchObject({ enter: 2, leave: 1 });
  });

  test('one that nobody needs any more is free for others soon', async () => {
    const { pace, shared, time, asked } = setUp();
    const visits = await Promise.all(Array.from({ length: 8 }, () => pace.enter('a.example')));
    expect(await shared.enter('a.example')).toBeUndefined();
    for (const visit of visits) await pace.leave('a.example', visit ?? '');
    time.now += 100;
    for (let tries = 0; tries < 100 && asked.leave < 8; tries += 1) await delay(10);
    expect(await shared.enter('a.example')).toBeDefined();
  });

  test('a ninth visit gets no place', async () => {
    const { pace } = setUp();
    const visits = await Promise.all(Array.from({ length: 9 }, () => pace.enter('a.example')));
    expect(visits.filter((visit) => visit !== undefined)).toHaveLength(8);
  });
});
