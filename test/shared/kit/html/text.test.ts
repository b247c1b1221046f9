import { expect, test } from 'vitest';
import { parsePage } from '../../../../scrapers/extract/page.ts';
import { lineOf, ownText, textOf } from '../../../../shared/kit/html/text.ts';

const first = (html: string) => parsePage(html, 'https://site.example/').elements[0]!;

test.each([
  ['<div> a <b>b</b>  c\n\td </div>', 'a b c d'],
  ['<div><p>one</p> <p>two</p>three</div>', 'one\n\ntwo\n\nthree'],
  ['<ul><li>one</li> <li> two </li></ul>', 'one\ntwo'],
  ['<div>one<br>two<br> <br><br>three</div>', 'one\ntwo\n\nthree'],
  ['<table><tr><th>Length</th><td>10 m</td></tr> <tr><td> Year<td>1975</tr></table>', 'Length 10 m\nYear 1975'],
  ['<div>12<sup>99</sup> <sup>1</sup> x<sup>50</sup></div>', '12.99 1 x50'],
  ['<div>a<script>b</script><style>c</style>d<svg><text>e</text></svg></div>', 'ad'],
  ['<div>\u00a0a\u2003\u00a0b&nbsp;<span> </span>c</div>', 'a b c'],
  ['<div> <p> </p> <br> </div>', ''],
])('the text of %j', (html, text) => {
  expect(textOf(first(html))).toBe(text);
  expect(lineOf(first(html))).toBe(text.replace(/\s+/g, ' '));
});

test('a line that was read before is what its limit allows, whichever limit came first', () => {
  const html = '<div>one <b>two</b> three</div>';
  const limits = [3, 5, 7, 13, 14, 100];
  const alone = limits.map((limit) => lineOf(first(html), limit));
  const inOrder = first(html);
  const reversed = first(html);
  expect(limits.map((limit) => lineOf(inOrder, limit))).toEqual(alone);
  expect(
    limits
      .toReversed()
      .map((limit) => lineOf(reversed, limit))
      .toReversed(),
  ).toEqual(alone);
  expect(alone).toEqual(['one', 'one t', 'one two', 'one two three', 'one two three', 'one two three']);
});

test('the own text of an element is without that of its children', () => {
  expect(ownText(first('<div> a <b>b</b>\n c</div>'))).toBe('a c');
});
