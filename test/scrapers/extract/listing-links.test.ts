import { describe, expect, test } from 'vitest';
import { findListingLinks } from '../../../scrapers/extract/listing-links.ts';

const PAGE = 'https://ads.example/boats';
const NAMES = ['Red sloop of 1984', 'Blue cutter with trailer', 'White dinghy, hardly used', 'Green yawl, needs work'];

/** A list whose cards are drawn by `card`, between a menu, a filter, a pager and a footer. */
function list(card: (name: string, index: number) => string, around = ''): string {
  return `<header><nav><a href="/">Home</a><a href="/boats">Boats</a><a href="/cars">Cars</a></nav></header>
    <div class="filters"><a href="/boats/sail">Sail</a><a href="/boats/motor">Motor</a><a href="/boats/other">Other</a></div>
    <main>${NAMES.map(card).join('')}</main>${around}
    <div class="pagination"><a href="/boats?page=2">2</a><a href="/boats?page=3">3</a><a href="/boats?page=4">4</a></div>
    <footer><a href="/about-us">About</a><a href="/imprint">Imprint</a><a href="/terms">Terms</a></footer>`;
}

const paths = (html: string) => findListingLinks(html, PAGE).map((url) => new URL(url).pathname);

describe('the links to what a page lists', () => {
  test('are those of its cards, in their order, each once, without what else the cards link to', () => {
    const html = list(
      (name, index) => `<article><a href="/ad/${5000 + index}"><img src="${index}.jpg"></a>
        <h3><a href="/ad/${5000 + index}">${name}</a></h3><span class="price">${index + 1}.500 €</span>
        <a href="/wishlist/add?id=${5000 + index}">Remember</a><a href="/seller/anna-${index}">Anna ${index}</a></article>`,
    );
    expect(paths(html)).toEqual(['/ad/5000', '/ad/5001', '/ad/5002', '/ad/5003']);
  });

  test.each([
    [
      'rows of a table',
      (name: string, index: number) =>
        `<tr><td><a href="/show.php?id=${9000 + index}">${name}</a></td><td>$${index + 2},400</td></tr>`,
    ],
    [
      'cards that are one link',
      (name: string, index: number) =>
        `<a class="card" href="/ad/${name.replaceAll(' ', '-')}-${9000 + index}"><img src="x.jpg"><h2>${name}</h2><b>${index + 3} 200 kr</b></a>`,
    ],
    [
      'words as addresses',
      (name: string) =>
        `<li><a href="/boats/for-sale/${name.toLowerCase().replaceAll(/\W+/g, '-')}"><img src="x.jpg">${name}</a> <span>1.200 €</span></li>`,
    ],
    [
      'headings and texts without a price',
      (name: string, index: number) =>
        `<div class="hit"><h2><a href="/wanted/${7000 + index}">${name}</a></h2><p>Whoever has such a one, call me before the season is over.</p></div>`,
    ],
  ])('are found in %s', (_, card) => {
    expect(paths(list(card))).toHaveLength(NAMES.length);
  });

  test('are found where the list stands in a part that is named after its filters', () => {
    const cards = NAMES.map(
      (name, index) => `<a href="/ad/${5000 + index}"><img src="${index}.jpg">${name} <b>€ ${index}900</b></a>`,
    );
    expect(paths(`<div class="filter-container">${cards.join('')}</div>`)).toHaveLength(NAMES.length);
  });

  test('are those of other shapes, too, when their cards look the same', () => {
    const sold = [1, 2, 3].map(
      (n) =>
        `<article class="card"><a href="/gone/thing-${n}"><h3>Sold thing number ${n}</h3></a><img src="s.jpg"> 900 €</article>`,
    );
    const html = list(
      (name, index) =>
        `<article class="card"><a href="/ad/${5000 + index}"><h3>${name}</h3></a><img src="x.jpg"> 800 €</article>`,
      sold.join(''),
    );
    expect(paths(html)).toHaveLength(NAMES.length + 3);
  });

  test('leave category tiles out that stand among the things', () => {
    const tiles = [1, 2, 3].map(
      (n) => `<div class="tile"><a href="/ad/${100 + n}00"><img src="c.jpg">Category ${n}</a></div>`,
    );
    const html = list(
      (name, index) => `<article><a href="/ad/${5000 + index}"><img src="x.jpg">${name}</a> 800 €</article>`,
      tiles.join(''),
    );
    expect(paths(html)).toEqual(['/ad/5000', '/ad/5001', '/ad/5002', '/ad/5003']);
  });

  test.each([
    ['a menu and a text', '<nav><a href="/a">A</a><a href="/b">B</a><a href="/c">C</a></nav><p>Read on.</p>'],
    [
      'words of a category tree',
      ['cars', 'boats', 'planes', 'trains'].map((name) => `<li><a href="/c/${name}">${name}</a></li>`).join(''),
    ],
    [
      'links to other sites',
      NAMES.map(
        (name, index) => `<a href="https://other.example/ad/${5000 + index}"><img src="x.jpg">${name} 5 €</a>`,
      ).join(''),
    ],
    ['broken markup', '<a href="/ad/1><<<a href=<a href="/ad/2"'],
  ])('are none on %s', (_, html) => {
    expect(paths(html)).toEqual([]);
  });
});
