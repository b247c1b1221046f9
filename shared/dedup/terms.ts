/** The terms of a text that tell things apart. */
export type Terms = {
  /** Each word once, in order, without accents; a code counts as one word, CJK text as pairs of characters. */
  words: string[];
  /** Among the words those that mix letters and digits, or are long numbers: model numbers, part numbers. */
  codes: string[];
  /** Adjacent words with a digit, written together: `kx tg6700` is `kxtg6700` elsewhere. */
  joins: string[];
  /** Plain numbers without a unit: versions, sizes, editions. */
  numbers: string[];
  /** Numbers with a unit, as `gb:4`. */
  measures: string[];
};

const units = new Map(
  Object.entries({
    tb: 'tb',
    gb: 'gb go gigabyte',
    mb: 'mb megabyte',
    kg: 'kg kgs kilo kilos kilogram kilograms',
    g: 'g gr gram grams gramm gramme grammes grammi gramo gramos gm gms grm',
    mg: 'mg',
    oz: 'oz ounce ounces',
    lb: 'lb lbs pound pounds',
    l: 'l lt ltr liter litre liters litres litro litros litri',
    ml: 'ml mls milliliter millilitre mililiter',
    mm: 'mm',
    cm: 'cm',
    m: 'm mtr meter meters metre metres metro metros metri',
    ft: 'ft feet foot',
    in: 'in inch inches "',
    w: 'w watt watts',
    v: 'v volt volts',
    mah: 'mah',
    mp: 'mp megapixel megapixels mpix',
    hp: 'hp ps bhp cv',
    pcs: 'pcs pc pieces piece pack pk pcs/pack stk stuck piezas pezzi pz buah biji lembar lbr',
    hz: 'hz',
    ghz: 'ghz',
    user: 'user users',
    cc: 'cc',
  }).flatMap(([unit, names]) => names.split(' ').map((name) => [name, unit] as const)),
);

const entities = new Map([
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['lt', '<'],
  ['gt', '>'],
]);
const MAX_WORD = 40;
/** Where it stands apart it is a word of its own as often as a unit: `2 in 1`. */
const isWordToo = (raw: string) => raw === 'in' || raw === 'm';
const piece = /[\p{L}\p{M}\p{N}]+(?:[-./'’]+[\p{L}\p{M}\p{N}]+)*["”″]?/gu;
const ideographs = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

/** Tokenises a text into terms; markup, letter case and accents do not count. */
export function extractTerms(text: string, mostWords = 60): Terms {
  const words: string[] = [];
  const numbers = new Set<string>();
  const measures = new Set<string>();
  let waiting: string | undefined;
  for (const [match] of plainText(text).matchAll(piece)) {
    for (const raw of partsOf(match)) {
      const [, amount, unit] = /^(\d+(?:\.\d+)?)(\D*)$/.exec(raw) ?? [];
      const known = units.get(unit ?? '');
      if (amount !== undefined && known) {
        measures.add(`${known}:${Number(amount)}`);
        words.push(`${Number(amount)}${known}`);
        waiting = undefined;
        continue;
      }
      const apart = waiting === undefined ? undefined : units.get(raw);
      if (waiting !== undefined && apart !== undefined) {
        measures.add(`${apart}:${Number(waiting)}`);
        numbers.delete(String(Number(waiting)));
        const amountInUnit = `${Number(waiting)}${apart}`;
        waiting = undefined;
        if (!isWordToo(raw)) {
          words[words.length - 1] = amountInUnit;
          continue;
        }
      } else if (amount !== undefined && unit === '' && amount.length < 5) numbers.add(String(Number(amount)));
      waiting = amount !== undefined && unit === '' ? amount : undefined;
      if (raw.length > 0 && raw.length <= MAX_WORD)
        words.push(amount !== undefined && unit === '' ? numeral(amount) : raw);
    }
  }
  const distinct = [...new Set(words)].slice(0, mostWords);
  const joins = words.slice(1).flatMap((word, index) => {
    const joined = `${words[index]}${word}`;
    return /\d/.test(joined) && /[a-z]/.test(joined) && joined.length <= MAX_WORD ? [joined] : [];
  });
  return {
    words: distinct,
    codes: distinct.filter(isCode),
    joins: [...new Set(joins)].slice(0, mostWords),
    numbers: [...numbers].slice(0, 12),
    measures: [...measures].slice(0, 12),
  };
}

/** Whether a word looks like a model or part number. */
export function isCode(word: string): boolean {
  if (/^\d{5,}$/.test(word)) return true;
  if (!/\d/.test(word) || !/\p{L}/u.test(word) || word.length < 4) return false;
  const [, , unit] = /^(\d+(?:\.\d+)?)(\D+)$/.exec(word) ?? [];
  return unit === undefined || !units.has(unit);
}

const numeral = (amount: string) => (amount.length < 5 ? String(Number(amount)) : amount);

function plainText(text: string): string {
  return text
    .replaceAll(/<[^<>]{1,200}>/g, ' ')
    .replaceAll(/&(\w{2,6});/g, (entity, name: string) => entities.get(name) ?? entity)
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .normalize('NFKC')
    .toLowerCase();
}

/** The words of one piece: hyphenated letters are words of their own, anything with a digit is written together. */
function partsOf(match: string): string[] {
  const inches = /["”″]$/.test(match);
  const bare = inches ? match.slice(0, -1) : match;
  if (inches && /^\d+(?:\.\d+)?$/.test(bare)) return [`${bare}in`];
  if (ideographs.test(bare)) return pairsOf(bare);
  if (/^\d+(?:\.\d+)?$/.test(bare)) return [bare];
  const version = /^v(?:er)?\.?(\d+(?:\.\d+)*)$/.exec(bare);
  if (version?.[1]) return [version[1]];
  if (/^\d+\.\d+[a-z]{1,4}$/.test(bare)) return [bare];
  const parts = bare.split(/[-./'’]+/);
  if (parts.length === 1 || !/\d/.test(bare)) return parts;
  if (bare.includes('/')) return bare.split('/').flatMap((part) => partsOf(part));
  return [parts.join('')];
}

function pairsOf(text: string): string[] {
  const characters = [...text.replaceAll(/[-./'’]+/g, '')];
  if (characters.length < 3) return [characters.join('')];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
