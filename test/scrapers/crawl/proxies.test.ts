import { afterEach, expect, test } from 'vitest';
import { startProxy, type ProxyServer } from '../../support/proxy-server.ts';
import { startSite, type Site } from '../../support/site-server.ts';
import { boatPage, crawlSite, listPage } from './support.ts';

const open: Pick<Site, 'close'>[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});
const opened = <T extends Pick<Site, 'close'>>(each: T): T => {
  open.push(each);
  return each;
};

const names = Array.from({ length: 12 }, (_, index) => `/boats/b${index}`);
const site = async () =>
  opened(
    await startSite({
      '/robots.txt': 'User-agent: *\nDisallow: /private',
      '/boats': listPage(names),
      ...Object.fromEntries(names.map((name) => [name, boatPage(`Boat ${name}`)])),
    }),
  );
const proxy = async (options?: Parameters<typeof startProxy>[0]) => opened(await startProxy(options));
const urlOf = ({ host }: ProxyServer, user = '') => `http://${user}${host}`;
/** Loopback as a whole: the site, and the proxies of the test. */
const through = (proxyUrls: string[]) => ({ settings: { proxyUrls }, allow: ['127.0.0.1'] });

test('a crawl goes through its proxies in turns, robots.txt and all, and by no other way', async () => {
  const { url, hits } = await site();
  const [one, other] = [await proxy({ password: 'hush' }), await proxy()];
  const { end, records } = await crawlSite(url, {}, through([urlOf(one, 'crawler:hush@'), urlOf(other)]));
  expect(end).toEqual({ outcome: 'finished' });
  expect(records).toHaveLength(names.length);
  expect(hits.get('/robots.txt')).toBe(1);
  for (const { asked } of [one, other]) expect(asked.length).toBeGreaterThan(0);
});

test('a proxy that fails costs its pages a try, and the others do its work', async () => {
  const { url } = await site();
  const [dead, alive] = [await proxy(), await proxy()];
  const proxyUrls = [urlOf(dead, 'crawler:hush@'), urlOf(alive)];
  await dead.close();
  open.splice(open.indexOf(dead), 1);
  const { end, records, errors } = await crawlSite(url, { respect_robots: false }, through(proxyUrls));
  expect(end).toEqual({ outcome: 'finished' });
  expect(records.length).toBeGreaterThan(names.length / 2);
  expect(JSON.stringify(errors)).not.toContain('hush');
});

test('the proxies of a scraper come before those of the service, and none of its own means none', async () => {
  const { url } = await site();
  const [ours, its] = [await proxy(), await proxy()];
  await crawlSite(url, { proxy_urls: [urlOf(its)] }, through([urlOf(ours)]));
  expect([ours.asked.length, its.asked.length > 0]).toEqual([0, true]);
  await crawlSite(url, { proxy_urls: [] }, through([urlOf(ours)]));
  expect(ours.asked).toEqual([]);
  await crawlSite(url, { proxy_urls: null }, through([urlOf(ours)]));
  expect(ours.asked.length).toBeGreaterThan(0);
});

test('a private address is refused as without a proxy, which hears nothing of it', async () => {
  const server = await proxy();
  const { url } = opened(
    await startSite({
      '/boats': listPage(['/boats/trap', '/boats/one']),
      '/boats/trap': { status: 302, headers: { location: 'http://169.254.169.254/boats/meta' } },
      '/boats/one': boatPage('Bavaria 37'),
    }),
  );
  const { counts } = await crawlSite(url, { site: '169.254.169.254' }, through([urlOf(server)]));
  expect(counts).toMatchObject({ pages_fetched: 2, pages_failed: 1 });
  expect(server.asked.filter(({ target }) => target.startsWith('169.254'))).toEqual([]);
});
