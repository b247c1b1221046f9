import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../shared/kit/errors.ts';
import { normalizeUrl } from '../../../shared/ingest/normalized-url.ts';
import { times } from '../../support/lane.ts';

test.each([
  ['scheme and host in small letters, the path as it is', 'HTTPS://Example.COM/Boat/1', 'https://example.com/Boat/1'],
  ['no default port', 'https://example.com:443/a', 'https://example.com/a'],
  ['another port stays', 'http://example.com:8080/a', 'http://example.com:8080/a'],
  ['no fragment', 'https://example.com/a#photos', 'https://example.com/a'],
  ['no trailing slash', 'https://example.com/a//', 'https://example.com/a'],
  ['not even of the root', 'https://example.com/?b=1', 'https://example.com?b=1'],
  [
    'no tracking parameters',
    'https://example.com/a?utm_source=x&id=7&gclid=1&fbclid=2&UTM_Medium=y',
    'https://example.com/a?id=7',
  ],
  [
    'parameters sorted by name, equal names in their order',
    'https://example.com/a?b=2&a=2&a=1',
    'https://example.com/a?a=2&a=1&b=2',
  ],
  ['no empty query', 'https://example.com/a?&', 'https://example.com/a'],
  ['one spelling of a space in the query', 'https://example.com/a?q=x+y', 'https://example.com/a?q=x%20y'],
  ['one spelling of percent-encoding', 'https://example.com/%7Eann/%c3%a9%41', 'https://example.com/~ann/%C3%A9A'],
  ['an encoded slash is no slash', 'https://example.com/a%2fb', 'https://example.com/a%2Fb'],
  ['no session id', 'https://example.com/a;jsessionid=AB12?PHPSESSID=3', 'https://example.com/a'],
  ['no credentials', 'https://me:secret@example.com/a', 'https://example.com/a'],
  ['an international host in its ASCII form', 'https://Bücher.example./a', 'https://xn--bcher-kva.example/a'],
])('%s', (_rule, url, normalized) => {
  expect(normalizeUrl(url)).toBe(normalized);
});

test('http and https, www and the bare host stay apart', () => {
  const pages = ['http://example.com/a', 'https://example.com/a', 'https://www.example.com/a'];
  expect(new Set(pages.map(normalizeUrl)).size).toBe(3);
});

describe('refuses with a validation_error', () => {
  test.each([
    '',
    'no url',
    '/path',
    'ftp://example.com/a',
    'javascript:alert(1)',
    'https://',
    `https://e.com/${'ü'.repeat(500)}`,
  ])("'%s'", (url) => {
    expect(() => normalizeUrl(url)).toThrow(ServiceError);
  });
});

test('normalising twice changes nothing and never exceeds 2,048 characters', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '/',
      '//',
      '.',
      '..',
      '%',
      '%2',
      '%2e',
      '%2F',
      '%zz',
      ';jsessionid=1',
      '?',
      '&',
      '=',
      '+',
      '#',
      'utm_a=1',
      'a',
      'B',
      'é',
      '日',
      ' ',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  const url = fc.array(piece, { maxLength: 25 }).map((parts) => `https://Example.com/${parts.join('')}`);
  fc.assert(
    fc.property(url, (text) => {
      if (!URL.canParse(text)) return;
      const once = normalizeUrl(text);
      expect(normalizeUrl(once)).toBe(once);
      expect(once.length).toBeLessThanOrEqual(2_048);
    }),
    { numRuns: times(500, 10_000) },
  );
});
