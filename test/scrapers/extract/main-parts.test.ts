import { describe, expect, test } from 'vitest';
import { extractPage } from '../../../scrapers/extract/extract-page.ts';

const PAGE = 'https://ads.example/boats/sloop-884213';
const STORY =
  'She was built in the winter of 1984 and has sailed the lake ever since, in good hands and never in salt water.';
const MORE =
  'The rigging was renewed three years ago; the sails are older, but clean and dry, and one of them was never used.';

function read(body: string, head = '') {
  const html = `<title>A white sloop</title>${head}<h1>A white sloop</h1><b class="price">5.000 €</b>${body}`;
  return extractPage(html, PAGE, { mode: 'structured' })[0];
}

describe('the text of a page', () => {
  test.each([
    ['a part that is named so', `<div class="ad-description"><p>${STORY}</p></div>`],
    ['what stands below a heading that says so', `<h3>Beschreibung</h3><div class="x1"><p>${STORY}</p></div>`],
    ['what stands behind a label in bold', `<div><b>Description:</b></div><div>${STORY}</div>`],
    ['the part with the most running text', `<ul><li>new</li><li>used</li></ul><div class="x2"><p>${STORY}</p></div>`],
  ])('is %s', (_, body) => {
    expect(read(body)?.description).toBe(STORY);
  });

  test('keeps its paragraphs, and leaves menus, notices and other things out', () => {
    const html = `<div class="c1"><p>${STORY}</p><p>${MORE}</p></div>
      <div class="c2"><p>We and our partners use cookies to store and to access what they like on the device of yours, always.</p></div>
      <div class="related"><p>${STORY.repeat(9)}</p></div><p>${'<a href="/x">Another link to somewhere else in this shop</a>'.repeat(9)}</p>`;
    expect(read(html)?.description).toBe(`${STORY}\n\n${MORE}`);
  });

  test('is the summary for search engines where the page itself says less', () => {
    const meta = `<meta name="description" content="${STORY}">`;
    expect(read('<p>Short.</p>', meta)?.description).toBe(STORY);
    expect(read(`<p class="description">${STORY} ${MORE}</p>`, meta)?.description).toBe(`${STORY} ${MORE}`);
  });
});

describe('the pictures of a page', () => {
  const urls = (body: string, head = '') =>
    read(body, head)?.images?.map(({ url }) => url.replace('https://ads.example', ''));

  test('are each there once, in their largest edition', () => {
    const of = (end: string) => [1, 2].map((n) => `<img src="/media/47/${n}${end}.jpg">`).join('');
    expect(urls(`${of('-thumb')}${of('')}${of('-300x200')}`)).toEqual(['/media/47/1.jpg', '/media/47/2.jpg']);
  });

  test('are those near the heading that lie together, without logos, icons and the like', () => {
    const gallery = [1, 2, 3].map((n) => `<img src="/media/4711/${n}.jpg">`).join('');
    const others = '<img src="/img/logo.png"><img src="/img/visa.png"><img src="/x.svg"><img src="/y.jpg" width="20">';
    expect(urls(`${others}<div class="gallery">${gallery}</div>`)).toEqual(
      [1, 2, 3].map((n) => `/media/4711/${n}.jpg`),
    );
  });

  test('are those that are named like the thing, wherever they stand', () => {
    const named = '<aside><img src="/a/1.jpg" alt="A white sloop at sea"></aside>';
    expect(urls(`<img src="/b/1.jpg"><img src="/b/2.jpg">${named}`)).toEqual(['/a/1.jpg']);
  });

  test('follow the one that the markup names', () => {
    const gallery = '<div class="gallery"><img src="/media/1.jpg"><img src="/media/2.jpg"></div>';
    const meta = '<meta property="og:image" content="/big/1.jpg"><meta property="og:type" content="product">';
    expect(urls(gallery, meta)).toEqual(['/big/1.jpg', '/media/1.jpg', '/media/2.jpg']);
  });

  test('are none when only other things have some', () => {
    expect(urls('<div class="related"><img src="/o/1.jpg" alt="A red sloop"></div>')).toBeUndefined();
  });
});
