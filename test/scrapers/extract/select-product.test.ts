import { expect, test } from 'vitest';
import { extractPage } from '../../../scrapers/extract/extract-page.ts';
import { extractStructured } from '../../../scrapers/extract/structured.ts';

const PAGE = 'https://shop.example/list?page=2';

function product(name: string, fields: object = {}) {
  return {
    '@type': 'Product',
    name,
    image: '/x.jpg',
    offers: { '@type': 'Offer', price: 10, priceCurrency: 'EUR' },
    ...fields,
  };
}

function page(...items: object[]) {
  return items.map((item) => `<script type="application/ld+json">${JSON.stringify(item)}</script>`).join('');
}

test('an ItemList gives one record per entry, under the address of the entry', () => {
  const list = {
    '@type': 'ItemList',
    itemListElement: [
      { '@type': 'ListItem', position: 1, item: product('One', { url: '/p/1' }) },
      { '@type': 'ListItem', position: 2, url: 'https://shop.example/p/2', item: product('Two') },
      { '@type': 'ListItem', position: 3, item: product('Nowhere') },
    ],
  };
  expect(extractStructured(page(list), PAGE)).toMatchObject([
    { url: 'https://shop.example/p/1', title: 'One', price: '10' },
    { url: 'https://shop.example/p/2', title: 'Two', price: '10' },
  ]);
});

test('several products with addresses of their own are a list', () => {
  const html = page(product('One', { url: '/p/1' }), product('Two', { url: '/p/2' }));
  expect(extractStructured(html, PAGE).map(({ url }) => url)).toEqual([
    'https://shop.example/p/1',
    'https://shop.example/p/2',
  ]);
});

test('the same entry in two syntaxes is one record', () => {
  const html = `${page(product('One', { url: '/p/1' }), product('Two', { url: '/p/2' }))}
    <div itemscope itemtype="http://schema.org/Product"><a itemprop="url" href="/p/1"><b itemprop="name">One</b></a>
      <i itemprop="brand">Acme</i><img itemprop="image" src="/1.jpg"></div>
    <div itemscope itemtype="http://schema.org/Product"><a itemprop="url" href="/p/2"><b itemprop="name">Two</b></a><img itemprop="image" src="/2.jpg"></div>`;
  const records = extractStructured(html, PAGE);
  expect(records).toHaveLength(2);
  expect(records[0]).toMatchObject({
    title: 'One',
    price: '10',
    brand: 'Acme',
    evidence: { price: 'jsonld', brand: 'microdata' },
  });
});

test('entries that name no address are found by their first link', () => {
  const card = (
    n: number,
  ) => `<li itemscope itemtype="http://schema.org/Offer"><a href="/ad/${n}#gallery"><b itemprop="name">Ad ${n}</b></a>
    <i itemprop="price" content="${n}00">${n}00 €</i></li>`;
  const records = extractStructured(`<ul>${[1, 2, 3, 4, 5].map(card).join('')}</ul>`, PAGE);
  expect(records.map(({ url, price }) => [url, price])).toEqual(
    [1, 2, 3, 4, 5].map((n) => [`https://shop.example/ad/${n}`, `${n}00`]),
  );
});

test('related products beside the page own product leave one record', () => {
  const html = page(
    product('Other', { url: '/p/9' }),
    product('Mine', { url: 'https://shop.example/p/1' }),
    product('Third', { url: '/p/8' }),
  );
  expect(extractStructured(html, 'https://shop.example/p/1?utm_source=x')).toMatchObject([{ title: 'Mine' }]);
});

test('the product whose name is the heading is the page own', () => {
  const html = `<h1>Blue Winch 40</h1>${page(product('Red Rope'), product('Blue Winch 40', { sku: 'W40' }), product('Green Sail'))}`;
  expect(extractStructured(html, PAGE)).toMatchObject([{ title: 'Blue Winch 40', sku: 'W40' }]);
});

test('products nested as related to another are not looked at', () => {
  const html = page(product('Mine', { isRelatedTo: [product('A', { url: '/a' }), product('B', { url: '/b' })] }));
  expect(extractStructured(html, PAGE)).toMatchObject([{ title: 'Mine' }]);
});

test('a list whose entries name no address gives nothing, and no entry is taken for the page', () => {
  const card = (n: number) => `<div itemscope itemtype="http://schema.org/Product"><b itemprop="name">Shoe ${n}</b>
    <img itemprop="image" src="/${n}.jpg"><span itemprop="offers" itemscope itemtype="http://schema.org/Offer"><i class="price" itemprop="price">€ ${n}9</i></span></div>`;
  const html = `<h1>Shoes</h1>${[1, 2, 3, 4, 5].map(card).join('')}`;
  expect(extractPage(html, PAGE, { mode: 'structured' })).toEqual([]);
});

test('a thing that is only named is no offer', () => {
  const html = page({ '@type': 'Car', name: 'BMW i4 for sale', description: 'Find yours', model: 'i4' });
  expect(extractStructured(html, PAGE)).toEqual([]);
});

test.each(['Organization', 'WebSite', 'Article', 'Person', 'BreadcrumbList'])(
  'a page with only a %s gives nothing',
  (type) => {
    expect(extractStructured(page({ '@type': type, name: 'x', url: '/x', image: '/x.jpg' }), PAGE)).toEqual([]);
  },
);
