import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSharedPace, createSharedRobots } from '../../scrapers/rate-shared.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let time = Date.UTC(2026, 0, 1);
const clock = { now: () => new Date(time) };

beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

describe('the pace that processes share', () => {
  test('gives every visitor of a host another turn, evenly spread, and no turn twice', async () => {
    const [one, other] = [createSharedPace(database.pool, clock), createSharedPace(database.pool, clock)];
    const waits = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? one : other).takeTurn('a.example', 500)),
    );
    expect(waits.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i * 500));
  });

  test('hosts do not wait for each other, and turns that were not taken are not saved up', async () => {
    const pace = createSharedPace(database.pool, clock);
    expect(await pace.takeTurn('b.example', 1_000)).toBe(0);
    expect(await pace.takeTurn('c.example', 1_000)).toBe(0);
    time += 60_000;
    expect(await pace.takeTurn('b.example', 1_000)).toBe(0);
    expect(await pace.takeTurn('b.example', 1_000)).toBe(1_000);
  });

  test('a host that wants to be left alone is left alone by all, until it is over', async () => {
    const [one, other] = [createSharedPace(database.pool, clock), createSharedPace(database.pool, clock)];
    await one.rest('d.example', 30_000);
    await one.rest('d.example', 5_000);
    expect(await other.takeTurn('d.example', 100)).toBe(30_000);
    expect(await one.takeTurn('d.example', 100)).toBe(30_100);
    time += 60_000;
    expect(await other.takeTurn('d.example', 100)).toBe(0);
  });
});

describe('visits that processes share', () => {
  test('eight at a host at most, whoever comes; one that ends or lapses makes room', async () => {
    const [one, other] = [createSharedPace(database.pool, clock), createSharedPace(database.pool, clock)];
    const visits = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? one : other).enter('f.example')));
    const [first, ...others] = visits.filter((visit) => visit !== undefined);
    expect(others).toHaveLength(7);
    expect(await one.enter('g.example')).toBeDefined();
    await one.leave('f.example', first ?? '');
    expect(await other.enter('f.example')).toBeDefined();
    expect(await one.enter('f.example')).toBeUndefined();
    time += 61_000;
    expect(await one.enter('f.example')).toBeDefined();
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
