import type { SearchWeights } from '../../profiles/profile.ts';
import { EAST_ASIAN } from '../../kit/phrases.ts';
import { isStopWord, withoutParticles } from '../query/stop-words.ts';
import { RELAX_BELOW } from '../query/search-with-relaxation.ts';
import { TEXT_LOCALES } from './schema.ts';
import { UnsupportedQuery, type SearchParameters } from './parameters.ts';
import { WORD_SETS } from './word-sets.ts';

/** A field that words are looked for in; `_{locale}` stands for the reader's language and that of the query's script. */
type TextField = { name: string; weight: number; part: keyof SearchWeights; prefix: boolean; typos: number };

/** How well a match in a field counts, whether the last word may be a beginning there, and how many typos are forgiven. */
const FIELDS: readonly TextField[] = [
  { name: 'title', weight: 10, part: 'title', prefix: true, typos: 2 },
  { name: 'title_{locale}', weight: 10, part: 'title', prefix: true, typos: 2 },
  { name: 'brand', weight: 6, part: 'brand', prefix: false, typos: 1 },
  { name: 'tags', weight: 4, part: 'tags', prefix: false, typos: 1 },
  { name: 'category_names', weight: 3, part: 'category', prefix: false, typos: 1 },
  { name: 'description', weight: 1, part: 'description', prefix: false, typos: 0 },
  { name: 'description_{locale}', weight: 1, part: 'description', prefix: false, typos: 0 },
];

/** Words are dropped, those at either end first, while fewer listings than so many have all of them. */
const DROP_MODE = 'both_sides:3';

/** Text match in so many steps, so that of nearly equal matches the fresher comes first. */
export const TEXT_MATCH = '_text_match(buckets: 100):desc';

/** What a query in `q` may not hold: alternatives and texts without a word to look for are PostgreSQL's. */
const ALTERNATIVES = /(?:^|\s)or(?:\s|$)/i;
const EXCLUDED = /(?:^|\s)-\S+/g;
const WORD = /[\p{L}\p{N}]+/gu;

type Demand = { locale: string; isRanked: boolean; isStrict: boolean; weights?: SearchWeights | undefined };

/** Typesense takes whole numbers to 127; a field that counts nothing is still looked in. */
const MAX_FIELD_WEIGHT = 127;

/**
 * The parameters for the words of a query: quoted phrases and `-word` as they are, field weights, typos, prefixes, synonyms and
 * stop words. Strict, a listing must have every word as typed. UnsupportedQuery for what Typesense cannot read.
 */
export function textParameters(q: string, { locale, isRanked, isStrict, weights }: Demand): SearchParameters {
  const text = withoutParticles(withPairedQuotes(q)).replaceAll('*', ' ').trim();
  const words = text.replaceAll(EXCLUDED, ' ').match(WORD) ?? [];
  if (words.length === 0 || ALTERNATIVES.test(text)) throw new UnsupportedQuery('these words are not looked for here');
  const fields = fieldsFor(locale, text);
  const join = (read: (field: TextField) => string | number | boolean) => fields.map(read).join(',');
  const isQuoted = text.includes('"');
  return {
    q: text,
    query_by: join(({ name }) => name),
    query_by_weights: join(({ weight, part }) =>
      Math.min(MAX_FIELD_WEIGHT, Math.round(weight * (weights?.[part] ?? 1))),
    ),
    prefix: join(({ prefix }) => prefix && !isStrict),
    num_typos: join(({ typos }) => (isStrict || isQuoted ? 0 : typos)),
    typo_tokens_threshold: 1,
    drop_tokens_threshold: isStrict || isQuoted ? 0 : isRanked ? RELAX_BELOW : 1,
    drop_tokens_mode: DROP_MODE,
    synonym_sets: WORD_SETS.name,
    // A query of stop words alone would be empty without them.
    ...(words.some((word) => !isStopWord(word)) && { stopwords: WORD_SETS.name }),
  };
}

/** A quote without its pair means inches. */
const withPairedQuotes = (q: string) => (q.split('"').length % 2 === 0 ? q.replaceAll('"', ' ') : q);

/** The fields for a reader and a text: also those of the language that its script tells. */
function fieldsFor(locale: string, text: string): TextField[] {
  const byScript = EAST_ASIAN.test(text) ? (/\p{Script=Hangul}/u.test(text) ? 'ko' : 'ja') : undefined;
  const locales = [...new Set([locale, byScript])].filter((each) => TEXT_LOCALES.some((known) => known === each));
  return FIELDS.flatMap((field) =>
    field.name.endsWith('{locale}')
      ? locales.map((each) => ({ ...field, name: field.name.replace('{locale}', each ?? '') }))
      : [field],
  );
}
