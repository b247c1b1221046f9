import { afterEach, describe, expect, test } from 'vitest';
import { createGuardedFetch } from '../../../shared/adapters/fetch.ts';
import { createRobots, parseRobots, RobotsUnreadable } from '../../../scrapers/politeness/robots.ts';
import { startSite, type Route, type Site } from '../../support/site-server.ts';
import { scaled } from '../../support/machine.ts';

const rules = (text: string) => parseRobots('https://example.com/robots.txt', text);

describe('parseRobots', () => {
  test('our own group wins over the one for everybody', () => {
    const { allows, crawlDelayMs } = rules(
      'User-agent: *\nDisallow: /\n\nUser-agent: quaysidebot\nDisallow: /private\nCrawl-delay: 2.5',
    );
    expect(allows('https://example.com/boats')).toBe(true);
    expect(allows('https://example.com/private/x')).toBe(false);
    expect(crawlDelayMs).toBe(2_500);
  });

  test('the longest rule wins, wildcards and ends count', () => {
    const { allows } = rules('User-agent: *\nDisallow: /boats\nAllow: /boats/for-sale\nDisallow: /*.pdf$');
    expect(allows('https://example.com/boats/for-sale/1')).toBe(true);
    expect(allows('https://example.com/boats/rent')).toBe(false);
    expect(allows('https://example.com/a.pdf')).toBe(false);
    expect(allows('https://example.com/a.pdf?x=1')).toBe(true);
  });

  test('a byte order mark, comments and nonsense change nothing', () => {
    const { allows, crawlDelayMs } = rules('\uFEFFUser-agent: * # all\nnonsense\nDisallow: /x # no\nCrawl-delay: soon');
    expect(allows('https://example.com/x')).toBe(false);
    expect(allows('https://example.com/y')).toBe(true);
    expect(crawlDelayMs).toBeUndefined();
  });

  test('a delay of days is taken as an hour', () => {
    expect(rules('User-agent: *\nCrawl-delay: 86400').crawlDelayMs).toBe(3_600_000);
  });
});

describe('createRobots', () => {
  const open: Site[] = [];
  afterEach(async () => {
    for (const site of open.splice(0)) await site.close();
  });

  async function ask(robots: Route, times = 1) {
    const site = await startSite({ '/robots.txt': robots, '/rules.txt': 'User-agent: *\nDisallow: /x' });
    open.push(site);
    const stored = new Map<string, string>();
    const fetch = createGuardedFetch({ allow: [new URL(site.url).host], userAgent: 'test' });
    const asked = createRobots(fetch.fetch, {
      read: async (host) => stored.get(host),
      write: async (host, text) => void stored.set(host, text),
    });
    try {
      for (let i = 1; i < times; i += 1) await asked.rulesFor(`${site.url}/boats`, AbortSignal.timeout(scaled(5_000)));
      return { site, stored, rules: await asked.rulesFor(`${site.url}/boats`, AbortSignal.timeout(scaled(5_000))) };
    } finally {
      await fetch.close();
    }
  }

  test('is fetched once and kept', async () => {
    const { site, stored } = await ask('User-agent: *\nDisallow: /x', 3);
    expect(site.hits.get('/robots.txt')).toBe(1);
    expect([...stored.values()]).toEqual(['User-agent: *\nDisallow: /x']);
  });

  test.each([404, 403, 401])('%i means that there is none: everything is allowed', async (status) => {
    const { rules: answered, site } = await ask({ status });
    expect(answered.allows(`${site.url}/boats`)).toBe(true);
  });

  test.each([500, 503, 429])('%i means that nobody knows: nothing is allowed, and nothing is kept', async (status) => {
    await expect(ask({ status })).rejects.toThrow(RobotsUnreadable);
  });

  test('redirects are followed', async () => {
    const { rules: answered, site } = await ask({ status: 302, headers: { location: '/rules.txt' } });
    expect(answered.allows(`${site.url}/x`)).toBe(false);
  });

  test('a file without an end is no robots.txt', async () => {
    const { rules: answered, site } = await ask({ body: Buffer.alloc(2_000_000, 'Disallow: /\n') });
    expect(answered.allows(`${site.url}/boats`)).toBe(true);
  });
});
