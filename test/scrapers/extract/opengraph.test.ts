import { expect, test } from 'vitest';
import { extractStructured } from '../../../scrapers/extract/structured.ts';

const meta = (tags: Record<string, string>) =>
  Object.entries(tags)
    .map(([name, content]) => `<meta property="${name}" content="${content}">`)
    .join('');

test('product tags alone make a record', () => {
  const html = meta({
    'og:type': 'product',
    'og:title': 'Blu-ray',
    'og:description': 'A disc',
    'og:image': '/cover.jpg',
    'og:locality': 'Kiel',
    'product:price:amount': '17.99',
    'product:price:currency': 'USD',
    'product:availability': 'in stock',
    'product:condition': 'new',
    'product:retailer_item_id': 'fye.1',
    'product:brand': 'Acme',
  });
  expect(extractStructured(html, 'https://shop.example/x')).toMatchObject([
    {
      title: 'Blu-ray',
      price: '17.99',
      currency: 'USD',
      availability: 'InStock',
      condition: 'new',
      sku: 'fye.1',
      brand: 'Acme',
      images: [{ url: 'https://shop.example/cover.jpg' }],
      location: { city: 'Kiel' },
      evidence: { price: 'opengraph', title: 'opengraph' },
    },
  ]);
});

test('the tags of an article make none', () => {
  expect(extractStructured(meta({ 'og:type': 'article', 'og:title': 'News' }), 'https://shop.example/x')).toEqual([]);
});

test('a sale price goes before the regular one', () => {
  const html = meta({
    'product:price:amount': '20',
    'product:price:currency': 'EUR',
    'product:sale_price:amount': '15',
  });
  expect(extractStructured(html, 'https://shop.example/x')[0]).toMatchObject({ price: '15', currency: 'EUR' });
});

test('they fill what better evidence leaves open, and nothing else', () => {
  const html = `${meta({ 'og:title': 'Rope | Shop', 'og:description': 'Long and strong', 'og:image': '/r.jpg' })}
    <script type="application/ld+json">{"@type":"Product","name":"Rope","offers":{"price":"3"}}</script>`;
  expect(extractStructured(html, 'https://shop.example/x')[0]).toMatchObject({
    title: 'Rope',
    description: 'Long and strong',
    evidence: { title: 'jsonld', description: 'opengraph', images: 'opengraph' },
  });
});
