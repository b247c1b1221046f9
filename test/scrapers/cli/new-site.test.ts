import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { skeletonOf } from '../../../scrapers/cli/new-site-skeleton.ts';
import { startSite } from '../../support/site-server.ts';

const site = { name: 'boats-example', host: 'boats.example', url: 'https://boats.example/1' };

test('the test of a new site expects what the general rules find, written as the formatter would', () => {
  const { files } = skeletonOf({ ...site, found: { url: site.url, title: "The skipper's \\ boat", price: '€ 1' } });
  expect(Object.keys(files)).toEqual([
    'scrapers/sites/boats-example/site.ts',
    'scrapers/sites/boats-example/extract.ts',
    'test/scrapers/sites/boats-example.test.ts',
  ]);
  expect(files['test/scrapers/sites/boats-example.test.ts']).toContain(
    `toMatchObject({\n    url,\n    title: "The skipper's \\\\ boat",\n    price: '€ 1',\n  });`,
  );
});

test('a page on which nothing is found leaves its test to its author', () => {
  const { files, importLine } = skeletonOf({ ...site, found: undefined });
  expect(files['test/scrapers/sites/boats-example.test.ts']).toContain('toMatchObject({\n    url,\n  });');
  expect(importLine).toBe("import { siteBoatsExample } from './boats-example/site.ts';");
});

test('what the files of a new site import is there, or one of them', () => {
  const { files } = skeletonOf({ ...site, found: undefined });
  const imported = Object.entries(files).flatMap(([file, text]) =>
    [...text.matchAll(/from '(\.[^']+)'/g)].map(([, target = '']) => join(dirname(file), target)),
  );
  expect(imported.length).toBeGreaterThan(4);
  const root = join(import.meta.dirname, '../../..');
  expect(imported.filter((file) => !(file in files) && !existsSync(join(root, file)))).toEqual([]);
});

test('a page that robots.txt forbids is neither asked for nor saved', async () => {
  const site = await startSite({
    '/robots.txt': 'User-agent: *\nDisallow: /boats',
    '/boats/one': '<h1>Bavaria 37</h1>',
  });
  const said = await new Promise<string>((resolve) => {
    const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], FETCH_ALLOW: '127.0.0.1' };
    const program = ['scrapers/cli/new-site.ts', `${site.url}/boats/one`];
    execFile(process.execPath, program, { env: environment }, (error, _out, errors) =>
      resolve(`${error?.code} ${errors}`),
    );
  });
  await site.close();
  expect(said).toMatch(/^1 [^]*robots\.txt does not allow this page\.\n$/);
  expect(site.hits.get('/boats/one')).toBeUndefined();
});
