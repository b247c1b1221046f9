import { expect, test } from 'vitest';
import { skeletonOf } from '../../scrapers/new-site-skeleton.ts';

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
