import { describe, expect, test } from 'vitest';
import { extractPage } from '../../../scrapers/extract/extract-page.ts';

const PAGE = 'https://ads.example/boats/sloop-884213';

const read = (body: string, head = '') =>
  extractPage(`<html lang="de-AT"><head><title>Sloop | Ads</title>${head}</head><body>${body}</body></html>`, PAGE, {
    mode: 'structured',
  });

const ad = `
  <nav class="breadcrumbs"><a href="/">Start</a> › <a href="/boats">Boote</a></nav>
  <main><h1>Hallberg-Rassy 31</h1>
  <div class="price-box"><span class="old-price">59.000 €</span> <span class="price">54.900 €</span></div>
  <div class="shipping">Versand: <span class="price">120 €</span></div>
  <dl><dt>Länge:</dt><dd>9,42 m</dd><dt>Marke</dt><dd>Hallberg-Rassy</dd></dl>
  <table><tr><th>Baujahr</th><td>1998</td></tr><tr><td>Motor:</td><td>Volvo</td><td>Kojen:</td><td>5</td></tr></table>
  <ul><li><b>Liegeplatz:</b> Bregenz</li><li>Anzeigennummer: 884213</li></ul>
  <div class="description"><p>Gepflegtes Boot aus zweiter Hand, immer im Süßwasser gelegen.</p><p>Besichtigung jederzeit möglich.</p></div>
  <img src="/small.jpg" srcset="/small.jpg 300w, /large.jpg 1200w" alt="Hallberg-Rassy 31 Monsun unter Segeln">
  <button>In den Warenkorb</button></main>
  <aside class="related"><a href="/x"><span class="price">12.000 €</span></a><dl><dt>Länge</dt><dd>5 m</dd></dl></aside>
  <footer><dl><dt>Impressum</dt><dd>Wien</dd></dl></footer>`;

describe('a page without structured data', () => {
  test('is read as its reader sees it, marked as the weakest evidence', () => {
    expect(read(ad)).toEqual([
      {
        url: PAGE,
        title: 'Hallberg-Rassy 31',
        description: 'Gepflegtes Boot aus zweiter Hand, immer im Süßwasser gelegen.\n\nBesichtigung jederzeit möglich.',
        price: '54.900 €',
        currency: 'EUR',
        sku: '884213',
        brand: 'Hallberg-Rassy',
        availability: 'InStock',
        breadcrumbs: ['Start', 'Boote'],
        images: [{ url: 'https://ads.example/large.jpg', alt: 'Hallberg-Rassy 31 Monsun unter Segeln' }],
        language: 'de',
        properties: {
          Länge: '9,42 m',
          Marke: 'Hallberg-Rassy',
          Baujahr: '1998',
          Motor: 'Volvo',
          Kojen: '5',
          Liegeplatz: 'Bregenz',
          Anzeigennummer: '884213',
        },
        evidence: expect.objectContaining({ price: 'page', title: 'page', sku: 'page' }),
      },
    ]);
  });

  test('that lists many prices alike is no offer', () => {
    const cards = Array.from(
      { length: 12 },
      (_, n) => `<div class="card"><a href="/${n}">Boat ${n}</a><span class="price">${n}.500 €</span></div>`,
    );
    expect(read(`<h1>Boats for sale</h1>${cards.join('')}`)).toEqual([]);
  });

  test('without a price or labelled facts is no offer', () => {
    expect(read('<h1>Contact us</h1><p>Call any time.</p>')).toEqual([]);
  });
});

test('structured data keeps its word; the page only fills the gaps', () => {
  const data = `<script type="application/ld+json">{"@type": "Product", "name": "HR 31", "offers": {"price": "54900", "priceCurrency": "EUR"}}</script>`;
  const [record] = read(ad, data);
  expect(record).toMatchObject({ title: 'HR 31', price: '54900', currency: 'EUR', brand: 'Hallberg-Rassy' });
  expect(record?.evidence).toMatchObject({ title: 'jsonld', price: 'jsonld', brand: 'page', language: 'page' });
});

test.each([
  ['sign and cents in tags of their own', '<span class="price"><sup>$</sup><b>34</b><sup>99</sup></span>', '$34.99'],
  ['the currency beside it', '<div id="product-price"><i>GBP</i> <b>1,299.00</b></div>', 'GBP 1,299.00'],
  ['a label before it', '<p class="kaufpreis">Preis: 1.400 € VB</p>', 'Preis: 1.400 € VB'],
  ['Arabic digits', '<span class="price">٣٥٠ ر.س</span>', '350 ر.س'],
  ['a sign broken by a wrong charset', '<span class="price">â‚¬ 12,50</span>', '€ 12,50'],
])('a price with %s is read', (_, markup, expected) => {
  const [record] = read(`<h1>A thing for sale</h1>${markup}`);
  expect(record?.price).toBe(expected);
});

test('a struck price, a saving and a monthly rate are not the price', () => {
  const [record] = read(`<h1>A thing for sale</h1><s class="price">$90</s> <span class="price">$70</span>
    <span class="price">You save $20</span> <div class="finance"><span class="price">$6</span> per month</div>`);
  expect(record?.price).toBe('$70');
});

test.each([
  ['<p class="stock">Currently unavailable.</p>', 'OutOfStock'],
  ['<p>Derzeit nicht verfügbar</p>', 'OutOfStock'],
  ['<p>품절</p>', 'OutOfStock'],
  ['<p class="availability">In stock</p>', 'InStock'],
  ['<input type="submit" value="Add to basket">', 'InStock'],
  ['<p class="related">Sold out</p><button>Ajouter au panier</button>', 'InStock'],
])('%s says %s', (markup, expected) => {
  const [record] = read(`<h1>A thing for sale</h1><span class="price">$70</span>${markup}`);
  expect(record?.availability).toBe(expected);
});

test('a number of the address is the article number when a field of the page repeats it', () => {
  const [record] = read(
    '<h1>A thing for sale</h1><span class="price">$70</span><input type="hidden" name="item" value="884213">',
  );
  expect(record?.sku).toBe('884213');
});

test('a byline names the brand by the words that open the title', () => {
  const [record] = read(
    '<h1>Gothamite Duffle Bag 36</h1><a class="byline">Visit the Gothamite Store</a><span class="price">$70</span>',
  );
  expect(record?.brand).toBe('Gothamite');
});

describe('of the prices near the heading', () => {
  const priceOf = (body: string) => read(`<h1>A thing for sale</h1>${body}`)[0]?.price;

  test.each([
    ['the lower of two side by side', '<p><span>74,95 €</span> <span>99,95 €</span></p>', '74,95 €'],
    [
      'the one in the cell labelled so',
      '<table><tr><td>Price:</td><td>43.97 €</td></tr><tr><td>Deposit:</td><td>5.00 €</td></tr></table>',
      '43.97 €',
    ],
    ['one piece, not the sum of many', '<b class="price">$11.99</b><div class="price">Sum $119.90</div>', '$11.99'],
    [
      'the first, not that of another seller below',
      '<p class="price">173 Lei</p><div class="offers"><p class="price">271 Lei</p></div>',
      '173 Lei',
    ],
    ['cents in a tag of their own', '<div class="price">$249<span class="end">99</span></div>', '$249.99'],
    ['the price per piece', '<div class="price">997 zł /szt.</div>', '997 zł /szt.'],
    [
      'the only one there is, though it is a link',
      '<a href="/others"><span class="price">99,12 €</span></a>',
      '99,12 €',
    ],
  ])('%s is asked', (_, body, expected) => {
    expect(priceOf(body)).toBe(expected);
  });

  test.each([
    ['a weight in pounds', '<table><tr><th>Weight</th><td>0.66 Pounds</td></tr></table>'],
    ['a length in feet', '<dl><dt>LOA</dt><dd>31 ft</dd></dl>'],
    ['a discount', '<p class="price">€ 18,00 -5%</p>'],
  ])('%s is none', (_, body) => {
    expect(priceOf(body)).toBeUndefined();
  });
});

test.each([
  ['the heading that repeats the title, not the name of the shop', '<h1>Shop of Anna</h1><h1>Sloop</h1>', 'Sloop'],
  ['an element that repeats the title where there is no heading', '<h2>A white sloop</h2>', 'A white sloop'],
])('the title is %s', (_, body, expected) => {
  const html = `<title>${expected} - Shop of Anna</title>${body}<b class="price">5 €</b>`;
  expect(extractPage(html, PAGE, { mode: 'structured' })[0]?.title).toBe(expected);
});

test.each([
  ['a label and a number in one line', '<p>Bestellnummer 79961</p>', '79961'],
  ['a label that ends with a dash', '<ul><li><strong>Product Code - </strong>39139301</li></ul>', '39139301'],
  ['a label of another language', '<table><tr><td>Numer referencyjny:</td><td>82514129</td></tr></table>', '82514129'],
  ['a number of the address that is printed alone', '<span>884213</span>', '884213'],
])('%s gives the article number', (_, markup, expected) => {
  const [record] = read(`<h1>A thing for sale</h1><span class="price">$70</span>${markup}`);
  expect(record?.sku).toBe(expected);
});
