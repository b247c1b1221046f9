import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderCatalog, renderListing } from '../../../api/listings/markdown.ts';
import type { Listing } from '../../../api/listings/present.ts';
import { buildCatalog } from '../../../shared/catalog/tree.ts';
import { profileOf } from '../../../shared/profiles/read-profile.ts';
import { storableDictionary } from '../../support/arbitrary-dictionary.ts';

const nautical = profileOf('nautical');

const catalog = buildCatalog(nautical);
const links = { base: 'https://quayside.example.com', static: 'https://static.example.com' } as never;

const hostile = [
  '---',
  '---\ntitle: other\n---',
  '...',
  '# heading',
  '> quote',
  '- item',
  '* item',
  '12. item',
  '===',
  'key: value',
  '"double" and \'single\'',
  '[click](javascript:alert(1))',
  '![x](https://evil.example/1.png)',
  '<img src=x onerror=alert(1)>',
  '<!-- hidden',
  '&lt;b&gt; &#60;',
  '`code` ```\nfence',
  '~~gone~~ **bold** __bold__ _it_',
  '| a | b |\n|---|---|',
  '[ref]: javascript:alert(1)',
  '\\`escaped\\',
  'true',
  'null',
  '~',
  '0x1F',
  '1e3',
  '012',
  '2025-10-04',
  '!!js/function x',
  '&anchor *alias',
  '<<',
  '=',
  'a\ta, b',
  '@at %percent {a: 1} [1, 2]',
  ' leading and trailing ',
  '\ttab',
  'עברית \u202eabc\u202c',
  '👨‍👩‍👧‍👦 🛥',
  '\u0085\u2028\u2029\ufeff',
  '\u0001\u001b[31m',
];

/** Text that was written to break out, alone and among other text. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...hostile,
        ...storableDictionary.filter(([, each]) => each.length < 500).map(([, each]) => each),
      ),
      fc.string({ unit: 'binary', maxLength: 12 }).filter((each) => each.isWellFormed() && !each.includes('\0')),
      fc.constantFrom('\n', '\r\n', ' ', '\n\n'),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(''));

const listing = fc
  .record({
    title: text,
    description: text,
    long_description: fc.option(text),
    name: text,
    city: text,
    tags: fc.array(text, { maxLength: 3 }),
    alt: fc.option(text, { nil: undefined }),
    amount: fc.double({ min: 0, max: 1e12, noNaN: true, noDefaultInfinity: true }),
    attributes: fc.dictionary(fc.constantFrom('brand', 'model', 'custom_key', '*key*', 'a:b'), text, {
      noNullPrototype: true,
    }),
    designer: text,
  })
  .map(
    ({ title, description, long_description, name, city, tags, alt, amount, attributes, designer }) =>
      ({
        id: 'lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2',
        slug: 'a-slug',
        title,
        description,
        long_description,
        condition: 'good',
        type: 'sale',
        status: 'active',
        price: { amount, currency: 'NOK', negotiable: true },
        category: { id: 'cruising', name: 'Cruising', path: ['Sailboats', 'Cruising'] },
        location: { country: 'NO', city, shipping: false, marina: 'told elsewhere' },
        seller: { id: 'usr_1', name, type: 'human', verified: false, member_since: '2025-10-04' },
        images: [{ url: 'https://static.example.com/1.webp', alt, thumbnail_url: 'told elsewhere' }],
        tags,
        attributes,
        boat: { specs: { construction: { designer } } },
      }) as unknown as Listing,
  );

const keys = 'id slug title price currency negotiable condition type status category location seller images tags'.split(
  ' ',
);

describe('a listing', () => {
  test('has front matter that reads back as the listing, in either version of YAML', () => {
    fc.assert(
      fc.property(listing, (each) => {
        const markdown = renderListing(each, catalog);
        const [, yaml = ''] = /^---\n([\s\S]*?\n)---\n\n## Description\n/.exec(markdown) ?? [];
        for (const version of ['1.1', '1.2'] as const) {
          const facts = parse(yaml, { version }) as Record<string, unknown>;
          expect(Object.keys(facts)).toEqual(keys);
          expect(facts).toEqual({
            id: each.id,
            slug: each.slug,
            title: each.title,
            price: each.price.amount,
            currency: 'NOK',
            negotiable: true,
            condition: 'good',
            type: 'sale',
            status: 'active',
            category: each.category,
            location: { country: 'NO', city: each.location.city, shipping: false },
            seller: each.seller,
            images: each.images.map(({ url, alt }) => (alt === undefined ? { url } : { url, alt })),
            tags: each.tags,
          });
        }
      }),
    );
  });

  test('has no front matter a simple reader would end too early', () => {
    fc.assert(
      fc.property(listing, (each) => {
        const lines = renderListing(each, catalog).split(/\r\n|[\n\r]/);
        const end = lines.indexOf('---', 1);
        expect(lines.slice(end, end + 3)).toEqual(['---', '', '## Description']);
      }),
    );
  });

  test('has two headings, a list of facts, and no other markup whatever the seller wrote', () => {
    fc.assert(
      fc.property(listing, (each) => {
        const body = renderListing(each, catalog).replace(/^---\n[\s\S]*?\n---\n/, '');
        const [description = '', specifications = ''] = body
          .replace('\n## Description\n\n', '')
          .split('\n\n## Specifications\n\n');
        for (const line of linesOf(description)) expect(markupOf(line)).toEqual([]);
        const facts = linesOf(specifications).filter((line) => line !== '' && line !== 'None given.');
        for (const line of facts) {
          const [, label = '', value = ''] = /^- \*\*(.+?)\*\*: (.+)$/.exec(line) ?? [];
          expect([line, markupOf(label), markupOf(value)]).toEqual([line, [], []]);
          expect(label).not.toBe('');
        }
      }),
    );
  });
});

test('a catalog has one heading and one link for each listing, and no markup of the sellers', () => {
  fc.assert(
    fc.property(fc.array(listing, { minLength: 1, maxLength: 3 }), text, (listings, warning) => {
      const markdown = renderCatalog(
        {
          results: listings,
          pagination: { page: 2, pages: 4, total: 60, limit: 20 },
          warnings: [warning],
        },
        { q: warning, attr: { brand: warning }, page: 2, limit: 20 },
        links,
      );
      const lines = linesOf(markdown);
      const titles = lines.filter((line) => line.startsWith('## '));
      expect(titles).toHaveLength(listings.length);
      for (const line of titles) {
        const [, title = ''] =
          /^## \[(.*)\]\(https:\/\/quayside\.example\.com\/api\/listings\/a-slug\.md\)$/.exec(line) ?? [];
        expect(markupOf(title)).toEqual([]);
      }
      const pages = [...(lines.at(-2) ?? '').matchAll(/\[(Previous|Next) page\]\((\S+?)\)/g)];
      expect(pages.map(([, which]) => which)).toEqual(['Previous', 'Next']);
      const addresses = pages.map(([, , address]) => new URL(address ?? ''));
      expect(addresses.map(({ searchParams }) => searchParams.get('page'))).toEqual(['1', '3']);
      for (const { searchParams } of addresses)
        expect([searchParams.get('q'), searchParams.get('attr[brand]')]).toEqual([warning, warning]);
      const rest = lines.slice(lines.indexOf('# Listings') + 1, -2).filter((line) => !/^(?:## |- \*\*)/.test(line));
      for (const line of rest) expect(markupOf(line)).toEqual([]);
    }),
  );
});

const linesOf = (markdown: string) => markdown.split(/\r\n|[\n\r]/);

/** What CommonMark would read as markup in a line of text: unescaped characters, and the starts of blocks. */
function markupOf(line: string): string[] {
  const bare = line.replaceAll(/\\[!-/:-@[-`{-~]/g, '');
  const inline = bare.match(/[*_`[\]<>~|]|&(?:#\d+|#x[\da-f]+|[a-z]\w*);/gi) ?? [];
  const block = /^(?: {4}|\t| {0,3}(?:#{1,6}(?:\s|$)|[-+](?:\s|$)|=+\s*$|-{2,}\s*$|\d{1,9}[.)](?:\s|$)))/.exec(
    line.replaceAll(/\\[!-/:-@[-`{-~]/g, 'x'),
  );
  return [...inline, ...(block ?? [])];
}
