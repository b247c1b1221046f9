import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { findBrowser } from '../../../scrapers/load/browser-launch.ts';
import { startSite, type Route, type Site } from '../../support/site-server.ts';
import { crawlSite, listPage } from './support.ts';

const browser = await findBrowser(undefined).catch((error: unknown) => {
  console.warn(`skipped: the tests of browser scrapers. ${error instanceof Error ? error.message : String(error)}`);
});

const open: (Site | Server)[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function site(routes: Record<string, Route>): Promise<Site> {
  const started = await startSite(routes);
  open.push(started);
  return started;
}

/** A port that counts who connects to it. */
async function canary(): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(server);
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

/** A page that shows nothing before its script has asked the site for it. */
const scripted = (
  extra = '',
) => `<!doctype html><html lang="en"><head><title>Boat</title></head><body><div id="app">loading</div><script>
  ${extra}
  fetch('/api/boat.json', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"id":1}' }).then((r) => r.json()).then((boat) => {
    const data = document.createElement('script');
    data.type = 'application/ld+json';
    data.textContent = JSON.stringify({ '@context': 'https://schema.org', '@type': 'Product', name: boat.name, offers: { '@type': 'Offer', price: boat.price, priceCurrency: 'EUR' } });
    document.head.append(data);
    document.getElementById('app').innerHTML = '<h1>' + boat.name + '</h1><a href="/boats/two">next</a>';
  });
</script></body></html>`;

const api: Route = (request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ name: `Bavaria ${JSON.parse(body).id}`, price: '45000' })),
  );
};

describe.skipIf(browser === undefined)('a browser crawl', () => {
  test('reads what scripts put on the page, and follows it', async () => {
    const agents = new Set<string | undefined>();
    const { url, hits } = await site({
      '/boats': (request, response) => (
        agents.add(request.headers['user-agent']),
        response.setHeader('content-type', 'text/html').end(listPage(['/boats/one', '/boats/gone']))
      ),
      '/boats/one': scripted(),
      '/boats/two': scripted(),
      '/api/boat.json': (request, response) => (agents.add(request.headers['user-agent']), api(request, response)),
      '/boats/gone': { status: 404 },
    });
    const { end, records, counts } = await crawlSite(url, { kind: 'browser' });
    expect(end).toEqual({ outcome: 'finished' });
    expect(records.map((record) => [record.title, record.price?.amount])).toEqual([
      ['Bavaria 1', 45_000],
      ['Bavaria 1', 45_000],
    ]);
    expect(counts).toEqual({ pages_fetched: 3, pages_gone: 1 });
    expect(hits.get('/boats/one')).toBe(1);
    expect([...agents]).toEqual(['QuaysideBot/1.0 (+http://localhost)']);
  });

  test('a page reaches nothing but its site: no private address, no other host, by whatever way', async () => {
    const { port, connections } = await canary();
    const { url, hits } = await site({
      '/robots.txt': 'User-agent: *\nDisallow: /private',
      '/boats': listPage(['/boats/one', '/boats/redirect']),
      '/boats/one': scripted(`
        for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433']) {
          fetch('http://' + host + ':${port}/', { mode: 'no-cors' }).catch(() => 0);
          try { new WebSocket('ws://' + host + ':${port}/'); } catch {}
          document.body.append(Object.assign(new Image(), { src: 'http://' + host + ':${port}/x.png' }));
          document.body.append(Object.assign(document.createElement('iframe'), { src: 'http://' + host + ':${port}/' }));
          navigator.sendBeacon('http://' + host + ':${port}/');
        }
        new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] }).createDataChannel('x');
        fetch('/private/data.json');
        new Worker(URL.createObjectURL(new Blob(['fetch("http://127.0.0.1:${port}/").catch(() => 0)'])));`),
      '/boats/redirect': { status: 302, headers: { location: `http://127.0.0.1:${port}/` } },
      '/api/boat.json': api,
    });
    const { records, counts } = await crawlSite(url, { kind: 'browser' });
    expect(records.map((record) => record.title)).toEqual(['Bavaria 1']);
    expect(counts).toMatchObject({ pages_failed: 1 });
    expect(connections()).toBe(0);
    expect(hits.get('/private/data.json')).toBeUndefined();
  });
});

test('without a browser the crawl fails with a word on what to do', async () => {
  const { url } = await site({ '/boats': listPage([]) });
  const { end } = await crawlSite(url, { kind: 'browser' }, { settings: { chromiumPath: '/nowhere/chromium' } });
  expect(end).toEqual({ outcome: 'failed', reason: expect.stringContaining('install chromium or set CHROMIUM_PATH') });
});
