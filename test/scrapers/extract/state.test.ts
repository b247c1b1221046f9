import { describe, expect, test } from 'vitest';
import { extractPage } from '../../../scrapers/extract/extract-page.ts';

const PAGE = 'https://ads.example/ad/884213';
const read = (body: string) =>
  extractPage(`<title>A white sloop | Ads</title>${body}`, PAGE, { mode: 'structured' })[0];

describe('data that a page carries for its own scripts', () => {
  test.each([
    [
      'a script of type JSON',
      `<script id="__NEXT_DATA__" type="application/json">{"props": {"pageProps": {"ad": {"title": "A white sloop",
        "price": {"amount": 54900, "currency": "EUR"}, "brand": {"name": "Vega"}, "images": ["/1.jpg", "/2.jpg"]}}}}</script>`,
    ],
    [
      'an assignment among other code',
      `<script>var a = 1; function f(x) { return x[0]; } window.__STATE__ = {"ad": {"name": "A white sloop", "price": 54900,
        "currency": "EUR", "brand": "Vega", "photos": [{"url": "/1.jpg"}, {"url": "/2.jpg"}]}}; f({});</script>`,
    ],
    [
      'what it pushes to the measuring',
      `<script>dataLayer.push({'event': 'view', 'product': {'name': 'A white sloop', 'price': '54900', 'currency': 'EUR',
        'brand': 'Vega', 'image': ['/1.jpg', '/2.jpg']}});</script>`,
    ],
  ])('tells what is for sale: %s', (_, script) => {
    expect(read(script)).toMatchObject({
      title: 'A white sloop',
      price: '54900',
      currency: 'EUR',
      brand: 'Vega',
      images: [{ url: 'https://ads.example/1.jpg' }, { url: 'https://ads.example/2.jpg' }],
      evidence: { price: 'state' },
    });
  });

  test('goes behind what the page shows', () => {
    const script =
      '<script>x = {"ad": {"name": "A white sloop", "price": 54900, "currency": "EUR", "sku": "S-1"}}</script>';
    const record = read(`<h1>A white sloop</h1><b class="price">49.900 €</b>${script}`);
    expect(record).toMatchObject({ price: '49.900 €', sku: 'S-1', evidence: { price: 'page', sku: 'state' } });
  });

  test.each([
    ['speaks of another thing', '{"ad": {"name": "A red sloop", "price": 54900, "currency": "EUR", "sku": "S-1"}}'],
    ['names no price', '{"ad": {"name": "A white sloop", "price": 0, "currency": "EUR", "sku": "S-1"}, "amount": 1}'],
    ['breaks off', '{"ad": {"name": "A white sloop", "price": 54900, "currency": "EUR", "sku'],
  ])('tells nothing when it %s', (_, json) => {
    expect(read(`<script>x = ${json}</script>`)).toBeUndefined();
  });
});
