/** Small letters without accents; symbols fall out, and words are apart where white space is. */
export function tokensOf(text: string): string[] {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .split(/\s+/u)
    .map((word) => word.replaceAll(/[^\p{L}\p{N}]/gu, ''))
    .filter(Boolean);
}

/** The words of a text that is searched: what stands between symbols, too. */
export const wordsOf = (text: string): string[] => tokensOf(text.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' '));

/** One letter replaced, added or left out, or two neighbours swapped, counts as one. */
export function typos(a: string, b: string, most: number): number {
  const [left, right] = [[...a], [...b]];
  if (Math.abs(left.length - right.length) > most) return most + 1;
  const rows = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  for (const [i, letter] of left.entries()) {
    const row = [i + 1];
    for (const [j, other] of right.entries()) {
      const swapped =
        i > 0 && j > 0 && letter === right[j - 1] && left[i - 1] === other ? rows[i - 1]![j - 1]! + 1 : Infinity;
      row.push(Math.min(rows[i]![j + 1]! + 1, row[j]! + 1, rows[i]![j]! + Number(letter !== other), swapped));
    }
    rows.push(row);
  }
  return rows.at(-1)!.at(-1)!;
}

export type Query = { words: string[]; phrases: string[][]; excluded: string[] };

/** Reads `q`: words, "phrases", and -words that must not be there. */
export function readQuery(q: string): Query {
  const phrases = [...q.matchAll(/"([^"]*)"/g)].map(([, text = '']) => wordsOf(text)).filter((each) => each.length > 0);
  const rest = q.replaceAll(/"[^"]*"/g, ' ').split(/\s+/u);
  const excluded = rest.filter((word) => /^-./.test(word)).flatMap((word) => wordsOf(word));
  const words = rest.filter((word) => !/^-./.test(word)).flatMap((word) => wordsOf(word));
  return { words, phrases, excluded };
}
