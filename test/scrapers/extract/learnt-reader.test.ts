import { describe, expect, test } from 'vitest';
import { chooseAmong } from '../../../scrapers/extract/choice-model.ts';
import { extractPage } from '../../../scrapers/extract/extract-page.ts';

const read = (html: string, url = 'https://shop.example/things/blue-chair-884213') =>
  extractPage(html, url, { mode: 'structured' });
const product = (facts: object) =>
  `<script type="application/ld+json">${JSON.stringify({ '@type': 'Product', ...facts })}</script>`;

describe('the model of a choice', () => {
  test('gives the alternatives and none of them probabilities that add up to one', () => {
    const [first = 0, second = 0] = chooseAmong([new Map([['near', 1]]), new Map([['far', 2]])], {
      none: 0,
      near: 1,
      far: -1,
    });
    expect(first).toBeCloseTo(Math.E / (Math.E + Math.E ** -2 + 1));
    expect(second).toBeCloseTo(Math.E ** -2 / (Math.E + Math.E ** -2 + 1));
  });

  test('takes nothing from features that were not learnt, whatever they are called', () => {
    const [only] = chooseAmong(
      [
        new Map([
          ['constructor', 1],
          ['__proto__', 1],
          ['new', 5],
        ]),
      ],
      { none: 0 },
    );
    expect(only).toBe(0.5);
  });

  test('stays a number where the scores are huge', () => {
    expect(chooseAmong([new Map([['big', 1e6]]), new Map([['big', -1e6]])], { none: 0, big: 1 })).toEqual([1, 0]);
  });
});

describe('a page of one thing', () => {
  test('gives a record when it prints no price', () => {
    const [record] = read(`<title>Blue chair</title><body class="product-page"><h1>Blue chair</h1><p>SKU: CH-4711</p>
      <p class="stock">Out of stock</p><img src="/blue-chair.jpg" alt="Blue chair"><button>Add to cart</button>`);
    expect(record).toMatchObject({ title: 'Blue chair', sku: 'CH-4711' });
    expect(record?.price).toBeUndefined();
  });

  test.each([
    ['a form to sign in', '<h1>Sign in</h1><form><input type="password"></form>', '/account/login'],
    ['an article', '<h1>How we make chairs</h1><p>Wood, glue and time.</p>', '/blog/how-we-make-chairs'],
  ])('is not %s', (_, body, path) => {
    expect(read(`<title>Shop</title>${body}`, `https://shop.example${path}`)).toEqual([]);
  });
});

describe('a sign or a number whose currency stays open', () => {
  const currencyOf = (price: string, url: string, head = '') =>
    read(
      `<html lang="en">${head}<title>Blue chair</title><h1>Blue chair</h1><b class="price">${price}</b><button>Add to cart</button>`,
      url,
    )[0]?.currency;

  test.each([
    ['the domain of a country', '$ 1,299.00', 'https://shop.example.ca/p/1', '', 'CAD'],
    ['the folder of a country', '$ 1,299.00', 'https://shop.example/en-au/p/1', '', 'AUD'],
    [
      'the code that scripts name',
      '$ 1,299.00',
      'https://shop.example/p/1',
      '<script>x = {"currency": "NZD"}</script>',
      'NZD',
    ],
    ['the domain, for a number alone', '1 299,00', 'https://shop.example.pl/p/1', '', 'PLN'],
    [
      'its own sign, whatever scripts name',
      '1.299,00 €',
      'https://shop.example/p/1',
      '<script>x = {"currency": "USD"}</script>',
      'EUR',
    ],
    [
      'its own sign, where the code that scripts name has another',
      '$ 12.00',
      'https://shop.example/p/1',
      '<script>x = {"currency": "EUR"}</script>',
      'USD',
    ],
  ])('is settled by %s', (_, price, url, head, currency) => {
    expect(currencyOf(price, url, head)).toBe(currency);
  });
});

describe('the title', () => {
  const titleOf = (head: string, heading = 'Blue chair') =>
    read(`${head}<h1>${heading}</h1><b class="price">$70</b>`)[0]?.title;

  test.each([
    ['a title for sharing', '<meta property="og:title" content="Blue chair for sale online | Shop">'],
    [
      'a name with the parts of a title for search engines',
      product({ name: 'Blue chair | Chairs | Shop', offers: { price: 70 } }),
    ],
    ['a name that holds the price', product({ name: 'Blue chair for € 70', offers: { price: 70 } })],
    ['a name that is an address', product({ name: 'https://shop.example/', offers: { price: 70 } })],
  ])('is the heading before %s', (_, head) => {
    expect(titleOf(`<title>Blue chair - Shop</title>${head}`)).toBe('Blue chair');
  });

  test('is the name that the markup gives where that is a plain one', () => {
    expect(titleOf(product({ name: 'Blue chair of oak', offers: { price: 70 } }))).toBe('Blue chair of oak');
  });

  test('is not the name of the shop, though that is the heading', () => {
    const head =
      '<title>A very blue chair - Annas Shop</title><meta property="og:title" content="A very blue chair - Annas Shop">';
    expect(titleOf(head, 'Annas Shop')).not.toBe('Annas Shop');
  });
});

test('a brand in the markup that is an address or a part of a title is none', () => {
  for (const brand of ['https://shop.example/brands/oak', '| Shop', '-'])
    expect(
      read(`${product({ name: 'Blue chair', brand, offers: { price: 70 } })}<h1>Blue chair</h1>`)[0]?.brand,
    ).toBeUndefined();
});

test('a short line before the heading with which the title opens is the brand', () => {
  const body = '<title>Oakly Blue chair - Shop</title><h3>Oakly</h3><h1>Blue chair</h1><b class="price">$70</b>';
  expect(read(body)[0]?.brand).toBe('Oakly');
});

test('a gallery that holds one of the images of the markup adds its others', () => {
  const images = ['a', 'b', 'c', 'd'].map((name) => `<img src="/photos/chair-${name}.jpg" alt="Blue chair">`).join('');
  const markup = product({
    name: 'Blue chair',
    image: ['/large/chair-a.jpg', '/large/chair-b.jpg'],
    offers: { price: 70 },
  });
  const urls = read(`${markup}<h1>Blue chair</h1><div class="gallery">${images}</div>`)[0]?.images?.map(
    ({ url }) => url,
  );
  expect(urls).toEqual(
    ['/large/chair-a.jpg', '/large/chair-b.jpg', '/photos/chair-c.jpg', '/photos/chair-d.jpg'].map(
      (path) => `https://shop.example${path}`,
    ),
  );
});

test('the long number that ends the address is the article number where nothing says it, marked as guessed', () => {
  const [record] = read('<h1>Blue chair</h1><b class="price">$70</b><button>Add to cart</button>');
  expect(record).toMatchObject({ sku: '884213', evidence: { sku: 'guessed' } });
});
