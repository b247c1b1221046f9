import { EAST_ASIAN, plainText } from '../../kit/phrases.ts';
import type { Suggestions, SuggestRequest } from '../suggest/suggest.ts';
import type { Answer } from './answers.ts';
import type { SearchIndex } from './collections.ts';
import type { SearchParameters } from './parameters.ts';
import { termsCollection } from './terms.ts';

type Found = { document: { id: string; slug: string; title: string; query: string; searches: number } };

/** What may be meant besides what was typed: one typo from four letters on, two from eight. */
const TYPOS = { num_typos: 2, min_len_1typo: 4, min_len_2typo: 8, typo_tokens_threshold: 1 };
const EXACT = { num_typos: 0, typo_tokens_threshold: 0 };

/** Two searches: for titles of active listings, the most viewed first, and for frequent queries, the most asked first. */
export function suggestSearches(
  { q, limit, mayCorrect }: SuggestRequest,
  { alias }: Pick<SearchIndex, 'alias'>,
): SearchParameters[] {
  const locale = !EAST_ASIAN.test(q) ? '' : /\p{Script=Hangul}/u.test(q) ? ',title_ko' : ',title_ja';
  const common = {
    q: q.replaceAll(/["*]|(?:^|\s)-+/g, ' ').trim() || '*',
    prefix: true,
    drop_tokens_threshold: 0,
    limit,
    ...(mayCorrect ? TYPOS : EXACT),
  };
  return [
    {
      ...common,
      collection: alias,
      query_by: `title${locale}`,
      filter_by: 'status:=active',
      sort_by: '_text_match(buckets: 10):desc,views:desc,sort_at:desc',
      include_fields: 'id,slug,title',
    },
    {
      ...common,
      collection: termsCollection(alias),
      query_by: 'query',
      sort_by: '_text_match(buckets: 10):desc,searches:desc',
      include_fields: 'query,searches',
    },
  ];
}

/** What those searches have answered. */
export function readSuggestions({ q }: SuggestRequest, [listings, queries]: readonly Answer[]): Suggestions {
  const found = (answer: Answer | undefined) => (answer?.hits ?? []) as unknown as Found[];
  const titles = found(listings).map(({ document: { id, slug, title } }) => ({ id, slug, title }));
  const terms = found(queries).map(({ document: { query, searches } }) => ({
    query,
    count: searches,
    popularity: searches,
  }));
  const all = [...titles.map(({ title }) => title), ...terms.map(({ query }) => query)];
  return { titles, terms, exact: all.length > 0 && all.every((text) => begins(text, q)) };
}

/** Whether each word typed begins a word of the text. */
function begins(text: string, q: string): boolean {
  const plain = ` ${plainText(text)}`;
  return plainText(q)
    .split(' ')
    .every((word) => plain.includes(EAST_ASIAN.test(word) ? word : ` ${word}`));
}
