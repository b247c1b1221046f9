import { expect, test } from 'vitest';
import { readConfig } from '../../../shared/kit/config.ts';

test('CRAWL_PROXY_URLS is a comma list of HTTP proxies', () => {
  const CRAWL_PROXY_URLS = 'http://user:p%2Css@proxy.example.com:3128, https://[2001:db8::1]:8443';
  expect(readConfig({ CRAWL_PROXY_URLS }).crawlProxyUrls).toEqual(CRAWL_PROXY_URLS.split(', '));
  expect(readConfig({}).crawlProxyUrls).toEqual([]);
});

test.each([
  'proxy.example.com:3128',
  'socks5://user:hush@proxy.example.com',
  'http://user:hush@proxy.example.com/path',
  'http://user:hush@proxy.example.com?x=1',
  'http://user:hush%@proxy.example.com',
  'http://user:hush@ok.example.com,nonsense',
])('%s ends the start, with a line that keeps its password to itself', (CRAWL_PROXY_URLS) => {
  const read = () => readConfig({ CRAWL_PROXY_URLS });
  expect(read).toThrow(/^CRAWL_PROXY_URLS: must be http\(s\):\/\/\[user:password@\]host\[:port\], comma-separated$/);
  expect(read).not.toThrow(/hush/);
});
