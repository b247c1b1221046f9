const GAP = '  ';
const MAX_CELL = 60;

/** A line with foreign texts for a terminal: control characters, which could move its cursor, are blanks; tabs stay. */
export const plainLine = (line: string): string =>
  line.replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) => (character === '\t' ? character : ' '));

const toCell = (text: string): string => text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();

/** Aligned columns with a head for a terminal; in a pipe one line per row, its cells separated by tabs. */
export function formatTable(head: string[], rows: string[][], terminalWidth: number | undefined): string {
  const cells = rows.map((row) => row.map(toCell));
  if (terminalWidth === undefined) return cells.map((row) => `${row.join('\t')}\n`).join('');
  const all = [head, ...cells].map((row) => row.map((cell) => shorten(cell, MAX_CELL)));
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(GAP))
    .map((line) => `${shorten(line.trimEnd(), terminalWidth)}\n`)
    .join('');
}

const shorten = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text);

type Money = { amount: number; currency: string };

/** `89,000 EUR`, or that the price is on request. */
export const formatPrice = ({ amount, currency }: Money): string =>
  amount === 0 ? 'on request' : `${amount.toLocaleString('en')} ${currency}`;
