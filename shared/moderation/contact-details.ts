import { findPhones } from './contacts.ts';

/** A way to reach somebody that a text names; `disguised` when it is written so that programs do not see it. */
export type ContactDetail = { kind: 'email' | 'phone' | 'messenger'; text: string; disguised: boolean };

const MAX_READ_LENGTH = 20_000;
const MAX_DETAILS = 10;

const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}(?![\w-])/gi;
/** name (at) mail (dot) com: brackets around what the signs are called. */
const BRACKETED_AT = /\s?[([{<]\s?(?:at|ät|arroba|chez|@)\s?[)\]}>]\s?/gi;
const BRACKETED_DOT = /\s?[([{<]\s?(?:dot|punkt|punto|point|\.)\s?[)\]}>]\s?/gi;
/** name at mail dot com. */
const SPOKEN_EMAIL =
  /(?<![\w.+-])[\w.+-]{2,64}\s(?:at|ät|arroba|chez)\s[\w-]{2,63}\s(?:dot|punkt|punto|point)\s(?:com|net|org|info|de|fr|es|it|uk|co|eu|nl|ru|ch|at|me|io)(?!\w)/gi;

const MESSENGER =
  /(?<!\p{L})(?:whats[\s-]?app|watt?s?app|whatsap|wh4tsapp|telegram|telegr4m|viber|wechat|kakao ?talk|카톡|카카오톡|line id|snapchat)(?!\p{L})/giu;
const SPACED_MESSENGER =
  /(?<!\p{L})(?:w[\s._*-]h[\s._*-]a[\s._*-]t[\s._*-]s[\s._*-]?a[\s._*-]p[\s._*-]p|t[\s._*-]e[\s._*-]l[\s._*-]e[\s._*-]g[\s._*-]r[\s._*-]a[\s._*-]m)(?!\p{L})/giu;
const MESSENGER_LINK = /(?<!\w)(?:wa\.me|t\.me|api\.whatsapp\.com|m\.me)\/[\w+?=&/-]{2,60}/gi;
const ODD_SPELLING = /^(?:watt?s?app|whatsap|wh4tsapp|telegr4m)$/i;

const digitWords = new Set(
  `zero one two three four five six seven eight nine oh null eins zwei drei vier fünf sechs sieben acht neun
  cero uno dos tres cuatro cinco seis siete ocho nueve zéro un deux trois quatre cinq sept huit neuf
  due tre quattro cinque sei sette otto nove nul een twee drie vijf zes zeven negen`.split(/\s+/),
);
/** Words, digits, and whatever ends a row of them. */
const TOKEN = /\p{L}+|\d|[^\p{L}\d\s.,_*/-]/gu;
/** A number is spelled out when so many words of its digits are. */
const MIN_SPELLED = 3;
const MIN_DIGITS = 7;
/** Single digits apart from each other: 0 6 1 2 3 4 5 6 7 8, 0*6*1*2. */
const SPREAD_PHONE = /(?<![\d.,/-])[0+](?:[\s._*~|-]{1,3}\d){8,13}(?![\s._*~|-]?\d)/g;
/** The letter o for zeros, l for ones: o612 345 678. */
const LETTERED_PHONE = /(?<![\p{L}\d])[+0oO](?:[ .-]?[\dOoIl]){8,12}(?![\p{L}\d])/gu;

/** The ways to reach the seller that a text names, plain and disguised, each once and at most ten. */
export function findContactDetails(text: string): ContactDetail[] {
  const read = text.slice(0, MAX_READ_LENGTH);
  const details: ContactDetail[] = [];
  const add = (kind: ContactDetail['kind'], disguised: boolean, found: Iterable<string>) => {
    for (const each of found) details.push({ kind, text: each.trim(), disguised });
  };
  add('email', false, matchesOf(read, EMAIL));
  const unbracketed = read.replaceAll(BRACKETED_AT, '@').replaceAll(BRACKETED_DOT, '.');
  if (unbracketed !== read)
    add(
      'email',
      true,
      matchesOf(unbracketed, EMAIL).filter((email) => !read.includes(email)),
    );
  add('email', true, matchesOf(read, SPOKEN_EMAIL));
  add('phone', false, findPhones(read));
  add('phone', true, findSpelledNumbers(read));
  add('phone', true, matchesOf(read, SPREAD_PHONE));
  add('phone', true, matchesOf(read, LETTERED_PHONE).filter(isLettered));
  for (const name of matchesOf(read, MESSENGER)) add('messenger', ODD_SPELLING.test(name), [name]);
  add('messenger', true, matchesOf(read, SPACED_MESSENGER));
  add('messenger', false, matchesOf(read, MESSENGER_LINK));
  const distinct = new Map(details.map((detail) => [`${detail.kind} ${detail.text.toLowerCase()}`, detail]));
  return [...distinct.values()].slice(0, MAX_DETAILS);
}

const matchesOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([match]) => match);

const isLettered = (text: string) => /[OoIl]/.test(text) && (text.match(/\d/g)?.length ?? 0) >= MIN_DIGITS - 1;

/** Rows of digits that are at least partly written as words: "zero six one two …". */
function findSpelledNumbers(text: string): string[] {
  const found: string[] = [];
  let row = { from: 0, to: 0, words: 0, digits: 0 };
  const end = () => {
    if (row.words >= MIN_SPELLED && row.digits >= MIN_DIGITS) found.push(text.slice(row.from, row.to));
    row = { from: 0, to: 0, words: 0, digits: 0 };
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const isWord = digitWords.has(token.toLowerCase());
    if (!isWord && !/^\d$/.test(token)) end();
    else {
      const from = row.digits === 0 ? index : row.from;
      row = { from, to: index + token.length, words: row.words + (isWord ? 1 : 0), digits: row.digits + 1 };
    }
  }
  end();
  return found;
}
