import type { RawRecord } from '../../shared/normalize/record-type.ts';

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
  const expected = (['title', 'price'] as const).flatMap((field) => {
    const value = found?.[field];
    return value === undefined ? [] : [`\n    ${field}: ${quote(value)},`];
  });
  const files = {
    [`scrapers/sites/${name}/site.ts`]: `import type { CodedSite } from ${quote('../coded-site.ts')};
import { ${extract} } from ${quote('./extract.ts')};

/** ${host}, read by code of its own. */
export const ${site}: CodedSite = { host: ${quote(host)}, extract: ${extract} };
`,
    [`scrapers/sites/${name}/extract.ts`]: `import type { RawRecord } from ${quote('../../../shared/normalize/record-type.ts')};
import { pageRecords } from ${quote('../../extract/extract-page.ts')};
import type { Page } from ${quote('../../extract/page.ts')};

/** The record of a page of one thing; undefined for other pages. What the general rules read is the start: mend it here. */
export function ${extract}(page: Page): RawRecord | undefined {
  const [record, ...others] = pageRecords(page, { mode: ${quote('structured')} });
  return others.length === 0 ? record : undefined;
}
`,
    [`test/scrapers/sites/${name}.test.ts`]: `import { readFileSync } from ${quote('node:fs')};
import { expect, test } from ${quote('vitest')};
import { parsePage } from ${quote('../../../scrapers/extract/page.ts')};
import { ${extract} } from ${quote(`../../../scrapers/sites/${name}/extract.ts`)};

const url = ${quote(url)};
const saved = new URL('../../../scrapers/sites/${name}/fixtures/page.html', import.meta.url);

test('the saved page of ${host} is read', () => {
  const record = ${extract}(parsePage(readFileSync(saved, 'utf8'), url));
  expect(record).toMatchObject({
    url,${expected.join('')}
  });
});
`,
  };
  return { files, importLine: `import { ${site} } from './${name}/site.ts';`, entry: site };
}

/** A text as the formatter of the project would write it: in the quotes that spare the most escapes. */
function quote(text: string): string {
  const countOf = (sign: string) => text.split(sign).length;
  const sign = countOf("'") > countOf('"') ? '"' : "'";
  return sign + text.replaceAll('\\', '\\\\').replaceAll(/\s+/g, ' ').replaceAll(sign, `\\${sign}`) + sign;
}
