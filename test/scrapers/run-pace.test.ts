import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSharedPace, createSharedRobots } from '../../scrapers/politeness/pace-shared.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let time = Date.UTC(2026, 0, 1);
const clock = { now: () => new Date(time) };

beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

describe('the pace that processes share', () => {
  test('gives every visitor of a host another slot, evenly spread, and no slot twice', async () => {
    const [one, other] = [createSharedPace(database.pool, clock), createSharedPace(database.pool, clock)];
    const waits = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? one : other).reserveSlot('a.example', 500, 1)),
    );
    expect(waits.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i * 500));
  });

  test('hosts do not wait for each other, and slots that nobody reserved are not saved up', async () => {
    const pace = createSharedPace(database.pool, clock);
    expect(await pace.reserveSlot('b.example', 1_000, 1)).toBe(0);
    expect(await pace.reserveSlot('c.example', 1_000, 1)).toBe(0);
    time += 60_000;
    expect(await pace.reserveSlot('b.example', 1_000, 1)).toBe(0);
    expect(await pace.reserveSlot('b.example', 1_000, 1)).toBe(1_000);
  });

  test('a host that wants to be left alone is left alone by all, until it is over', async () => {
    const [one, other] = [createSharedPace(database.pool, clock), createSharedPace(database.pool, clock)];
    await one.backOff('d.example', 30_000);
    await one.backOff('d.example', 5_000);
    expect(await other.reserveSlot('d.example', 100, 1)).toBe(30_000);
    expect(await one.reserveSlot('d.example', 100, 1)).toBe(30_100);
    expect(await other.acquire('d.example')).toBeUndefined();
    time += 60_000;
    expect(await other.reserveSlot('d.example', 100, 1)).toBe(0);
    expect(await other.acquire('d.example')).toBeDefined();
  });

  test('a slow visitor keeps its interval to the slots of a fast one, before and after', async () => {
    const [slow, fast] = [createSharedPace(database.pool, clock), createSharedPace(database.pool, clock)];
    expect(await fast.reserveSlot('h.example', 100, 10)).toBe(0);
    expect(await slow.reserveSlot('h.example', 5_000, 1)).toBe(5_900);
    expect(await fast.reserveSlot('h.example', 100, 10)).toBe(10_900);
    expect(await slow.reserveSlot('h.example', 5_000, 1)).toBe(16_800);
    expect(await slow.reserveSlot('h.example', 5_000, 1)).toBe(21_800);
  });

  test('an interval need not be a whole number of milliseconds', async () => {
    const pace = createSharedPace(database.pool, clock);
    await pace.reserveSlot('i.example', 60_000 / 7, 1);
    expect(await pace.reserveSlot('i.example', 60_000 / 7, 1)).toBe(8_571);
  });
});

describe('permits that processes share', () => {
  test('eight at a host at most, whoever comes; one that ends or lapses makes room', async () => {
    const [one, other] = [createSharedPace(database.pool, clock), createSharedPace(database.pool, clock)];
    const permits = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? one : other).acquire('f.example')));
    const [first, ...others] = permits.filter((permit) => permit !== undefined);
    expect(others).toHaveLength(7);
    expect(await one.acquire('g.example')).toBeDefined();
    await one.release('f.example', first ?? '');
    expect(await other.acquire('f.example')).toBeDefined();
    expect(await one.acquire('f.example')).toBeUndefined();
    time += 61_000;
    expect(await one.acquire('f.example')).toBeDefined();
  });
});

test('robots.txt is kept for a day', async () => {
  const robots = createSharedRobots(database.pool, clock);
  expect(await robots.read('e.example')).toBeUndefined();
  await robots.write('e.example', 'User-agent: *\0\nDisallow: /x');
  expect(await robots.read('e.example')).toBe('User-agent: *\nDisallow: /x');
  time += 86_400_001;
  expect(await robots.read('e.example')).toBeUndefined();
  await robots.write('e.example', '');
  expect(await robots.read('e.example')).toBe('');
});
