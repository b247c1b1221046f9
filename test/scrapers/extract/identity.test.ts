import { expect, test } from 'vitest';
import { canonicalUrl } from '../../../scrapers/extract/identity.ts';
import { parsePage, resolveUrl } from '../../../scrapers/extract/page.ts';

const canonicalOf = (head: string, url: string) => canonicalUrl(parsePage(`<head>${head}</head>`, url));

test('the canonical link names the page, without its fragment', () => {
  expect(canonicalOf('<link rel="canonical" href="/p/1#x">', 'https://a.example/p/1?ref=2')).toBe(
    'https://a.example/p/1',
  );
});

test('a canonical link to the home page or another site is a mistake', () => {
  expect(canonicalOf('<link rel="canonical" href="/">', 'https://a.example/p/1')).toBe('https://a.example/p/1');
  expect(canonicalOf('<link rel="canonical" href="https://b.example/p/1">', 'https://a.example/p/1')).toBe(
    'https://a.example/p/1',
  );
  expect(canonicalOf('<link rel="canonical" href="https://a.example/p/1">', 'https://m.a.example/p/1')).toBe(
    'https://a.example/p/1',
  );
});

test('links are resolved against the base of the page', () => {
  expect(parsePage('<base href="/shop/"><a href="x">', 'https://a.example/p/1').base).toBe('https://a.example/shop/');
});

test.each([
  ['javascript:void(0)'],
  ['mailto:a@b.c'],
  ['data:image/png;base64,x'],
  [''],
  ['http://'],
  [`/${'x'.repeat(3_000)}`],
])('%.30s is no address', (link) => {
  expect(resolveUrl(link, 'https://a.example/')).toBeUndefined();
});
