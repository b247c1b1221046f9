import { plainText } from '../../shared/kit/phrases.ts';
import { correctCategories, suggestCategories } from '../../shared/search/suggest/categories.ts';
import { isFitToSuggest } from '../../shared/search/terms.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';

type Suggestion = Result<'suggest', 200>['suggestions'][number];

/** What a reader may be about to type: categories, frequent searches and titles, each with its share of the places. */
export const suggest: Handler<'suggest'> = async (
  { searcher, catalog, categoryIndex, clock },
  { query, locale, caller },
) => {
  const { q, limit = 8 } = query;
  const named = suggestCategories(categoryIndex, q, locale);
  const readerId = caller?.userId;
  const found = await searcher.suggest({ q, now: clock.now(), limit, mayCorrect: named.length === 0, readerId });
  const meant = named.length > 0 || found.exact ? named : correctCategories(categoryIndex, q, locale);
  const categories = Iterator.from(meant).map((id): Suggestion => {
    const name = (each: string) => catalog.localizedName(each, locale);
    return { type: 'category', text: name(id), category_id: id, category_path: catalog.path(id).map(name) };
  });
  const listings = found.titles.map(({ id, slug, title }): Suggestion => {
    return { type: 'listing', text: title, listing_id: id, slug };
  });
  const terms = found.terms
    .filter(({ query: text }) => isFitToSuggest(text))
    .map(({ query: text, count }): Suggestion => ({ type: 'term', text, count }));
  return {
    status: 200,
    headers: { 'Content-Language': locale, Vary: 'Accept-Language', 'X-Search-Engine': found.engine },
    isFleeting: found.isFleeting,
    body: { query: q, suggestions: mix([categories, listings, terms], limit) },
  };
};

/** The order of an answer. */
const SHOWN: readonly Suggestion['type'][] = ['category', 'term', 'listing'];

/**
 * At most `limit` of them: the sources take turns, and who has no more leaves its places to the others. Each text stands
 * once, from the first source that has it: a category holds more than a title, and a title leads straight to what a search
 * for the same words would find.
 */
function mix(sources: Iterable<Suggestion>[], limit: number): Suggestion[] {
  const seen = new Set<string>();
  const different = sources.map((source) => takeDifferent(source, limit, seen));
  const chosen: Suggestion[] = [];
  for (let turn = 0; turn < limit; turn += 1)
    for (const source of different) if (turn < source.length && chosen.length < limit) chosen.push(source[turn]!);
  return SHOWN.flatMap((type) => chosen.filter((each) => each.type === type));
}

/** The first `limit` whose texts nobody has seen yet. */
function takeDifferent(source: Iterable<Suggestion>, limit: number, seen: Set<string>): Suggestion[] {
  const taken: Suggestion[] = [];
  for (const each of source) {
    const text = sameText(each.text);
    if (seen.has(text)) continue;
    seen.add(text);
    if (taken.push(each) === limit) break;
  }
  return taken;
}

/** Letters and figures with single spaces between them. */
const WORDS = /^[a-z0-9]+(?: [a-z0-9]+)*$/i;
const ASCII = /^[ -~]*$/;

/** Texts that read the same are one: what is plain already takes the short way to its plain form. */
function sameText(text: string): string {
  if (WORDS.test(text)) return text.toLowerCase();
  if (!ASCII.test(text)) return plainText(text) || text;
  return (
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, ' ')
      .trim() || text
  );
}
