import { readFileSync } from 'node:fs';
import { memoizeText } from '../kit/memoize-text.ts';

/** The maker of a boat as it is written, and the model that follows it. */
export type NamedBoat = { brand: string; model?: string };

type Entry = { brand: string; isSeries: boolean };

const MAX_MODEL_WORDS = 4;

/** One spelling for names that differ in case, accents and hyphens. */
function fold(name: string): string {
  const lower = name.toLowerCase();
  return PLAIN.test(lower) ? lower : foldMarks(name);
}

const PLAIN = /^[a-z\d]+$/;
const foldMarks = memoizeText((name) =>
  name
    .normalize('NFD')
    .replaceAll(/[\p{M}'’.®™]/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}&]+/gu, ' ')
    .trim(),
);

const MAX_TITLE = 200;
/** What stands between the name and the rest; a comma between digits is a decimal one. */
const SEPARATOR = /[;|()/]|,(?!\d)/g;

/** Short names of makers are ordinary words too: within a title they count only before the number of a model. */
const MIN_OWN_NAME = 8;
/** What stands before the maker in a title. */
const OPENING =
  /^(?:(?:19|20)\d\d|\d|new|used|neu\p{L}*|gebraucht\p{L}*|verkaufe|biete|for|sale|zu|verkaufen|vendo|vends|te|koop|a|die|das|der|the|(?:motor|segel|sail|zeil)?-?\s?(?:boot|yacht|boat|jacht)e?s?|motorboot|segelboot|segelyacht|motoryacht|sailing|power|kajütboot|sloop|ketch|voilier|bateau|vedette|velero|lancha|barca|vela|motoscafo|gommone|segelbåt|motorbåt)$/iu;
const isOpening = memoizeText((word) => OPENING.test(word) || !/\p{L}/u.test(word));
/** What ends the model in a title. */
const CLOSING =
  /^(?:(?:19|20)\d\d|bj|baujahr|fuß|fuss|ft|feet|foot|meter|metre|mt|built|year|mit|with|avec|con|med|met|und|and|y|et|zu|for|inkl|incl|including|inclusive|boot|boats?|yachts?|segel\p{L}*|motor\p{L}*|sail\p{L}*|sloop|ketch|catamaran|katamaran|trailer|diesel|outboard|inboard|außenborder|top|sehr|very|gut\p{L}*|good|great|excellent|zustand|condition|used|new|neu|for|sale|vb|ps|hp|cv|price|preis|reduced|sold|refit|project|bateau|voilier|barca|velero|in|am|at|on|auf|from|von|to|the|der|die|das|kajüt\p{L}*|konsole|oder|or|o)$/iu;

/** Makers and series by their folded words, and by the first of these how many words they have at most; read at the first use. */
type Entries = { byName: Map<string, Entry>; lengths: Map<string, number> };

let entries: Entries | undefined;

/**
 * Gazetteer lookup: the maker that the title of a boat names, the first and longest of those on the list, and the words behind
 * it up to a separator, a year or a word that is none of a model: `1998 Bavaria 46 Cruiser, TOP` is Bavaria, 46 Cruiser. A series
 * that one maker alone has tells the maker (`Sun Odyssey 36i` is Jeanneau's). Undefined when none is certain.
 */
export function findBoatMaker(title: string): NamedBoat | undefined {
  entries ??= readEntries();
  const words = title.slice(0, MAX_TITLE).replaceAll(SEPARATOR, ' $& ').split(/\s+/);
  const folded = words.map(fold);
  let opening = true;
  for (const [at, word] of words.entries()) {
    const own = folded[at] ?? '';
    const first = own.includes(' ') ? own.slice(0, own.indexOf(' ')) : own;
    for (let length = Math.min(entries.lengths.get(first) ?? 0, words.length - at); length > 0; length -= 1) {
      const name = folded.slice(at, at + length);
      const found = name.includes('') ? undefined : entries.byName.get(name.join(' '));
      if (!found || !(opening || isDistinct(words, at, length))) continue;
      const model = readModel(words.slice(found.isSeries ? at : at + length), found.brand);
      return model === undefined ? { brand: found.brand } : { brand: found.brand, model };
    }
    opening &&= isOpening(word);
  }
  return undefined;
}

/** Within a title a name of several words or a long one is a maker's; a short one only before a number. */
function isDistinct(words: string[], at: number, length: number): boolean {
  const first = words[at] ?? '';
  if (!/^\p{Lu}/u.test(first)) return false;
  return length > 1 || first.length >= MIN_OWN_NAME || /^\p{L}?\d/u.test(words[at + length] ?? '');
}

function readModel(words: string[], brand: string): string | undefined {
  const model: string[] = [];
  const isOfBrand = (word: string) =>
    fold(brand).split(' ').includes(fold(word)) || /^(?:boats|yachts|marine)$/iu.test(word);
  for (const word of words) {
    if (model.length === 0 && isOfBrand(word)) continue;
    if (model.length >= MAX_MODEL_WORDS || CLOSING.test(word.replace(/(?<![.:!])[.:!]+$/, ''))) break;
    // Names begin with a capital or hold a number.
    if (!/^(?:\p{Lu}|.*\d)/u.test(word)) break;
    model.push(word.replace(/(?<![.:!])[.:!]+$/, ''));
    if (/[:!]$/.test(word)) break;
  }
  const text = model.join(' ').replace(/(?<![\s-])[\s-]+$/, '');
  return text === '' ? undefined : text;
}

function readEntries(): Entries {
  const found = new Map<string, Entry>();
  for (const file of ['boat-makers.tsv', 'boat-models.tsv']) {
    const text = readFileSync(new URL(`../../db/seed/${file}`, import.meta.url), 'utf8').trim();
    for (const line of text.split('\n')) {
      const [brand = '', series = ''] = line.split('\t');
      for (const name of [brand, brand.replace(/ (?:Boats|Yachts|Marine)$/, '')])
        if (fold(name) !== '') found.set(fold(name), found.get(fold(name)) ?? { brand, isSeries: false });
      for (const name of series.split('|').filter((each) => each !== ''))
        if (!found.has(fold(name))) found.set(fold(name), { brand, isSeries: true });
    }
  }
  const lengths = new Map<string, number>();
  for (const name of found.keys()) {
    const words = name.split(' ');
    const [first = ''] = words;
    lengths.set(first, Math.max(words.length, lengths.get(first) ?? 0));
  }
  return { byName: found, lengths };
}
