import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEmail, normalizeEmail, showEmail } from '../../../shared/kit/email.ts';
import { times } from '../../support/lane.ts';

describe('an address is accepted', () => {
  test.each([
    'ada@example.com',
    "o'neil+boats/2@mail.example.co.uk",
    'ü@bücher.example',
    '用户@例子.广告',
    'उपयोगकर्ता@उदाहरण.भारत',
    'a@xn--bcher-kva.example',
    `${'x'.repeat(64)}@example.com`,
  ])('%s', (address) => expect(isEmail(address)).toBe(true));
});

describe('an address is refused', () => {
  test.each([
    ['without an @', 'example.com'],
    ['with two', 'a@b@example.com'],
    ['without a dot in its domain', 'a@b'],
    ['also in another script', 'ü@bücher'],
    ['of an IPv4 address', 'a@127.0.0.1'],
    ['of one that is spelled in hexadecimal', 'a@0x7f.1'],
    ['of a domain literal', 'a@[127.0.0.1]'],
    ['with an empty label', 'a@b..example'],
    ['with a dot at the end', 'a@b.example.'],
    ['with a hyphen at the edge of a label', 'a@b-.example'],
    ['with an encoded domain', 'a@ex%61mple.com'],
    ['with a port', 'a@example.com:25'],
    ['with a blank', 'a b@example.com'],
    ['with a blank before it', ' a@example.com'],
    ['with a no-break space', 'a\u00A0b@example.com'],
    ['with a line break', 'a@example.com\r\nBcc: b@example.com'],
    ['with a character that turns the direction of the text', 'a\u202Eb@example.com'],
    ['with two dots before the @', 'a..b@example.com'],
    ['with a dot first', '.a@example.com'],
    ['in quotes', '"a b"@example.com'],
    ['with more than 64 bytes before the @', `${'ü'.repeat(33)}@example.com`],
    ['with half a character', 'a\uD800@example.com'],
    ['with a label of 64 characters', `a@${'x'.repeat(64)}.example`],
  ])('%s: %s', (_name, address) => expect(isEmail(address)).toBe(false));
});

test('every spelling of an address has one canonical form: NFC, lower case, domain in punycode', () => {
  const spellings = ['Jürgen@Bücher.Example', 'ju\u0308rgen@xn--bcher-kva.example', 'JÜRGEN@bu\u0308cher\u3002example'];
  expect(new Set(spellings.map(normalizeEmail))).toEqual(new Set(['jürgen@xn--bcher-kva.example']));
  expect(showEmail('jürgen@xn--bcher-kva.example')).toBe('jürgen@bücher.example');
});

test('whatever RFC 5322 writes without quotes is accepted', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (address) => {
      expect(isEmail(address)).toBe(true);
    }),
    { numRuns: times(2_000, 40_000) },
  );
});

test('the canonical form is accepted, is its own canonical form and that of how it is shown', () => {
  const label = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const address = fc.tuple(label, label, label).map(([local, name, top]) => `${local}@${name}.${top}`);
  fc.assert(
    fc.property(fc.oneof(address, fc.emailAddress()), (text) => {
      if (!isEmail(text)) return;
      const canonical = normalizeEmail(text);
      expect(isEmail(canonical)).toBe(true);
      expect(normalizeEmail(canonical)).toBe(canonical);
      expect(normalizeEmail(showEmail(canonical))).toBe(canonical);
      const domain = canonical.slice(canonical.lastIndexOf('@') + 1);
      expect(domainToASCII(domain)).toBe(domain);
    }),
    { numRuns: times(3_000, 60_000) },
  );
});
