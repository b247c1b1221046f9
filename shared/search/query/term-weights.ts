import type { SearchWeights } from '../../profiles/profile.ts';
import type { SearchPool } from '../search-pool.ts';
import { readDocumentFrequencies, type DocumentFrequencies, type QueryTerm } from './document-frequencies.ts';
import type { WeightedTsquery, TermWeights } from './position.ts';
import type { Parameters } from '../postgres/statement.ts';
import type { Search } from '../postgres/statement.ts';
import { findQueryHead, renderHeadShare } from './title-heads.ts';

/** BM25 over two fields, with their weights, term saturation and length normalisation. */
const text = { title: 2, other: 0.8, saturation: 1.2, length: 0.5 };

/** Bonuses for words in the title, by idf, and for adjacent words that are adjacent in the title. */
const together = { inTitle: 2, neighbours: 1 };

/** A marketplace may weigh each part by a factor of its own. */
const AS_TUNED: SearchWeights = {
  ...{ title: 1, brand: 1, tags: 1, category: 1, description: 1 },
  ...{ freshness: 1, popularity: 1, completeness: 1 },
};

/** Static rank: shares of the score by freshness, popularity and completeness. Freshness has a half-life of 90 days. */
const blend = { freshness: 0.015, popularity: 0.01, completeness: 0.01 };
const HALF_LIFE_SECONDS = 90 * 86_400;
/** Popularity counts in powers of ten up to 10,000 views, so that one more view moves nothing. */
const MAX_STEPS = 4;
/** From so many different words on a text is complete. */
const TOLD = 40;

/** Inverse document frequency of a word in `n` of `listings` listings. */
export const inverseDocumentFrequency = (n: number, listings: number) => {
  const most = Math.max(listings, n);
  return Math.log(1 + (most - n + 0.5) / (n + 0.5));
};

/** Reads the weights of terms; a repeated word counts once and makes pairs each time. */
export async function readTermWeights(pool: SearchPool, words: readonly QueryTerm[]): Promise<TermWeights> {
  const typed = words.map(({ query, typedOnly }) => typedOnly ?? query);
  return computeTermWeights(words, await readDocumentFrequencies(pool, typed));
}

/** The share of a word's weight that a synonym has. */
const SYNONYM = 0.7;

/** The same for known document frequencies. */
export function computeTermWeights(
  words: readonly QueryTerm[],
  { counts, listings, lengths }: DocumentFrequencies,
): TermWeights {
  const typed = words.map(({ query, typedOnly }) => typedOnly ?? query);
  const usesOf = (index: number) => words[index]?.uses ?? counts[index] ?? 0;
  const weights = words.map((_, index) => inverseDocumentFrequency(usesOf(index), listings));
  const asked = words.map(({ query, typedOnly, isOptional }, index) => {
    const weight = weights[index] ?? 0;
    const share = typedOnly === undefined ? 1 : SYNONYM;
    return { query, typedOnly, isOptional, weight: round(weight * share), rest: round(weight * (1 - share)) };
  });
  const unique = new Map(
    asked.map(({ query, weight, isOptional }, index) => [query, { query, weight, uses: usesOf(index), isOptional }]),
  );
  const extras = [
    ...[...unique.values()].filter(({ isOptional }) => isOptional),
    ...asked
      .filter((term) => term.typedOnly !== undefined)
      .map(({ typedOnly = '', rest }) => ({ query: typedOnly, weight: rest })),
  ].map(({ query, weight }) => ({ query, weight }));
  const pairs = typed.slice(1).map((query, index) => ({
    query: `(${typed[index]}) <-> (${query})`,
    weight: round(together.neighbours * Math.min(weights[index] ?? 0, weights[index + 1] ?? 0)),
  }));
  const head = findQueryHead(words);
  return {
    words: [...unique.values()]
      .filter(({ isOptional }) => !isOptional)
      .map(({ query, weight, uses }) => ({ query, weight, uses })),
    pairs,
    lengths: { title: round(lengths.title), text: round(lengths.text) },
    ...(extras.length > 0 && { extras }),
    ...(head && { head }),
  };
}

/** Short in a cursor. */
const round = (value: number) => Math.round(value * 1_000) / 1_000;

/** Renders the terms and pairs as tables `asked` and `pairs` (query, weight). */
export function termWeightTables({ words, pairs, extras = [] }: TermWeights, parameter: Parameters): string {
  const table = (
    name: string,
    rows: WeightedTsquery[],
  ) => `${name} as materialized (select query::tsquery as query, weight
    from unnest(${parameter(
      `${name}-queries`,
      rows.map(({ query }) => query),
    )}::text[], ${parameter(
      `${name}-weights`,
      rows.map(({ weight }) => weight),
    )}::float8[]) as t (query, weight))`;
  return `${table('asked', [...words, ...extras])}, ${table('pairs', pairs)}`;
}

/** The share of the query's weight in the title s.title; needs the table `asked`. */
export const titleShare = `coalesce((select sum(asked.weight) from asked where s.title @@ asked.query) / nullif((select sum(weight) from asked), 0), 0)`;

/**
 * Renders the parts of the score of a row r (text: the title as written, title, rest: all other words, sort_at,
 * price_amount, views); needs the tables `asked` and `pairs`. Term frequencies are recovered from ts_rank, which is
 * (1 + 1/4 + … + 1/n²) / 1.645 for n occurrences.
 */
export function renderScoreParts(
  { lengths, head }: TermWeights,
  { now, weights = AS_TUNED }: Pick<Search, 'now' | 'weights'>,
  parameter: Parameters,
) {
  const number = (name: string, value: number) => `${parameter(name, value)}::float8`;
  const share = (length: string, usual: string) => `(${1 - text.length} + ${text.length} * ${length} / ${usual})`;
  const often = `case when t.rank > 0 then greatest(1, 1 / greatest(0.01, 1.645 * (1 - t.rank)) - 0.55) else 0 end`;
  const tf = `(case when t.titled then ${number('title-weight', text.title * weights.title)} / ${share('length(r.title)', number('title-length', lengths.title))} else 0 end
    + ${number('text-weight', text.other * weights.description)} * ${often} / ${share('length(r.rest)', number('text-length', lengths.text))})`;
  const age = `greatest(0, date_part('epoch', ${parameter('hour', startOfHour(now))}::timestamptz - r.sort_at))`;
  return {
    words: `(select t.query, t.weight, t.titled, ${tf} as tf
      from (select asked.query, asked.weight, r.title @@ asked.query as titled, ts_rank('{1,1,1,1}', r.rest, asked.query)::float8 as rank from asked offset 0) as t)`,
    points: `weight * ${text.saturation + 1} * tf / (tf + ${text.saturation})`,
    inTitle: `${together.inTitle} * coalesce(power(coalesce(sum(weight) filter (where titled), 0), 2) / nullif(sum(weight), 0), 0)`,
    neighbours: `(select coalesce(sum(pairs.weight), 0) from pairs where r.title @@ pairs.query)`,
    head: renderHeadShare(head, parameter),
    freshness: `exp(${age} / ${-HALF_LIFE_SECONDS / Math.LN2})`,
    popularity: `least(${MAX_STEPS}, floor(log(1 + r.views))) / ${MAX_STEPS}.0`,
    completeness: `((r.price_amount > 0)::int + least(1, length(r.rest) / ${TOLD}.0)) / 2`,
    blend: {
      text: 1 - blend.freshness - blend.popularity - blend.completeness,
      freshness: blend.freshness * weights.freshness,
      popularity: blend.popularity * weights.popularity,
      completeness: blend.completeness * weights.completeness,
    },
  };
}

/** Renders the score of a row r, of these parts; `head_share` is a column of it. */
export function renderScore(weighed: TermWeights, search: Search, parameter: Parameters): string {
  const { words, points, inTitle, neighbours, freshness, popularity, completeness, ...parts } = renderScoreParts(
    weighed,
    search,
    parameter,
  );
  const { blend: shares } = parts;
  const by = (name: Exclude<keyof typeof shares, 'text'>) => `${parameter(`${name}-share`, shares[name])}::float8`;
  const told = `(select coalesce(sum(${points}), 0) + ${inTitle} from ${words} as found)`;
  return `(${told} + ${neighbours}) * (1 + head_share) * (${shares.text} + ${by('freshness')} * ${freshness} + ${by('popularity')} * ${popularity} + ${by('completeness')} * ${completeness})`;
}

/** Scores that age by the hour keep their order from one page to the next. */
function startOfHour(now: Date): Date {
  return new Date(now.getTime() - (now.getTime() % 3_600_000));
}
