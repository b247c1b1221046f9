import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readPageContent } from '../../../scrapers/crawl/page-content.ts';
import { normalizeRecord } from '../../../shared/normalize/record.ts';

const html = readFileSync(new URL('../../../scrapers/sites/harbour-board/fixtures/page.html', import.meta.url), 'utf8');
const url = 'https://www.harbour-board.example/notices/17';
const read = (text: string) =>
  readPageContent(text, url, { site: 'harbour-board.example', startUrls: [url] }, { mode: 'structured' }).own;

test('a notice is read by the code of its site, and makes a listing', () => {
  const raw = read(html);
  expect(raw).toEqual({
    url,
    title: 'Contessa 32 "Merry Dance"',
    description: expect.stringMatching(/^After nineteen summers[^]+in winter\.$/),
    price: '£ 21,500 ono',
    location: { text: 'Lymington, United Kingdom' },
    properties: { Length: '32 ft', Beam: `9'6"`, Year: '1978', Engine: 'Yanmar 2GM20, 18 hp' },
    images: [1, 2].map((n) => ({ url: `https://www.harbour-board.example/photos/merry-dance-${n}.jpg` })),
    language: 'en',
  });
  expect(normalizeRecord(raw!, { site: 'harbour-board.example', now: new Date('2026-01-01') })).toMatchObject({
    record: {
      price: { amount: 21_500, currency: 'GBP', negotiable: true },
      location: { country: 'GB', city: 'Lymington' },
      attributes: { year: 1978, length: expect.closeTo(9.75, 1) },
    },
  });
});

test('a notice that is struck out is sold, and a page without a notice holds no record', () => {
  expect(read(html.replace('class="pinned"', 'class="struck"'))?.availability).toBe('SoldOut');
  expect(read('<div id="rules">Notices stay up for six weeks.</div>')).toBeUndefined();
});
