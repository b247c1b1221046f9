import { describe, expect, test } from 'vitest';
import { extractPage } from '../../../scrapers/extract/extract-page.ts';

const PAGE = 'https://ads.example/boats/sloop-884213';

function read(offer: object, body: string) {
  const { sku, ...rest } = offer as { sku?: string };
  const data = { '@type': 'Product', name: 'A sloop for sale', sku, offers: { '@type': 'Offer', ...rest } };
  const html = `<title>A sloop for sale</title><script type="application/ld+json">${JSON.stringify(data)}</script>
    <h1>A sloop for sale</h1>${body}`;
  return extractPage(html, PAGE, { mode: 'structured' })[0];
}

describe('a price that the markup names', () => {
  const told = { price: '50000', priceCurrency: 'EUR' };

  test('stands when the page prints it, too', () => {
    expect(read(told, `<b class="price">49.000 €</b>${'<br>'.repeat(20)}<i class="price">50.000 €</i>`)?.price).toBe(
      '50000',
    );
  });

  test('yields to the price asked when nobody can read it on the page, and two places agree', () => {
    expect(read(told, '<div class="price">49.000 €</div>')?.price).toBe('50000');
    const record = read(told, '<div class="price">49.000 €</div><div class="bar"><b class="price">49.000 €</b></div>');
    expect(record).toMatchObject({ price: '49.000 €', currency: 'EUR', evidence: { price: 'page' } });
  });

  const twice = (place: string) => `<section>${place}</section><footer-bar>${place}</footer-bar>`;

  test.each([
    ['for a courier', '<p>Courier to your door <b class="price">49.000 €</b></p>'],
    ['of carriage under its heading', '<h3>Versandkosten</h3><ul><li><b class="price">49.000 €</b></li></ul>'],
    ['of carriage behind the sum', '<b class="price">49.000 €</b> shipping'],
    ['struck out by its tag', '<del class="price">49.000 €</del>'],
    ['struck out by its style', '<b class="price" style="text-decoration: line-through">49.000 €</b>'],
    ['struck out by its class', '<b class="price price--old">49.000 €</b>'],
    ['of an instalment', '<b class="price">49.000 €</b> / Monat'],
    ['of an instalment in its row', '<table><tr><td>36 mensualités</td><td class="price">49.000 €</td></tr></table>'],
    ['that is hidden', '<b class="price" style="display: none">49.000 €</b>'],
  ])('stands beside one %s, in however many places', (_, place) => {
    expect(read(told, twice(place))?.price).toBe('50000');
  });

  test('yields when the page prints it only as where the bidding started', () => {
    const auction = '<span class="price">52.000 €</span><span>Starting price 50.000 €</span>';
    expect(read(told, auction)?.price).toBe('52.000 €');
  });

  test.each([
    ['another currency', '<div class="price">£ 42,000</div>'],
    ['no clear price', '<p>from 49.000 € and up, or 48.000 € in parts</p>'],
  ])('stands beside %s', (_, body) => {
    expect(read(told, body)?.price).toBe('50000');
  });
});

describe('what the markup says of the stock', () => {
  test('yields to a button that buys', () => {
    expect(read({ availability: 'OutOfStock' }, '<button>Add to your basket</button>')?.availability).toBe('InStock');
  });

  test('yields to the words that the thing is gone, beside a locked button', () => {
    const body = '<strong>Derzeit nicht verfügbar</strong><button disabled>In den Warenkorb</button>';
    expect(read({ availability: 'InStock' }, body)?.availability).toBe('OutOfStock');
  });

  test.each([
    ['a locked button alone, which waits for a size', '<button disabled>Add to cart</button>'],
    ['a picture that is missing', '<p class="stock">Bild nicht verfügbar</p>'],
    ['words about something else', '<p>Sold out concerts made them famous, and so on and on and on</p>'],
  ])('stands beside %s', (_, body) => {
    expect(read({ availability: 'InStock' }, body)?.availability).toBe('InStock');
  });

  test('stands when only another thing can be bought', () => {
    const body = '<div class="related"><button>Add to basket</button></div>';
    expect(read({ availability: 'OutOfStock' }, body)?.availability).toBe('OutOfStock');
  });
});

describe('an article number that the markup names', () => {
  test('yields to the labelled one when nobody can read it on the page', () => {
    expect(read({ sku: '9912' }, '<p>Product code: AB-4711</p>')?.sku).toBe('AB-4711');
  });

  test('stands when the page prints it', () => {
    expect(read({ sku: '9912' }, '<p>Product code: AB-4711</p><p>Lot 9912</p>')?.sku).toBe('9912');
  });

  test('is the one of the maker only when there is no other', () => {
    const html = `<h1>A pump</h1><script type="application/ld+json">{"@type": "Product", "name": "A pump", "mpn": "P-77",
      "offers": {"price": 5, "priceCurrency": "EUR"}}</script>`;
    expect(extractPage(html, PAGE, { mode: 'structured' })[0]?.sku).toBe('P-77');
    const [labelled] = extractPage(`${html}<p>Artikelnummer: 4711</p>`, PAGE, { mode: 'structured' });
    expect(labelled?.sku).toBe('4711');
  });
});
