import { foldText, readTokens, type Token } from '../kit/phrases.ts';
import type { CategoryWords } from '../profiles/profile.ts';
import { compileWords, type Kind, type Meaning } from './category-words.ts';

/** What a record says about its category; every field but the title may be missing. */
export type CategoryHint = {
  category_id?: string;
  /** Free text such as `Boats > Power boats` or a portal's own code. */
  category_hint?: string;
  title: string;
  /** Names from the root to the leaf. */
  breadcrumbs?: readonly string[];
};

/** `confidence`: 1 for a valid id, 0.6 and more for words that name the category, less for makers and asides, 0 for the fallback. */
export type MappedCategory = { id: string; confidence: number };

const weightOf: Record<Kind, number> = { word: 1, hint: 1, brand: 0.35, generic: 0.05 };
const HINT_WEIGHT = 3;
/** Each step from the leaf of the breadcrumbs towards the root counts that much less. */
const STEP_TO_ROOT = 0.7;
const EXTRA_WORD = 0.25;
/** A narrower category is the better evidence, and so is the later word of a category text (`power-pontoon`). */
const DEPTH_BONUS = 0.2;
const LATER_WORD = 0.02;
const ACCESSORY_BONUS = 1.3;
const LATER_SEGMENT = 0.5;
const AFTER_CONNECTOR = 0.15;
const LAST_BRAND_POSITION = 2;
/** Characters of a title or category text that are looked at. */
const MAX_READ_LENGTH = 300;

// What follows these is what comes with the thing or what it is made for, not the thing itself.
const connectors = new Set(
  `with w incl including inkl inklusive inclusive inclus mit samt nebst und and plus avec et con y e med och met en compreso
   for fur pour para per til till voor fits passend passar from von vom of on auf aus aboard`.split(/\s+/),
);
const afterForSale = new Set(['sale', 'rent', 'charter', 'hire', 'parts']);
const separators = /[,;|/•–—()[\]:+&]|\s-\s/;

/** What is read of a catalog. */
type Categories = {
  words: CategoryWords;
  find(id: string): { id: string } | undefined;
  flat(): readonly { id: string; names: object }[];
  path(id: string): readonly string[];
  descendantIds(id: string): readonly string[];
};

/** Tells the category that a record belongs in, judged by its category texts, breadcrumbs and title, in this order of trust. */
export function createCategoryMapper(catalog: Categories): (hint: CategoryHint) => MappedCategory {
  const lists = catalog.words;
  const findPhrases = compileWords(lists);
  const accessories = new Set(lists.accessories.flatMap((id) => catalog.descendantIds(id)));
  const byName = new Map<string, string>();
  for (const { id, names } of catalog.flat()) {
    for (const name of [id, ...(Object.values(names) as string[])])
      if (!byName.has(foldText(name))) byName.set(foldText(name), id);
  }

  return (hint) => {
    const named = hint.category_id === undefined ? undefined : catalog.find(hint.category_id);
    if (named) return { id: named.id, confidence: 1 };
    const scores = new Map<string, number>();
    const give = (category: string, score: number) => scores.set(category, (scores.get(category) ?? 0) + score);

    for (const { text, weight } of categoryTexts(hint)) {
      const named = byName.get(foldText(text).trim());
      if (named !== undefined) give(named, weight * 2);
      else for (const [category, score] of judge(text, false)) give(category, score * weight);
    }
    for (const [category, score] of judge(hint.title, true)) give(category, score);
    return choose(scores);
  };

  /** The best score that each category gets from one text. */
  function judge(text: string, isTitle: boolean): Map<string, number> {
    const folded = foldText(text.slice(0, MAX_READ_LENGTH));
    const tokens = readTokens(folded);
    const factors = isTitle ? emphasis(tokens, folded) : [];
    const best = new Map<string, number>();
    for (const { start, length, values } of findPhrases(tokens, folded)) {
      const factor = factors[start] ?? 1;
      for (const meaning of values) {
        if (!counts(meaning, start, tokens, isTitle)) continue;
        const bonus = isTitle && factor === 1 && accessories.has(meaning.category) ? ACCESSORY_BONUS : 1;
        const depth = 1 + DEPTH_BONUS * (catalog.path(meaning.category).length - 1);
        const place = isTitle ? factor * bonus : 1 + LATER_WORD * start;
        const score = weightOf[meaning.kind] * (1 + EXTRA_WORD * (length - 1)) * depth * place;
        if (score > (best.get(meaning.category) ?? 0)) best.set(meaning.category, score);
      }
    }
    return best;
  }

  /** The category whose own evidence and that of its ancestors add up to most. */
  function choose(scores: ReadonlyMap<string, number>): MappedCategory {
    let chosen: { id: string; total: number } | undefined;
    let rival = 0;
    const totals = [...scores.keys()].map((id) => {
      const total = catalog.path(id).reduce((sum, ancestor) => sum + (scores.get(ancestor) ?? 0), 0);
      if (!chosen || total > chosen.total) chosen = { id, total };
      return { id, total };
    });
    if (!chosen) return { id: lists.fallback, confidence: 0 };
    const root = catalog.path(chosen.id)[0];
    for (const { id, total } of totals) if (catalog.path(id)[0] !== root) rival = Math.max(rival, total);
    return { id: chosen.id, confidence: confidenceOf(chosen.total, rival) };
  }
}

function categoryTexts({ category_id, category_hint, breadcrumbs, title }: CategoryHint) {
  const texts: { text: string; weight: number }[] = [];
  const addPath = (path: readonly string[]) => {
    let weight = HINT_WEIGHT;
    for (const text of path.toReversed()) {
      // The last breadcrumb is often the page itself.
      if (text === title || text.trim() === '') continue;
      texts.push({ text, weight });
      weight *= STEP_TO_ROOT;
    }
  };
  if (category_id !== undefined) addPath([category_id]);
  if (category_hint !== undefined) addPath(category_hint.split(/[>»|]|\s\/\s/));
  if (breadcrumbs) addPath(breadcrumbs);
  return texts;
}

/** Makers count near the start of a title, hints outside of titles only. */
function counts({ kind, first }: Meaning, start: number, tokens: readonly Token[], isTitle: boolean): boolean {
  if (kind === 'hint') return !isTitle;
  if (kind !== 'brand') return true;
  const before = tokens.slice(0, start).filter(({ text }) => !/^\d+$/.test(text)).length;
  return isTitle && before <= (first ? 0 : LAST_BRAND_POSITION);
}

/** How much each word of a title counts: less after a separator, little after "with" or "for". */
function emphasis(tokens: readonly Token[], folded: string): number[] {
  let factor = 1;
  let end = 0;
  return tokens.map(({ text, start }, at) => {
    if (at > 0 && factor === 1 && separators.test(folded.slice(end, start))) factor = LATER_SEGMENT;
    if (at > 0 && connectors.has(text) && !afterForSale.has(tokens[at + 1]?.text ?? '')) factor = AFTER_CONNECTOR;
    end = start + text.length;
    return factor;
  });
}

function confidenceOf(total: number, rival: number): number {
  const strength = Math.min(0.95, total >= 1 ? 0.6 + total / 20 : total / 2);
  const doubt = rival >= total * 0.8 ? 0.7 : 1;
  return Math.round(strength * doubt * 100) / 100;
}
