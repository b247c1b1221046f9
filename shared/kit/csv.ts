const formula = /^[=+\-@\t\r]/;
const special = /[",\r\n]/;

/** A line of CSV (RFC 4180); a cell that a spreadsheet would take for a formula begins with an apostrophe. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cellOf).join(',')}\r\n`;

function cellOf(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
