import { LRUCache } from 'lru-cache';
import type { Catalog } from '../../catalog/tree.ts';
import { isOneEditApart } from '../query/edits.ts';
import { EAST_ASIAN, plainText } from '../../kit/phrases.ts';

type Entry = { id: string; text: string; locale: string | undefined; order: number };
/** How well a text fits, best first; undefined when it does not. */
type Fit = (entry: Entry, locale: string) => number | undefined;

/** Other names than the reader's own take more letters to be meant. */
const MIN_OTHER_LENGTH = 3;
const MIN_CORRECTED_LENGTH = 5;

/** The names and words of a catalog's categories, and what was found for texts that many readers type. */
export type CategoryIndex = { entries: readonly Entry[]; found: LRUCache<string, string[]> };

/**
 * The ids of categories that somebody may be typing: whose name in their locale begins so, or a word in it; then whose name
 * in another language or a word for what it holds begins so. Wider categories come before narrower ones.
 */
export function suggestCategories(index: CategoryIndex, q: string, locale: string): string[] {
  const text = plainText(q);
  if (text === '') return [];
  const isOther = text.length >= MIN_OTHER_LENGTH || EAST_ASIAN.test(text);
  return choose(index, `begins ${text}`, locale, (entry, reader) => {
    if (entry.locale === reader) return entry.text.startsWith(text) ? 0 : holds(entry.text, text) ? 1 : undefined;
    if (!isOther || !entry.text.startsWith(text)) return undefined;
    return entry.locale === undefined ? 3 : 2;
  });
}

/** The same with one wrong letter in a word of five letters or more, by the names in the reader's locale alone. */
export function correctCategories(index: CategoryIndex, q: string, locale: string): string[] {
  const typed = plainText(q).split(' ');
  if (!typed.some((word) => word.length >= MIN_CORRECTED_LENGTH)) return [];
  return choose(index, `like ${typed.join(' ')}`, locale, (entry, reader) => {
    if (entry.locale !== reader) return undefined;
    const words = entry.text.split(' ');
    return typed.every((word) => words.some((known) => isLike(word, known))) ? 0 : undefined;
  });
}

function choose({ entries, found }: CategoryIndex, asked: string, locale: string, fit: Fit): string[] {
  const key = `${locale} ${asked}`;
  const ids = found.get(key) ?? chooseAnew(entries, locale, fit);
  found.set(key, ids);
  return ids;
}

function chooseAnew(entries: readonly Entry[], locale: string, fit: Fit): string[] {
  const best = new Map<string, { rank: number; order: number }>();
  for (const entry of entries) {
    const rank = fit(entry, locale);
    if (rank !== undefined && rank < (best.get(entry.id)?.rank ?? Infinity))
      best.set(entry.id, { rank, order: entry.order });
  }
  return [...best].sort(([, a], [, b]) => a.rank - b.rank || a.order - b.order).map(([id]) => id);
}

/** Reads every name and every word of each category, once per process. */
export function createCategoryIndex(catalog: Catalog): CategoryIndex {
  const { words } = catalog.words;
  const entries = catalog.flat().flatMap(({ id, names, path, position }): Entry[] => {
    const order = path.length * 10_000 + position;
    return [
      ...Object.entries(names).map(([locale, name]) => ({ id, text: plainText(name), locale, order })),
      ...(words[id] ?? []).map((phrase) => ({ id, text: plainText(phrase), locale: undefined, order })),
    ];
  });
  return { entries, found: new LRUCache({ max: 5_000 }) };
}

const holds = (name: string, text: string) =>
  name.includes(` ${text}`) || (EAST_ASIAN.test(text) && name.includes(text));

function isLike(typed: string, known: string): boolean {
  if (known.startsWith(typed)) return true;
  if (typed.length < MIN_CORRECTED_LENGTH) return false;
  return [0, 1, -1].some((more) => isOneEditApart(typed, known.slice(0, typed.length + more)));
}
