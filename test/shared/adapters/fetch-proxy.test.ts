import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createGuardedFetch } from '../../../shared/adapters/fetch.ts';
import { startProxy, type ProxyServer } from '../../support/proxy-server.ts';
import { startSite, type Site } from '../../support/site-server.ts';

const open: Pick<Site, 'close'>[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});
const opened = <T extends Pick<Site, 'close'>>(each: T): T => {
  open.push(each);
  return each;
};

const site = async () => opened(await startSite({ '/': '<p>hello' }));
const proxy = async (options?: Parameters<typeof startProxy>[0]) => opened(await startProxy(options));
const lookup =
  (address: string): LookupFunction =>
  (_host, options, callback) =>
    options.all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);

/** A fetch that may reach what `allow` names, and proxies on loopback. */
function fetchThrough(allow: string[], { host }: ProxyServer, options: { user?: string; address?: string } = {}) {
  const { user = '', address } = options;
  const fetch = opened(
    createGuardedFetch({
      ...{ allow, proxyAllow: ['127.0.0.1'], userAgent: 'QuaysideBot/1.0' },
      ...(address !== undefined && { lookup: lookup(address) }),
    }),
  );
  return (url: string) => fetch.fetch(url, { proxyUrl: `http://${user}${host}` });
}

describe('a fetch through a proxy', () => {
  test('reaches a site by CONNECT, and the proxy gets the credentials it wants', async () => {
    const { url } = await site();
    const server = await proxy({ password: 'p@ss:word' });
    const get = fetchThrough(['127.0.0.1'], server, { user: 'crawler:p%40ss%3Aword@' });
    const { status, body } = await get(url);
    expect([status, body.toString()]).toEqual([200, '<p>hello']);
    const authorization = `Basic ${btoa('crawler:p@ss:word')}`;
    expect(server.asked).toEqual([{ target: new URL(url).host, authorization }]);
  });

  test('tells the proxy the address that was vetted, and no name that it could look up otherwise', async () => {
    const { url } = await site();
    const server = await proxy();
    const get = fetchThrough(['boats.example'], server, { address: '127.0.0.1' });
    expect((await get(url.replace('127.0.0.1', 'boats.example'))).status).toBe(200);
    expect(server.asked.map(({ target }) => target)).toEqual([new URL(url).host]);
  });

  test.each([
    ['a private address', 'http://127.0.0.1:8080/', undefined],
    ['the address of metadata', 'http://169.254.169.254/latest', undefined],
    ['a name with a private address', 'http://boats.example/', '10.0.0.7'],
    ['a local name', 'http://localhost:8080/', undefined],
  ])('refuses %s as without one, and the proxy is not asked', async (_, url, address) => {
    const server = await proxy();
    const get = fetchThrough([], server, address === undefined ? {} : { address });
    await expect(get(url)).rejects.toMatchObject({ reason: 'blocked_address' });
    expect(server.asked).toEqual([]);
  });

  test('checks the certificate of the site, not that of the proxy', async () => {
    const pem = (name: string) => readFileSync(new URL(`../../fixtures/self-signed-${name}.pem`, import.meta.url));
    const secure = createServer({ key: pem('key'), cert: pem('cert') }, (_, response) => response.end('<p>hello'));
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    open.push({ close: async () => void secure.close() });
    const server = await proxy();
    const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}/`;
    await expect(fetchThrough(['127.0.0.1'], server)(url)).rejects.toThrow('The certificate of the site is not valid');
    expect(server.asked).toHaveLength(1);
  });

  test('fails as a proxy that may work later when it refuses or is away, without a word of its credentials', async () => {
    const { url, hits } = await site();
    const server = await proxy({ password: 'right' });
    const get = fetchThrough(['127.0.0.1'], server, { user: 'crawler:wrong@' });
    const refused = await get(url).catch((error: unknown) => error as Error);
    expect(refused).toMatchObject({
      reason: 'proxy',
      retryable: true,
      message: `The proxy ${server.host} answered 407.`,
    });
    await server.close();
    open.splice(open.indexOf(server), 1);
    const away = await get(url).catch((error: unknown) => error as Error);
    expect(away).toMatchObject({ reason: 'proxy', message: `The proxy ${server.host} cannot be used (ECONNREFUSED).` });
    expect(hits.size).toBe(0);
  });

  test('reaches no proxy on a private network that nobody has allowed', async () => {
    const { url } = await site();
    const server = await proxy();
    const fetch = opened(
      createGuardedFetch({ allow: [`127.0.0.1:${new URL(url).port}`], userAgent: 'QuaysideBot/1.0' }),
    );
    await expect(fetch.fetch(url, { proxyUrl: `http://${server.host}` })).rejects.toMatchObject({
      reason: 'blocked_address',
    });
    expect(server.asked).toEqual([]);
  });
});
