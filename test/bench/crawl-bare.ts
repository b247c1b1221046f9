// The least that a crawl of a site can be, in a process of its own: fetch, parse, follow links, read title and price.
import { setImmediate } from 'node:timers/promises';
import { load } from 'cheerio';
import { Agent, request } from 'undici';

const [start = '', concurrency = '8'] = process.argv.slice(2);
const agent = new Agent({ connections: Number(concurrency) });
const known = new Set([start]);
const queue = [start];
const host = new URL(start).host;
let [pages, records, busy] = [0, 0, 0];

async function visit(url: string): Promise<void> {
  const { statusCode, body } = await request(url, { dispatcher: agent });
  const html = await body.text();
  if (statusCode !== 200) return;
  pages += 1;
  const $ = load(html);
  for (const element of $('a[href]')) {
    const link = new URL($(element).attr('href') ?? '', url);
    if (link.host !== host || link.pathname.endsWith('.pdf') || known.has(link.href)) continue;
    known.add(link.href);
    queue.push(link.href);
  }
  const price = $('.price').first().text();
  if (url.includes('/boats/') && $('h1').text() !== '' && price !== '') records += 1;
}

const startedAt = performance.now();
/** Goes on until nothing is waiting and nobody else is busy. */
async function work(): Promise<void> {
  while (queue.length > 0 || busy > 0) {
    const url = queue.shift();
    if (url === undefined) {
      await setImmediate();
      continue;
    }
    busy += 1;
    await visit(url);
    busy -= 1;
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, work));
process.send?.({ pages, records, seconds: (performance.now() - startedAt) / 1_000, rss: process.memoryUsage.rss() });
await agent.close();
