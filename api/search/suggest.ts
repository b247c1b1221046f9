import { plainText } from '../../shared/kit/phrases.ts';
import { correctCategories, suggestCategories } from '../../shared/search/suggest/categories.ts';
import { isFitToSuggest } from '../../shared/search/terms.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';

type Suggestion = Result<'suggest', 200>['suggestions'][number];

/** What a reader may be about to type: frequent searches, categories and titles, each with its share of the places. */
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
    body: { query: q, suggestions: mix(terms, [categories, listings], limit) },
  };
};

/**
 * At most `limit` suggestions: frequent searches first, then the other sources. Searches take half of the turns, and who has
 * no more leaves its places to the others. Each text stands once: a category holds more than a title or a search of its
 * name, and a title leads straight to what a search for the same words would find; each takes the place of that search.
 */
function mix(terms: Suggestion[], others: Iterable<Suggestion>[], limit: number): Suggestion[] {
  const seen = new Set<string>();
  const different = others.map((source) => takeDifferent(source, limit, seen));
  const byText = new Map(different.flat().map((each) => [sameText(each.text), each]));
  const searched = takeDifferent(terms, limit, new Set()).map((term) => byText.get(sameText(term.text)) ?? term);
  const rest = different.map((source) => source.filter((each) => !searched.includes(each)));
  const sources = [searched, ...rest];
  const shares = sources.map(() => 0);
  for (let free = limit, turn = 0; free > 0 && turn < limit; turn += 1)
    for (const [index, { length }] of sources.entries()) {
      const taken = Math.min(index === 0 ? rest.length : 1, length - shares[index]!, free);
      shares[index]! += taken;
      free -= taken;
    }
  return sources.flatMap((source, index) => source.slice(0, shares[index]));
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
