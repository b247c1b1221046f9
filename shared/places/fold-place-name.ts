const plainLetters = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ı', 'i'],
]);

/** One spelling for names that differ in case, accents and punctuation. */
export function foldPlaceName(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/[\p{M}\u200b-\u200f'’‘`.]/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþı]/g, (letter) => plainLetters.get(letter) ?? letter)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .replaceAll(/\b(?:st|ste|sankt|saint|sainte)\b/g, 'saint')
    .replaceAll(/\bft\b/g, 'fort')
    .replaceAll(/\bmt\b/g, 'mount')
    .trim();
}
