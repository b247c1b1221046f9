import { describe, expect, test } from 'vitest';
import { findPageLinks } from '../../../scrapers/extract/links.ts';
import { findNextPage } from '../../../scrapers/extract/next-page.ts';

const PAGE = 'https://ads.example/list?page=2';

describe('findLinks', () => {
  test('gives absolute http addresses once, without fragments, against the base', () => {
    const html = `<base href="/boats/"><a href="1.html#top">a</a><a href="1.html">b</a><a href="//other.example/x">c</a>
      <a href="mailto:x@y.z">d</a><a href="javascript:go()">e</a><a href="#here">f</a><a>g</a><area href="/map">
      <a href="https://ads.example/list?page=2">itself</a><a href="http://[broken">h</a>`;
    expect(findPageLinks(html, PAGE)).toEqual([
      'https://ads.example/boats/1.html',
      'https://other.example/x',
      'https://ads.example/map',
    ]);
  });

  test('keeps those that the pattern matches, also with a global pattern', () => {
    const html = '<a href="/ad/1">1</a><a href="/ad/2">2</a><a href="/ad/3">3</a><a href="/about">x</a>';
    expect(findPageLinks(html, PAGE, /\/ad\/\d+$/g)).toEqual([1, 2, 3].map((n) => `https://ads.example/ad/${n}`));
  });
});

describe('findNextPage', () => {
  test.each([
    ['link rel=next', '<link rel="next" href="?page=3">'],
    ['a rel=next', '<a rel="nofollow next" href="?page=3">go</a>'],
    ['a label', '<a href="?page=1">Previous</a><a href="?page=3">Next »</a>'],
    ['a label of another language', '<a href="?page=3">Nächste Seite</a>'],
    ['a Japanese label', '<a href="?page=3">次へ</a>'],
    ['an arrow', '<a href="?page=1">‹</a> <a href="?page=3">›</a>'],
    ['an aria-label', '<a href="?page=3" aria-label="Next page"><svg></svg></a>'],
    ['a class', '<a class="pager-next" href="?page=3"><i class="icon"></i></a>'],
    ['the picture of an arrow', '<a href="?page=3"><img src="r.gif" alt="next"></a>'],
    [
      'the number after the current one',
      '<div class="pagination"><a href="?page=1">1</a> <b>2</b> <a href="?page=3">3</a></div>',
    ],
    [
      'the number after the marked one',
      '<ul class="pager"><li class="active"><a href="?page=2">2</a></li><li><a href="?page=3">3</a></li></ul>',
    ],
    [
      'the mark in the pager, not another address in the head',
      '<link rel="next" href="https://ads.example/other?page=3"><div class="pager"><a class="next" href="?page=3">Next</a></div>',
    ],
    ['the button of a list that grows', '<a href="?page=3">Load more boats</a>'],
  ])('goes by %s', (_, html) => {
    expect(findNextPage(html, PAGE)).toBe('https://ads.example/list?page=3');
  });

  test.each([
    ['the last page', '<div class="pagination"><a href="?page=1">1</a> <b>2</b></div>'],
    ['an image slider', '<div class="carousel"><a class="next" href="/img2">next</a></div>'],
    ['a calendar', '<a class="calendar-next" href="?m=5" title="next month">»</a>'],
    [
      'the last page, though its head names one more',
      '<link rel="next" href="?page=3"><div class="pagination"><a href="?page=1">1</a> <b>2</b></div>',
    ],
    ['a link back', '<div class="pager"><a rel="prev" href="?page=1">2</a> <b>1</b></div>'],
    [
      'the months of a calendar',
      '<table id="wp-calendar"><tr><td id="next"><a href="/2016/02/">Feb »</a></td></tr></table>',
    ],
    ['another site', '<a href="https://other.example/?page=3">Next</a>'],
    ['a disabled link', '<a class="next disabled" href="?page=3">Next</a>'],
    ['a bare fragment', '<a href="#" rel="next">Next</a>'],
  ])('is undefined on %s', (_, html) => {
    expect(findNextPage(html, PAGE)).toBeUndefined();
  });

  test('a pattern picks the next higher number among the links it matches', () => {
    const html = '<a href="/l/5">5</a><a href="/l/1">1</a><a href="/l/3">3</a><a href="/other/9">next</a>';
    expect(findNextPage(html, 'https://ads.example/l/2', /\/l\/(\d+)/)).toBe('https://ads.example/l/3');
    expect(findNextPage(html, 'https://ads.example/l/5', /\/l\/(\d+)/)).toBeUndefined();
    expect(findNextPage(html, 'https://ads.example/l/', /\/l\/(\d+)/g)).toBe('https://ads.example/l/3');
  });

  test('rel=next goes before the pattern', () => {
    expect(findNextPage('<link rel="next" href="/a"><a href="/l/3">3</a>', PAGE, /\/l\/(\d+)/)).toBe(
      'https://ads.example/a',
    );
  });
});
