import { describe, expect, test } from 'vitest';
import { extractPage } from '../../../scrapers/extract/extract-page.ts';
import { saysOutOfStock } from '../../../scrapers/extract/out-of-stock.ts';

describe('a text that says a thing is gone', () => {
  test.each([
    'SOLD',
    'Sold!',
    '*** SOLD ***',
    'Sold STC',
    'This boat has been sold.',
    'Sold on 3 May 2024',
    'Sold for £12,000',
    'Bavaria 37 - SOLD',
    'Sorry, no! Sold.',
    'Sold: yes',
    'Verkauft',
    'Dieses Boot ist bereits verkauft',
    'Vendu !',
    'Ce bateau a été vendu',
    'Se ha vendido',
    'VENDIDA',
    'Barca venduta',
    'È stato venduto',
    '판매완료',
    '品切れ',
    '完売',
    'Currently unavailable.',
    'Nicht mehr verfügbar',
  ])('%s', (text) => {
    expect(saysOutOfStock(text)).toBe(true);
  });
});

describe('a text that denies it, or speaks of something else', () => {
  test.each([
    ...['NOT SOLD', 'Not yet sold', 'has not been sold', "isn't sold", 'never sold out', 'Unsold', 'Sold?', 'Sold: no'],
    ...['nicht verkauft', 'Noch nicht verkauft!', 'nicht ausverkauft', 'Verkauft: nein', 'wird verkauft von Müller'],
    ...[
      "n'est pas vendu",
      'Pas encore vendu',
      'pas épuisé',
      'Vendu : non',
      'vendu par Nautic SARL',
      'vendu séparément',
    ],
    ...['No vendido', 'Todavía no se ha vendido', 'vendido por separado', 'vendido por Náutica'],
    ...['Non venduto', 'Non è ancora stato venduto', 'venduto separatamente', 'venduto da Nautica'],
    ...['품절 아님', '품절되지 않음', '미판매', '売り切れていません', '完売していません', '未完売'],
    ...['Sold separately', 'Batteries are sold separately', 'Sold by Quay Marine', 'Sold as is', 'sold in pairs'],
    ...[
      '12 sold this month',
      '1,204 sold',
      'Previously sold',
      'recently sold',
      'Best sold',
      'To be sold',
      'Sold boats',
    ],
    ...['Almost sold out', 'Fast ausverkauft', 'presque épuisé', 'Notify me when out of stock'],
  ])('%s', (text) => {
    expect(saysOutOfStock(text)).toBe(false);
  });
});

const read = (body: string) =>
  extractPage(`<h1>A thing for sale</h1><b class="price">$70</b>${body}`, 'https://ads.example/things/thing-1', {
    mode: 'structured',
  })[0];

test.each([
  ['cards of a list', '<div class="card"><i class="badge">SOLD</i></div>'.repeat(3)],
  ['a link to another thing', '<a href="/things/2"><span>SOLD</span> Another thing</a>'],
  ['related things', '<div class="related"><span class="badge">SOLD</span></div>'],
])('what is sold according to %s is not the thing of the page', (_, body) => {
  expect(read(body)?.availability).toBe('InStock');
  expect(read(`${body}<p class="status">SOLD</p>`)?.availability).toBe('OutOfStock');
});

test('a page whose markup has the thing in stock is no page of a sold one, whatever it prints', () => {
  const markup = `<script type="application/ld+json">${JSON.stringify({
    '@type': 'Product',
    name: 'A thing for sale',
    offers: { '@type': 'Offer', price: 70, priceCurrency: 'USD', availability: 'https://schema.org/InStock' },
  })}</script>`;
  expect(read(`${markup}<p>SOLD</p>`)?.availability).toBe('InStock');
  const locked = read(`${markup}<p class="stock">SOLD</p><button disabled>Add to cart</button>`);
  expect(locked).toMatchObject({ availability: 'OutOfStock', evidence: { availability: 'contradicted' } });
});
