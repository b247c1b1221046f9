import { LRUCache } from 'lru-cache';

const VOWELS = /[aeiouyäöüáéíóúàèìòùâêîôûåæøœãõ]/;
// Consonants that are written together for one sound count as one.
const ONE_SOUND = /sch|tch|ng|ch|ck|ph|th|gh|sh|wh|rh|sz|cz|rz|dz|zh|st|tz|ll|ss|tt|nn|mm|pp|ff|rr|qu/g;
const CONSONANT_RUN = /[bcdfghjklmnpqrstvwxzß]{5,}/;
const KEYBOARD_ROWS = [
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'yxcvbnm',
  'qazwsxedc',
  'lkjhgfdsa',
  'poiuytrewq',
  'mnbvcxz',
];
const WALK_LENGTH = 4;
/** Three neighbours on the keyboard that words do not hold. */
const SHORT_WALK = /asd|sdf|dfg|hjk|jkl|qwe|zxc|xcv/;
const STRETCHED = /(\p{L})\1{3}/u;
const ONE_LETTER = /(?<!\p{L})(\p{L})\1{7}/u;
const MIN_WORD_LENGTH = 4;
const MIN_WORDS = 2;
const IMPLAUSIBLE_SHARE = 0.5;
const MIN_REPEATED = 6;
const REPEATED_SHARE = 0.6;

// Words hold these: property, preiswert, strewn, Hertz, Azerbaijan, Konzert.
const walksInWords = new Set(['erty', 'wert', 'trew', 'ertz', 'rtzu', 'azer', 'zert']);
const keyboardWalks = new Set(
  KEYBOARD_ROWS.flatMap((row) =>
    Array.from({ length: row.length - WALK_LENGTH + 1 }, (_, at) => row.slice(at, at + WALK_LENGTH)),
  ).filter((walk) => !walksInWords.has(walk)),
);

/** True when no reader could make sense of the text: keyboard walks, unpronounceable words, hardly any letters. */
export function isGibberish(text: string): boolean {
  return isMostlySigns(text) || isMostlyImplausible(text);
}

/** True when one word makes up most of the text, or a word one letter over and over. */
export function isRepetitive(text: string): boolean {
  if (ONE_LETTER.test(text)) return true;
  const words = text.toLowerCase().match(/\p{L}{2,}/gu) ?? [];
  if (words.length < MIN_REPEATED) return false;
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Math.max(...counts.values()) >= Math.max(MIN_REPEATED, words.length * REPEATED_SHARE);
}

/** True when some words stand together as in a sentence; a list of names or keywords has none. */
export function hasSentence(text: string): boolean {
  return /(?<!\p{L})\p{L}{2,}(?:[ \t]+\p{L}+){4}/u.test(text);
}

/** The share of capitals among the letters that have two cases, how many those are, and in how many different words. */
export function capitals(text: string): { share: number; letters: number; words: number } {
  const upper = text.match(/\p{Lu}/gu)?.length ?? 0;
  const letters = upper + (text.match(/\p{Ll}/gu)?.length ?? 0);
  const words = new Set(text.match(/\p{Lu}{2,}/gu)).size;
  return { share: letters === 0 ? 0 : upper / letters, letters, words };
}

function isMostlySigns(decorated: string): boolean {
  // A row of the same sign is an ornament and counts once.
  const text = decorated.replaceAll(/([^\p{L}\p{N}\s])\1+/gu, '$1');
  const visible = text.match(/\S/gu)?.length ?? 0;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const digits = text.match(/\p{N}/gu)?.length ?? 0;
  return visible > 0 && (letters < visible * 0.1 || letters + digits < visible * 0.4);
}

function isMostlyImplausible(text: string): boolean {
  let words = 0;
  const implausible: string[] = [];
  for (const [word] of text.matchAll(/\p{Script=Latin}+/gu)) {
    // Short words in capitals are abbreviations; "loooong" is emphasis.
    if (word.length < MIN_WORD_LENGTH || (word.length < 6 && word === word.toUpperCase()) || STRETCHED.test(word))
      continue;
    words += 1;
    const plain = word.toLowerCase();
    if (isKnownImplausible(plain)) implausible.push(plain);
  }
  // One strange name in a short text is a name; the same one over and over, and nothing else, is not.
  const isOneName = new Set(implausible).size < MIN_WORDS && (implausible.length < 3 || implausible.length < words);
  return !isOneName && implausible.length >= words * IMPLAUSIBLE_SHARE;
}

/** Cache by word. */
const known = new LRUCache<string, boolean>({ max: 20_000 });

function isKnownImplausible(word: string): boolean {
  let answer = known.get(word);
  if (answer === undefined) known.set(word, (answer = isImplausible(word)));
  return answer;
}

function isImplausible(word: string): boolean {
  // Bdrm, Prkg, Hwy: short ones are abbreviations.
  if (!VOWELS.test(word)) return word.length > MIN_WORD_LENGTH;
  if (SHORT_WALK.test(word)) return true;
  for (let at = 0; at + WALK_LENGTH <= word.length; at += 1) {
    if (keyboardWalks.has(word.slice(at, at + WALK_LENGTH))) return true;
  }
  return CONSONANT_RUN.test(word.replaceAll(ONE_SOUND, (pair) => pair.charAt(0)));
}
