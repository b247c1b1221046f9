import { LRUCache } from 'lru-cache';
import type { Catalog } from '../../catalog/tree.ts';
import { categoryWordsOf } from '../../catalog/category-words.ts';
import { isOneEditApart } from '../query/correct-words.ts';
import { EAST_ASIAN, plainText } from '../../kit/phrases.ts';

type Entry = { id: string; text: string; locale: string | undefined; order: number };
/** How well a text fits, best first; undefined when it does not. */
type Fit = (entry: Entry, locale: string) => number | undefined;

/** Other names than the reader's own take more letters to be meant. */
const MIN_OTHER_LENGTH = 3;
const MIN_CORRECTED_LENGTH = 5;

const indexes = new WeakMap<Catalog, Entry[]>();
/** What was found for texts, which many readers type: a catalog never changes while a process lives. */
const found = new WeakMap<Catalog, LRUCache<string, string[]>>();

/**
 * The ids of categories that somebody may be typing: whose name in their locale begins so, or a word in it; then whose name
 * in another language or a word for what it holds begins so. Wider categories come before narrower ones.
 */
export function suggestCategories(catalog: Catalog, q: string, locale: string): string[] {
  const text = plainText(q);
  if (text === '') return [];
  const isOther = text.length >= MIN_OTHER_LENGTH || EAST_ASIAN.test(text);
  return choose(catalog, `begins ${text}`, locale, (entry, reader) => {
    if (entry.locale === reader) return entry.text.startsWith(text) ? 0 : holds(entry.text, text) ? 1 : undefined;
    if (!isOther || !entry.text.startsWith(text)) return undefined;
    return entry.locale === undefined ? 3 : 2;
  });
}

/** The same with one wrong letter in a word of five letters or more, by the names in the reader's locale alone. */
export function correctCategories(catalog: Catalog, q: string, locale: string): string[] {
  const typed = plainText(q).split(' ');
  if (!typed.some((word) => word.length >= MIN_CORRECTED_LENGTH)) return [];
  return choose(catalog, `like ${typed.join(' ')}`, locale, (entry, reader) => {
    if (entry.locale !== reader) return undefined;
    const words = entry.text.split(' ');
    return typed.every((word) => words.some((known) => isLike(word, known))) ? 0 : undefined;
  });
}

function choose(catalog: Catalog, asked: string, locale: string, fit: Fit): string[] {
  const known = found.get(catalog) ?? new LRUCache<string, string[]>({ max: 5_000 });
  found.set(catalog, known);
  const key = `${locale} ${asked}`;
  const ids = known.get(key) ?? chooseAnew(catalog, locale, fit);
  known.set(key, ids);
  return ids;
}

function chooseAnew(catalog: Catalog, locale: string, fit: Fit): string[] {
  const best = new Map<string, { rank: number; order: number }>();
  for (const entry of indexOf(catalog)) {
    const rank = fit(entry, locale);
    if (rank !== undefined && rank < (best.get(entry.id)?.rank ?? Infinity))
      best.set(entry.id, { rank, order: entry.order });
  }
  return [...best].sort(([, a], [, b]) => a.rank - b.rank || a.order - b.order).map(([id]) => id);
}

/** Every name and every word of each category. */
function indexOf(catalog: Catalog): Entry[] {
  let entries = indexes.get(catalog);
  if (!entries) {
    const { words } = categoryWordsOf(catalog.profileName);
    entries = catalog.flat().flatMap(({ id, names, path, position }) => {
      const order = path.length * 10_000 + position;
      return [
        ...Object.entries(names).map(([locale, name]) => ({ id, text: plainText(name), locale, order })),
        ...(words[id] ?? []).map((phrase) => ({ id, text: plainText(phrase), locale: undefined, order })),
      ];
    });
    indexes.set(catalog, entries);
  }
  return entries;
}

const holds = (name: string, text: string) =>
  name.includes(` ${text}`) || (EAST_ASIAN.test(text) && name.includes(text));

function isLike(typed: string, known: string): boolean {
  if (known.startsWith(typed)) return true;
  if (typed.length < MIN_CORRECTED_LENGTH) return false;
  return [0, 1, -1].some((more) => isOneEditApart(typed, known.slice(0, typed.length + more)));
}
