import { describe, expect, test } from 'vitest';
import { chooseBest } from '../../../scrapers/extract/choice-model.ts';
import { extractPage } from '../../../scrapers/extract/extract-page.ts';

const read = (body: string, url = 'https://shop.example/chairs/blue-chair-884213.html') =>
  extractPage(
    `<html><head><title>Blue chair | Shop</title></head><body><h1>Blue chair</h1><b class="price">$70</b>
      <button>Add to cart</button>${body}</body></html>`,
    url,
    { mode: 'structured' },
  )[0];

describe('the best of several alternatives', () => {
  const alternatives = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ at, features: new Map(at === 3 ? [['own', 1]] : []) }));

  test('is chosen however many unlikely ones stand beside it', () => {
    expect(chooseBest(alternatives(500), { own: 4, none: 2 }, 0.5)?.chosen.at).toBe(3);
  });

  test('is none when none at all is likelier', () => {
    expect(chooseBest(alternatives(5), { own: 1, none: 4 }, 0.5)).toBeUndefined();
    expect(chooseBest([], { none: 0 }, 0.5)).toBeUndefined();
  });
});

describe('the article number that a page shows', () => {
  test('is the labelled one before a number of the address', () => {
    expect(read('<p>Art. Nr.: K-4711</p>')).toMatchObject({ sku: 'K-4711', evidence: { sku: 'page' } });
  });

  test.each([
    ['a hidden field', '<input type="hidden" name="product_id" value="884213">'],
    ['an attribute', '<form data-product-id="884213"></form>'],
    ['a script', '<script>dataLayer.push({"productId": "884213"})</script>'],
  ])('is the number of the address that %s confirms', (_, body) => {
    expect(read(body)).toMatchObject({ sku: '884213', evidence: { sku: 'page' } });
  });

  test('is the one that scripts give the page, where its address has none', () => {
    const body = '<script>window.item = {"sku": "KX-2210", "qty": 1}</script>';
    expect(read(body, 'https://shop.example/chairs/blue-chair')?.sku).toBe('KX-2210');
  });

  test('is no number of what the page recommends, nor a year', () => {
    const body = '<div class="related"><a data-sku="R-1">Red chair</a></div><p>© 2019</p>';
    expect(read(body, 'https://shop.example/chairs/blue-chair')?.sku).toBeUndefined();
  });
});

describe('the brand that a page shows', () => {
  test.each([
    ['a label', '<dl><dt>Manufacturer</dt><dd>Norden &amp; Co</dd></dl>', 'Norden & Co'],
    ['a link to its things', '<a href="/brands/norden">Norden</a>', 'Norden'],
    ['a line named so', '<span class="product-brand">by Norden</span>', 'Norden'],
  ])('is told by %s', (_, body, brand) => {
    expect(read(body)?.brand).toBe(brand);
  });

  test('is not the first word of every title, and no placeholder', () => {
    expect(read('<p class="brand">n/a</p>')?.brand).toBeUndefined();
  });
});
