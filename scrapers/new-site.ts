// npm run new:site -- URL: saves a page of a site and writes the skeleton of the code that is to read it.
import '../shared/require-node.js';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertPublicUrl } from '../shared/adapters/fetch-guard.ts';
import { createGuardedFetch } from '../shared/adapters/fetch.ts';
import { readConfigOrExit } from '../shared/config.ts';
import { userAgentOf } from './crawl-spec.ts';
import { extractPage } from './extract/extract-page.ts';
import { readHtml } from './http-charset.ts';
import { MAX_PAGE_BYTES } from './http-page.ts';
import { skeletonOf } from './new-site-skeleton.ts';

const [url = ''] = process.argv.slice(2);
if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
  console.error('usage: npm run new:site -- URL   (a page of one thing, on the site that needs code)');
  process.exit(64);
}
const config = readConfigOrExit();
const root = fileURLToPath(new URL('..', import.meta.url));
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
  const { status, headers, body } = await fetcher.fetch(url, { maxBytes: MAX_PAGE_BYTES });
  if (status !== 200) throw new Error(`The page answered ${status}.`);
  await write(readHtml(body, headers['content-type']).html);
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
} finally {
  await fetcher.close();
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
      .replace(/(import type \{ CodedSite \}[^\n]*\n)/, `$1${importLine}\n`)
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
