import { expect, test } from 'vitest';
import { extractStructured } from '../../../scrapers/extract/structured.ts';

const PAGE = 'https://shop.example/p/1';

function recordOf(offers: unknown, product: object = {}) {
  const data = { '@type': 'Product', name: 'A thing', ...product, offers };
  return extractStructured(`<script type="application/ld+json">${JSON.stringify(data)}</script>`, PAGE)[0];
}

test('an aggregate offer counts with its low price', () => {
  const offer = { '@type': 'AggregateOffer', lowPrice: '5.29', highPrice: '9.56', priceCurrency: 'GBP', offerCount: 2 };
  expect(recordOf(offer)).toMatchObject({ price: '5.29', currency: 'GBP' });
});

test('of several offers the cheapest that can be bought counts, and it makes the thing available', () => {
  const offers = [
    { '@type': 'Offer', price: '10', availability: 'OutOfStock' },
    { '@type': 'Offer', price: '30', availability: 'http://schema.org/InStock' },
    { '@type': 'Offer', price: '20', availability: 'in stock' },
  ];
  expect(recordOf(offers)).toMatchObject({ price: '20', availability: 'InStock' });
});

test('offers of other addresses do not count when one names the page', () => {
  const offers = [
    { '@type': 'Offer', price: '10', url: 'https://shop.example/p/2' },
    { '@type': 'Offer', price: '20', url: 'https://shop.example/p/1#size-m' },
  ];
  expect(recordOf(offers)).toMatchObject({ price: '20' });
});

test('a list price in the specifications is not the price', () => {
  const offer = {
    '@type': 'Offer',
    priceSpecification: [
      { '@type': 'UnitPriceSpecification', priceType: 'https://schema.org/ListPrice', price: 99, priceCurrency: 'USD' },
      { '@type': 'UnitPriceSpecification', price: 79, priceCurrency: 'USD' },
    ],
  };
  expect(recordOf(offer)).toMatchObject({ price: '79', currency: 'USD' });
});

test('a zero price yields to a real one of weaker evidence', () => {
  const html = `<meta property="product:price:amount" content="15.50"><meta property="product:price:currency" content="EUR">
    <script type="application/ld+json">{"@type":"Product","name":"Zero","offers":{"price":"0.00","priceCurrency":"USD"}}</script>`;
  const [record] = extractStructured(html, PAGE);
  expect(record).toMatchObject({ price: '15.50', currency: 'EUR' });
  expect(record?.evidence).toMatchObject({ price: 'opengraph', currency: 'opengraph', title: 'jsonld' });
});

test('the variant that the page shows speaks for its group', () => {
  const html = `<script type="application/ld+json">{"@type": "ProductGroup", "name": "Jacket", "brand": "Musto", "hasVariant": [
    {"@type": "Product", "url": "/p/2", "sku": "S", "offers": {"@type": "Offer", "price": 80}},
    {"@type": "Product", "url": "/p/1", "sku": "M", "offers": {"@type": "Offer", "price": 90}}]}</script>`;
  expect(extractStructured(html, PAGE)).toMatchObject([{ title: 'Jacket', brand: 'Musto', sku: 'M', price: '90' }]);
});

test.each([
  ['http://schema.org/LimitedAvailability', 'LimitedAvailability'],
  ['in_stock', 'InStock'],
  ['out of stock', 'OutOfStock'],
  ['SOLD', 'SoldOut'],
  ['preorder', 'PreOrder'],
])('availability %s is %s', (printed, expected) => {
  expect(recordOf({ '@type': 'Offer', price: 1, availability: printed })?.availability).toBe(expected);
});
