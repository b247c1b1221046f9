import type { Fingerprint } from './fingerprint.ts';

const MAX_WORDS = 14;
const MAX_CODES = 6;
const MAX_IMAGES = 4;

/**
 * The blocking keys of a listing: words, adjacent word pairs, codes, serial number, quarters of image hashes, bands of the
 * description's MinHash signature (LSH). Two listings without a common key are never compared.
 */
export function blockingKeysOf(print: Fingerprint): string[] {
  const keys = new Set<string>();
  const { words, codes, joins } = print.title;
  const telling = words.filter((word) => word.length > 1).slice(0, MAX_WORDS);
  for (const word of telling) keys.add(`w:${word}`);
  for (const [index, word] of telling.slice(1).entries()) keys.add(neighboursKey(telling[index] ?? '', word));
  for (const code of [...codes, ...print.codes].slice(0, MAX_CODES)) {
    keys.add(`w:${code}`);
    if (code.length >= 6) keys.add(`c:${code.slice(0, -1)}`);
    if (code.length >= 5) keys.add(`c:${code}`);
  }
  for (const joined of joins.slice(0, MAX_CODES)) keys.add(`w:${joined}`);
  if (print.serial) keys.add(`s:${print.serial}`);
  if (print.brand && print.model) keys.add(`m:${print.brand} ${print.model} ${print.year ?? ''}`);
  for (const hash of print.images?.slice(0, MAX_IMAGES) ?? [])
    for (let quarter = 0; quarter < 4; quarter++) keys.add(`p${quarter}:${hash.slice(quarter * 4, quarter * 4 + 4)}`);
  for (let band = 0; band + 4 <= print.minhash.length; band += 4)
    keys.add(`d${band / 4}:${print.minhash.slice(band, band + 4).join('.')}`);
  return [...keys];
}

/** The same key for two words in either order. */
const neighboursKey = (one: string, other: string) => (one < other ? `n:${one} ${other}` : `n:${other} ${one}`);
