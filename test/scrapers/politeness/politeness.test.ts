import { describe, expect, test } from 'vitest';
import type { FetchedResponse } from '../../../shared/adapters/fetch.ts';
import { retryAfterMs, createPoliteness } from '../../../scrapers/politeness/politeness.ts';
import { createPace } from '../../../scrapers/politeness/pace.ts';
import { createFakeTime } from '../crawl/support.ts';

const URL_ASKED = 'https://a.example/boats';
const { signal } = new AbortController();

/** A host whose robots.txt answers this; every request is noted with its time. */
function setUp(robots: { status?: number; headers?: FetchedResponse['headers']; text?: string }, intervalMs = 1_000) {
  const time = createFakeTime();
  const startedAt = time.now();
  const sent: [what: string, at: number][] = [];
  const texts = new Map<string, string>();
  const pace = createPace(time.now);
  const { status = 200, headers = {}, text = '' } = robots;
  const politeness = createPoliteness({
    pace,
    intervalMs,
    ...time,
    robots: { read: async (host) => texts.get(host), write: async (host, value) => void texts.set(host, value) },
    fetch: {
      async fetch(url) {
        sent.push(['robots.txt', time.now() - startedAt]);
        return { url, status, headers, body: Buffer.from(text) };
      },
    },
  });
  const ask = () =>
    politeness.request(URL_ASKED, signal, async () => {
      sent.push(['page', time.now() - startedAt]);
    });
  return { ask, politeness, pace, time, sent };
}

test('a slot is never in the past, even when the clock moves while it is reserved', async () => {
  let time = 0;
  const pace = createPace(() => (time += 1));
  expect(await pace.reserveSlot('a.example', 5, 200)).toBe(0);
});

describe('what is asked of a host', () => {
  test('robots.txt takes a slot too, and the Crawl-delay it names holds from there on', async () => {
    const { ask, sent } = setUp({ text: 'User-agent: *\nCrawl-delay: 4' });
    await ask();
    await ask();
    expect(sent).toEqual([
      ['robots.txt', 0],
      ['page', 4_000],
      ['page', 8_000],
    ]);
  });

  test('a robots.txt that cannot be read is asked for again at the pace of pages, and after its Retry-After', async () => {
    const { ask, sent } = setUp({ status: 503, headers: { 'retry-after': '30' } });
    for (let tries = 0; tries < 2; tries += 1)
      expect(await ask()).toMatchObject({ kind: 'failed', message: expect.stringContaining('503'), retry: true });
    expect(sent).toEqual([
      ['robots.txt', 0],
      ['robots.txt', 30_000],
    ]);
  });

  test('a page whose slot was reserved before its host asked to be left alone waits like the others', async () => {
    const { ask, pace, time, sent } = setUp({});
    await ask();
    const reserved = await pace.reserveSlot('a.example', 1_000, 1);
    await pace.backOff('a.example', 60_000);
    await time.sleep(reserved, signal);
    await ask();
    expect(sent.at(-1)).toEqual(['page', 61_000]);
  });

  test('a process that was held up sends what it has missed spread out', async () => {
    const { ask, sent, politeness, pace, time } = setUp({}, 100);
    expect(await politeness.allows(URL_ASKED, signal)).toBe(true);
    await ask();
    // All three slots are long past when their pages come to it.
    const late = { ...pace, reserveSlot: async () => 0 };
    const held = createPoliteness({ ...time, pace: late, robots: undefined, intervalMs: 100, fetch: null as never });
    const from = time.now();
    const times: number[] = [];
    for (let page = 0; page < 3; page += 1)
      await held.request(URL_ASKED, signal, async () => void times.push(time.now() - from));
    expect(times).toEqual([0, 90, 180]);
    expect(sent).toHaveLength(2);
  });

  test('a slot that a busy machine has missed by more than a second is lost, and another one is waited for', async () => {
    const { ask, sent, time, pace } = setUp({}, 3_000);
    await ask();
    const others = await pace.reserveSlot('a.example', 3_000, 1);
    let isHeldUp = true;
    const acquire = async (host: string) => {
      if (isHeldUp) await time.sleep(1_500, signal);
      isHeldUp = false;
      return pace.acquire(host);
    };
    const from = time.now();
    const late = { ...pace, acquire };
    const held = createPoliteness({ ...time, pace: late, robots: undefined, intervalMs: 3_000, fetch: null as never });
    let sentAt = 0;
    await held.request(URL_ASKED, signal, async () => void (sentAt = time.now() - from));
    expect([others, sentAt, sent.length]).toEqual([3_000, 9_000, 2]);
  });

  test('a slot that is hours away is not waited for, and the crawl is told that it is pointless', async () => {
    const { ask, pace } = setUp({});
    await pace.backOff('a.example', 7_200_000);
    expect(await ask()).toEqual({
      kind: 'failed',
      message: 'The site wants to be left alone for another 120 minutes.',
      retry: false,
      fatal: true,
    });
  });
});

test.each([
  ['120', 120_000],
  [' 7 ', 7_000],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 60_000],
  ['9'.repeat(400), 86_400_000],
  ['99999999999999', 86_400_000],
  ['soon', undefined],
  [undefined, undefined],
])('Retry-After %s is %s ms, and no more than a day', (value, expected) => {
  expect(retryAfterMs(value, 0)).toBe(expected);
});
