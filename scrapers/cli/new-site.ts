// npm run new:site -- URL: saves a page of a site and writes the skeleton of the code that is to read it.
import '../../shared/boot/require-node.js';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assertPublicUrl } from '../../shared/adapters/fetch-guard.ts';
import { createGuardedFetch } from '../../shared/adapters/fetch.ts';
import { readConfigOrExit } from '../../shared/kit/config.ts';
import { defaultSettings } from '../../shared/scrapers/settings.ts';
import { userAgentOf } from '../crawl/spec.ts';
import { extractPage } from '../extract/extract-page.ts';
import { loadPage } from '../load/http-page.ts';
import { skeletonOf } from './new-site-skeleton.ts';
import { createPoliteness } from '../politeness/politeness.ts';
import { createPace } from '../politeness/pace.ts';
import { createRobotsMemory } from '../politeness/robots.ts';

const [url = ''] = process.argv.slice(2);
if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
  console.error('usage: npm run new:site -- URL   (a page of one thing, on the site that needs code)');
  process.exit(64);
}
const config = readConfigOrExit();
const root = fileURLToPath(new URL('../..', import.meta.url));
const host = new URL(url).hostname.toLowerCase().replace(/^www\./, '');
const name = host.replaceAll(/[^a-z0-9]+/g, '-');
const folder = join(root, 'scrapers/sites', name);
if (existsSync(folder)) {
  console.error(`There is code for ${host} already, in scrapers/sites/${name}.`);
  process.exit(1);
}

try {
  assertPublicUrl(url, config.fetchAllow);
} catch (error) {
  console.error(`${messageOf(error)} FETCH_ALLOW names hosts that may be read all the same.`);
  process.exit(1);
}

const fetcher = createGuardedFetch({
  allow: config.fetchAllow,
  userAgent: userAgentOf(config.baseUrl, config.crawlerContact),
});
try {
  await write(await load());
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
} finally {
  await fetcher.close();
}

/** The page, asked for as a scraper would: robots.txt and its Crawl-delay come first. */
async function load(): Promise<string> {
  const politeness = createPoliteness({
    fetch: fetcher,
    robots: createRobotsMemory(),
    pace: createPace(Date.now),
    intervalMs: 60_000 / defaultSettings.requests_per_minute,
    now: Date.now,
    sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
  });
  const source = { fetch: fetcher, politeness, scope: { site: host, startUrls: [url] }, now: Date.now };
  const loaded = await loadPage(url, source, new AbortController().signal);
  if (loaded.kind === 'page') return loaded.html;
  throw new Error(loaded.kind === 'unchanged' ? 'The page answered 304 without being asked.' : loaded.message);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function write(html: string): Promise<void> {
  const [found] = extractPage(html, url, { mode: 'structured' });
  const { files, importLine, entry } = skeletonOf({ name, host, url, found });
  await mkdir(join(folder, 'fixtures'), { recursive: true });
  await writeFile(join(folder, 'fixtures/page.html'), html);
  await mkdir(join(root, 'test/scrapers/sites'), { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text, { flag: 'wx' });
  const registry = join(root, 'scrapers/sites/registry.ts');
  const text = await readFile(registry, 'utf8');
  await writeFile(
    registry,
    text
      .replace(/^import type \{ CodedSite \}.*$/m, `$&\n${importLine}`)
      .replace(/(const sites: CodedSite\[\] = \[)/, `$1${entry}, `),
  );
  console.log(
    ['Written:', ...Object.keys(files), `scrapers/sites/${name}/fixtures/page.html`, 'scrapers/sites/registry.ts'].join(
      '\n  ',
    ),
  );
  console.log(`Next: say in scrapers/sites/${name}/extract.ts where each field stands, and in the test what is right.
What it reads now: npm run scrape -- ${url} --dry`);
}
