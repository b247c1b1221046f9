import { expect, test } from 'vitest';
import { formatTable, plainLine } from '../../../api/sdk/src/cli/output.ts';

const rows = [
  ['lst_1', 'Bavaria 37', '89,000 EUR'],
  ['lst_22', 'A boat\u001B[2J that\nclears\tthe screen', 'on request'],
];

test('a table is aligned and has a head on a terminal, and no line is wider than that', () => {
  const table = formatTable(['ID', 'TITLE', 'PRICE'], rows, 50);
  expect(table.split('\n')).toEqual([
    'ID      TITLE                              PRICE',
    'lst_1   Bavaria 37                         89,000…',
    'lst_22  A boat [2J that clears the screen  on req…',
    '',
  ]);
});

test('in a pipe it is cells separated by tabs, one row in a line', () => {
  expect(formatTable(['ID', 'TITLE', 'PRICE'], rows, undefined)).toBe(
    'lst_1\tBavaria 37\t89,000 EUR\nlst_22\tA boat [2J that clears the screen\ton request\n',
  );
});

test('no text of others moves the cursor of a terminal', () => {
  expect(plainLine('a\u001B]0;b\u0007\tc\u202Ed')).toBe('a ]0;b \tc d');
});
