import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLooseJson } from '../../../scrapers/extract/loose-json.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

test.each([
  ['strict JSON', '{"a": 1, "b": ["x"]}', { a: 1, b: ['x'] }],
  ['trailing commas', '{"a": [1, 2,], "b": 2,}', { a: [1, 2], b: 2 }],
  ['line and block comments', '{// one\n"a": 1, /* two */ "b": 2}', { a: 1, b: 2 }],
  ['an HTML comment around it', '<!--\n{"a": 1}\n-->', { a: 1 }],
  ['a commented CDATA section', '//<![CDATA[\n{"a": 1}\n//]]>', { a: 1 }],
  ['raw line breaks and tabs inside texts', '{"a": "one\ntwo\tthree"}', { a: 'one\ntwo\tthree' }],
  ['escapes that JSON does not know', String.raw`{"a": "it\'s 5\% off\u00e9"}`, { a: "it's 5% offé" }],
  ['unescaped quotes inside a text', '{"a": "a 22" monitor", "b": 1}', { a: 'a 22" monitor', b: 1 }],
  ['single quotes and bare keys', "{a: 'x', b: true, c: null}", { a: 'x', b: true, c: null }],
  ['a missing comma between lines', '{"a": 1\n"b": 2}', { a: 1, b: 2 }],
  ['a text that was cut off', '{"a": {"b": [1, "x', { a: { b: [1, 'x'] } }],
  ['escaped quotes of HTML', '{&quot;a&quot;: &quot;x &amp; y&quot;}', { a: 'x & y' }],
  ['a closing semicolon', '{"a": 1};', { a: 1 }],
  ['two documents in a row', '{"a": 1} {"b": 2}', [{ a: 1 }, { b: 2 }]],
])('reads %s', (_, source, expected) => {
  expect(parseLooseJson(source)).toEqual(expected);
});

test('gives undefined when there is no object or array', () => {
  expect(parseLooseJson('')).toBeUndefined();
  expect(parseLooseJson('no data here')).toBeUndefined();
});

test('a key named __proto__ stays a key', () => {
  const parsed = parseLooseJson('{"__proto__": {"polluted": 1}, "a": 1,}') as Record<string, unknown>;
  expect(parsed.polluted).toBeUndefined();
  expect(Object.keys(parsed)).toEqual(['__proto__', 'a']);
});

test('reads whatever JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.object(), (value) => {
      const text = JSON.stringify(value);
      expect(parseLooseJson(text)).toEqual(JSON.parse(text));
      expect(parseLooseJson(`/* once more, the forgiving way */${text}`)).toEqual(JSON.parse(text));
    }),
  );
});

test('never throws on damaged JSON', () => {
  const damaged = fc.tuple(fc.json(), fc.nat(), fc.string()).map(([json, at, noise]) => {
    const place = at % (json.length + 1);
    return json.slice(0, place) + noise + json.slice(place + 1);
  });
  const readsAny = fc.property(damaged, (source) => void parseLooseJson(source));
  expect(() => fc.assert(readsAny, { numRuns: 500 })).not.toThrow();
});

test.each([
  ['white space around the end of a comment', `{"a": 1}${' '.repeat(300_000)}-->${' '.repeat(300_000)}x`],
  ['ends of comments', `{"a": 1}${' -->'.repeat(100_000)}x`],
  ['beginnings of comments', `${'//  '.repeat(100_000)}{"a": 1,}`],
])('hundreds of thousands of %s take little time', (_, source) => {
  expect(cpuMsOf(() => parseLooseJson(source))).toBeLessThan(5_000);
});

test('a million nested brackets take no stack and little time', () => {
  expect(cpuMsOf(() => parseLooseJson('['.repeat(1_000_000)))).toBeLessThan(5_000);
  expect(cpuMsOf(() => parseLooseJson('{"a":'.repeat(200_000)))).toBeLessThan(5_000);
});
