const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const LATIN = /^[a-z]+$/;

/** A text that one edit makes of another, and where the edit is: what stands before `at` is unchanged. */
export type Edit = { text: string; at: number };

/**
 * All texts at Damerau-Levenshtein distance 1 of a word: a letter wrong, missing, too many, or swapped with the next. Letters
 * come in where the word is of Latin ones.
 */
export function editsOf(word: string): Edit[] {
  const letters = [...word];
  const others = LATIN.test(word) ? LETTERS : [];
  const edits = Array.from({ length: letters.length + 1 }, (_, at): Edit[] => {
    const [head, tail] = [letters.slice(0, at).join(''), letters.slice(at)];
    const rest = tail.slice(1).join('');
    const inserted = others.map((letter) => head + letter + tail.join(''));
    if (tail.length === 0) return inserted.map((text) => ({ text, at }));
    const replaced = others.map((letter) => head + letter + rest);
    const swapped = tail.length > 1 ? [head + tail[1] + tail[0] + tail.slice(2).join('')] : [];
    return [...inserted, ...replaced, ...swapped, head + rest].map((text) => ({ text, at }));
  }).flat();
  const different = new Map(edits.toReversed().map((edit) => [edit.text, edit]));
  different.delete(word);
  return [...different.values()];
}

/** Whether the Damerau-Levenshtein distance is 1. */
export function isOneEditApart(a: string, b: string): boolean {
  const [short, long] = [[...a], [...b]].sort((x, y) => x.length - y.length) as [string[], string[]];
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  let end = 0;
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end += 1;
  const [left, right] = [short.slice(start, short.length - end), long.slice(start, long.length - end)];
  if (left.length === 2 && right.length === 2) return left[0] === right[1] && left[1] === right[0];
  return right.length === 1 && left.length <= 1;
}
