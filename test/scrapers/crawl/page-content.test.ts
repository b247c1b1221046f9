import { expect, test } from 'vitest';
import { readPageContent } from '../../../scrapers/crawl/page-content.ts';

test('what a page lists and the page after it come before its menus', () => {
  const menu = ['about', 'imprint', 'terms'].map((name) => `<a href="/${name}">${name}</a>`).join('');
  const cards = [5001, 5002, 5003, 5004].map(
    (id) => `<article><a href="/ad/${id}"><img src="${id}.jpg">A boat to be sold</a> <b>€ ${id}</b></article>`,
  );
  const html = `<nav>${menu}</nav>${cards.join('')}<div class="pager"><a href="/list?page=2">2</a><a href="/list?page=3">3</a>
    <a rel="next" href="/list?page=2">Next</a></div>`;
  const scope = { site: 'ads.example', startUrls: ['https://ads.example/list'] };
  const { links, next } = readPageContent(html, 'https://ads.example/list', scope, { mode: 'structured' });
  const paths = links.map((link) => link.replace('https://ads.example', ''));
  expect(paths.slice(0, 5)).toEqual(['/ad/5001', '/ad/5002', '/ad/5003', '/ad/5004', '/list?page=2']);
  expect(paths.slice(5).toSorted()).toEqual(['/about', '/imprint', '/list?page=3', '/terms']);
  expect(next).toBe('https://ads.example/list?page=2');
});
