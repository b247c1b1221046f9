import type { RawRecord } from '../shared/ingest/record.ts';

type NewSite = {
  /** Of its folder, in kebab case. */
  name: string;
  host: string;
  url: string;
  /** What the general rules find on the page. */
  found: RawRecord | undefined;
};

/** The files of a coded site by their path, and the two lines that make it known in the registry. */
export function skeletonOf({ name, host, url, found }: NewSite) {
  const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const site = `site${words.join('')}`;
  const extract = `extract${words.join('')}`;
  const expected = { title: found?.title ?? '', ...(found?.price !== undefined && { price: found.price }) };
  const files = {
    [`scrapers/sites/${name}/site.ts`]: `import type { CodedSite } from ${quote('../coded-site.ts')};
import { ${extract} } from ${quote('./extract.ts')};

/** ${host}, read by code of its own. */
export const ${site}: CodedSite = { host: ${quote(host)}, extract: ${extract} };
`,
    [`scrapers/sites/${name}/extract.ts`]: `import type { RawRecord } from ${quote('../../../shared/ingest/record.ts')};
import { lineOf } from ${quote('../../../shared/html/text.ts')};
import type { Page } from ${quote('../../extract/page.ts')};

/** The record of a page of one thing; undefined for other pages. */
export function ${extract}({ $, url }: Page): RawRecord | undefined {
  const [heading] = $('h1').toArray();
  const title = heading ? lineOf(heading).trim() : '';
  if (title === '') return undefined;
  const price = $('[class*="price" i]').first().text().trim();
  const description = $('[class*="description" i]').first().text().trim();
  return { url, title, ...(price !== '' && { price }), ...(description !== '' && { description }) };
}
`,
    [`test/scrapers/sites/${name}.test.ts`]: `import { readFileSync } from ${quote('node:fs')};
import { expect, test } from ${quote('vitest')};
import { parsePage } from ${quote('../../../scrapers/extract/page.ts')};
import { ${extract} } from ${quote(`../../../scrapers/sites/${name}/extract.ts`)};

const html = readFileSync(new URL('../../../scrapers/sites/${name}/fixtures/page.html', import.meta.url), 'utf8');

test('the saved page of ${host} is read', () => {
  expect(${extract}(parsePage(html, ${quote(url)}))).toMatchObject(${JSON.stringify(expected)});
});
`,
  };
  return { files, importLine: `import { ${site} } from './${name}/site.ts';`, entry: site };
}

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
