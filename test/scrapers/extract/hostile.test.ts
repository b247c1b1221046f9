import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundHtml } from '../../../shared/kit/html/bound-html.ts';
import { pageRecords } from '../../../scrapers/extract/extract-page.ts';
import { collectPageLinks } from '../../../scrapers/extract/links.ts';
import { listingLinks } from '../../../scrapers/extract/listing-links.ts';
import { nextPage } from '../../../scrapers/extract/next-page.ts';
import { parsePage } from '../../../scrapers/extract/page.ts';
import { textOf } from '../../../shared/kit/html/text.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

const PAGE = 'https://a.example/p/1';

function readAll(html: string, url = PAGE) {
  const page = parsePage(html, url);
  pageRecords(page, { mode: 'structured' });
  pageRecords(page, { mode: 'selectors', selectors: { title: 'h1', images: 'img@src', Length: 'dd' } });
  collectPageLinks(page);
  nextPage(page);
  listingLinks(page);
}

const bits = [
  ...[
    '<div>',
    '</div>',
    '<p>',
    '<table>',
    '<tr><td>',
    '</td>',
    '<a href=',
    '"',
    "'",
    '>',
    '<',
    '<!--',
    '-->',
    '<![CDATA[',
    '&amp;',
    '&#0;',
  ],
  ...[
    '<script type="application/ld+json">',
    '</script>',
    '{"@type":"Product","name":',
    '[',
    '}',
    ',',
    '\\',
    '\u0000',
    '\ud800',
    '€ 12,99',
  ],
  ...[
    ' itemscope itemtype=http://schema.org/Product',
    ' itemprop=price',
    ' itemprop=offers itemscope',
    ' itemref="a a b"',
    ' id=a',
  ],
  ...[
    ' typeof=Product',
    ' property=name',
    ' resource=#a',
    '<meta property="og:price:amount" content="1">',
    '<h1>Title of it</h1>',
  ],
  ...[
    '<dt>Length<dd>10 m',
    '<base href="://">',
    '<link rel=canonical href="http://[">',
    '<svg><path/>',
    '<title>',
    '<style>',
    '<img alt="Title of it" src=//>',
  ],
];

test('any soup of tags, attributes and data is read without an error', () => {
  const soup = fc.array(fc.oneof(fc.constantFrom(...bits), fc.string({ maxLength: 8 })), { maxLength: 60 });
  const readsAny = fc.property(soup, (parts) => readAll(parts.join('')));
  expect(() => fc.assert(readsAny, { numRuns: 400 })).not.toThrow();
});

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'a tag, a property, an availability and a label named %s are read like any other',
  (name) => {
    expect(() =>
      readAll(
        `<${name}>x</${name}><p itemscope itemtype="http://schema.org/Product"><${name} itemprop="${name}" ${name}="y">z</${name}>` +
          `<b itemprop=availability>${name}</b></p><dl><dt>${name}<dd>10 m</dl>`,
      ),
    ).not.toThrow();
  },
);

test('an address that is none is no error either', () => {
  expect(() => readAll('<a href="x">y</a><link rel=canonical href="/z">', 'not a url')).not.toThrow();
});

const filled = (bit: string) => bit.repeat(Math.ceil((2 * 1024 * 1024) / bit.length));

test.each([
  ['open tags', filled('<div>')],
  ['open list items with labels', filled('<ul class=pager><li><b>a:</b> 2<a href=?p=2>2</a>')],
  ['open table cells', filled('<table><tr><td>')],
  ['nested items', filled('<div itemscope itemprop=description itemtype=http://schema.org/Product>text € 12 ')],
  ['items that refer to each other', `<p id=a itemprop=name>${filled('<i itemscope itemref="a a">x</i>')}`],
  ['empty elements', `<h1>A title</h1><div class=price>${filled('<i></i>')}`],
  ['angle brackets', filled('< <')],
  ['a stray quote', filled('<a "')],
  ['attributes', `<div ${Array.from({ length: 200_000 }, (_, n) => `a${n}=1`).join(' ')}>`],
  ['white space', `<h1>${filled(' \n')}</h1>`],
  ['prices', filled('<span class=price>€ 12,99</span>')],
  ['JSON brackets', `<script type="application/ld+json">${'['.repeat(1_000_000)}</script>`],
  [
    'data for scripts that never ends',
    `<title>A title</title><script>${'x = {"name": "A title", "price": {'.repeat(60_000)}</script>`,
  ],
  ['cards in cards', filled('<div class=filter><a href=/ad/12345>A title € 12')],
  ['quotes in broken JSON', `<script type="application/ld+json">{"a":"${'\\" " '.repeat(300_000)}</script>`],
])('2 MB of %s are read in seconds', (_, html) => {
  expect(cpuMsOf(() => readAll(html))).toBeLessThan(15_000);
});

test('markup of ordinary depth is given back as it is', () => {
  const html = '<ul><li>a<li>b<p>c<p>d</ul><table><tr><td>1<td>2<tr><td>3</table><br><img src=x>'.repeat(300);
  expect(boundHtml(html)).toBe(html);
});

test('beyond 400 levels tags go and texts stay', () => {
  const page = parsePage(`${'<div>'.repeat(5_000)}deep${'</div>'.repeat(5_000)}<p>after</p>`, PAGE);
  expect(page.elements.length).toBeLessThan(410);
  const text = page.$.root()[0]
    ?.children.map((node) => textOf(node))
    .join(' ');
  expect(text).toContain('deep');
  expect(text).toContain('after');
});

test('ten megabytes are read, not more', () => {
  expect(boundHtml('x'.repeat(11 * 1024 * 1024))).toHaveLength(10 * 1024 * 1024);
});

test('the tree is never deeper than the bound, whatever the soup', () => {
  const tags = fc.array(
    fc.constantFrom(
      '<div>',
      '<p>',
      '<li>',
      '<b>',
      '</b>',
      '</div>',
      '<td>',
      '<tr>',
      '<br/>',
      '<a "',
      '<i a="',
      '">',
      '<!--',
      '-->',
      '<script>',
      '</script>',
    ),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(tags, (parts) => {
      const page = parsePage(parts.join('').repeat(400), PAGE);
      const depth = new Map<unknown, number>();
      let deepest = 0;
      for (const element of page.elements) {
        const own = (depth.get(element.parent) ?? 0) + 1;
        depth.set(element, own);
        deepest = Math.max(deepest, own);
      }
      expect(deepest).toBeLessThanOrEqual(402);
    }),
    { numRuns: 100 },
  );
});
