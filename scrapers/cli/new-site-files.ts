import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extractPage } from '../extract/extract-page.ts';
import { skeletonOf } from './new-site-skeleton.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Writes the code of a site that begins as what the general rules read, with a saved page and a test; answers what to tell. */
export async function writeSiteCode(url: string, html: string): Promise<string> {
  const host = new URL(url).hostname.toLowerCase().replace(/^www\./, '');
  const name = host.replaceAll(/[^a-z0-9]+/g, '-');
  const folder = join(root, 'scrapers/sites', name);
  if (existsSync(folder)) throw new Error(`There is code for ${host} already, in scrapers/sites/${name}.`);
  const [found] = extractPage(html, url, { mode: 'structured' });
  const { files, importLine, entry } = skeletonOf({ name, host, url, found });
  await mkdir(join(folder, 'fixtures'), { recursive: true });
  await writeFile(join(folder, 'fixtures/page.html'), html);
  await mkdir(join(root, 'test/scrapers/sites'), { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text, { flag: 'wx' });
  const registry = join(root, 'scrapers/sites/registry.ts');
  const text = await readFile(registry, 'utf8');
  const imported = text.replace(/^import type \{ CodedSite \}.*$/m, `$&\n${importLine}`);
  await writeFile(registry, imported.replace(/(const sites: CodedSite\[\] = \[)/, `$1${entry}, `));
  const written = [...Object.keys(files), `scrapers/sites/${name}/fixtures/page.html`, 'scrapers/sites/registry.ts'];
  return `Written:\n  ${written.join('\n  ')}
Next: mend in scrapers/sites/${name}/extract.ts what the general rules miss, and say in the test what is right.`;
}
