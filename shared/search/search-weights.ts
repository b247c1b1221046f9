import type { SearchPool } from './search-pool.ts';
import { countUses, type Frequencies } from './search-frequencies.ts';
import type { Word } from './question-word.ts';
import type { Part, Weighed } from './search-position.ts';
import type { Parameters, Search } from './search-sql.ts';

/**
 * How `relevance` weighs the text of a listing, by BM25 over two fields: a word counts by how rare it is (`idf`), the more the
 * oftener it comes (up to `saturation` of what it would for ever), the less the longer the field is (by the share `length`).
 */
const text = { title: 2, other: 0.8, saturation: 1.2, length: 0.5 };

/** What is added for the words that the title has, by how rare they are; and for neighbours in the query that are neighbours in the title. */
const together = { inTitle: 2, neighbours: 1 };

/**
 * What else counts among texts that are about as good: of a score, so much depends on how new a listing is, how often it was
 * looked at, and how much its seller tells. Half of what freshness gives is lost in 90 days.
 */
const blend = { freshness: 0.015, popularity: 0.01, completeness: 0.01 };
const HALF_LIFE_SECONDS = 90 * 86_400;
/** As much looked at as counts: 10,000 times, in steps of ten times, so that one more reader moves nothing. */
const MOST_STEPS = 4;
/** A text of so many different words tells enough. */
const TOLD = 40;

/** How much a word of `n` of so many listings tells. */
export const rarityOf = (n: number, listings: number) => {
  const most = Math.max(listings, n);
  return Math.log(1 + (most - n + 0.5) / (n + 0.5));
};

/** The weights of words in their order; a word that comes again counts once, and makes pairs each time. */
export async function weighWords(pool: SearchPool, words: readonly Word[]): Promise<Weighed> {
  const typed = words.map(({ query, alone }) => alone ?? query);
  return weigh(words, await countUses(pool, typed));
}

/** Of the weight of a word so much is given for a synonym of it. */
const SYNONYM = 0.7;

/** The same of words of which so many listings use each, as it was typed. */
export function weigh(words: readonly Word[], { counts, listings, lengths }: Frequencies): Weighed {
  const typed = words.map(({ query, alone }) => alone ?? query);
  const usesOf = (index: number) => words[index]?.uses ?? counts[index] ?? 0;
  const weights = words.map((_, index) => rarityOf(usesOf(index), listings));
  const asked = words.map(({ query, alone, isOptional }, index) => {
    const weight = weights[index] ?? 0;
    const share = alone === undefined ? 1 : SYNONYM;
    return { query, alone, isOptional, weight: round(weight * share), rest: round(weight * (1 - share)) };
  });
  const unique = new Map(
    asked.map(({ query, weight, isOptional }, index) => [query, { query, weight, uses: usesOf(index), isOptional }]),
  );
  const extras = [
    ...[...unique.values()].filter(({ isOptional }) => isOptional),
    ...asked.filter(({ alone }) => alone !== undefined).map(({ alone = '', rest }) => ({ query: alone, weight: rest })),
  ].map(({ query, weight }) => ({ query, weight }));
  const pairs = typed.slice(1).map((query, index) => ({
    query: `(${typed[index]}) <-> (${query})`,
    weight: round(together.neighbours * Math.min(weights[index] ?? 0, weights[index + 1] ?? 0)),
  }));
  return {
    words: [...unique.values()]
      .filter(({ isOptional }) => !isOptional)
      .map(({ query, weight, uses }) => ({ query, weight, uses })),
    pairs,
    lengths: { title: round(lengths.title), text: round(lengths.text) },
    ...(extras.length > 0 && { extras }),
  };
}

/** Short in a cursor. */
const round = (value: number) => Math.round(value * 1_000) / 1_000;

/** The words and pairs as tables `asked` and `pairs` (query, weight). */
export function weighedTables({ words, pairs, extras = [] }: Weighed, parameter: Parameters): string {
  const table = (name: string, rows: Part[]) => `${name} as materialized (select query::tsquery as query, weight
    from unnest(${parameter(
      `${name}-queries`,
      rows.map(({ query }) => query),
    )}::text[], ${parameter(
      `${name}-weights`,
      rows.map(({ weight }) => weight),
    )}::float8[]) as t (query, weight))`;
  return `${table('asked', [...words, ...extras])}, ${table('pairs', pairs)}`;
}

/** The share of the words, by their weights, that the title s.title has; needs the table `asked`. */
export const titleShare = `coalesce((select sum(asked.weight) from asked where s.title @@ asked.query) / nullif((select sum(weight) from asked), 0), 0)`;

/**
 * What the score of a row r is made of (title, rest: the vector of all text but the title, sort_at, price_amount, views);
 * needs the tables `asked` and `pairs`. `words` are the words asked for (query, weight, titled, tf), each of which is worth
 * `points`. ts_rank tells how often a word comes: of n times it is (1 + 1/4 + … + 1/n²) / 1.645, which is turned round.
 */
export function partsOf({ lengths }: Weighed, { now }: Pick<Search, 'now'>, parameter: Parameters) {
  const number = (name: string, value: number) => `${parameter(name, value)}::float8`;
  const share = (length: string, usual: string) => `(${1 - text.length} + ${text.length} * ${length} / ${usual})`;
  const often = `case when t.rank > 0 then greatest(1, 1 / greatest(0.01, 1.645 * (1 - t.rank)) - 0.55) else 0 end`;
  const tf = `(case when t.titled then ${text.title} / ${share('length(r.title)', number('title-length', lengths.title))} else 0 end
    + ${text.other} * ${often} / ${share('length(r.rest)', number('text-length', lengths.text))})`;
  const age = `greatest(0, date_part('epoch', ${parameter('hour', startOfHour(now))}::timestamptz - r.sort_at))`;
  return {
    words: `(select t.query, t.weight, t.titled, ${tf} as tf
      from (select asked.query, asked.weight, r.title @@ asked.query as titled, ts_rank('{1,1,1,1}', r.rest, asked.query)::float8 as rank from asked offset 0) as t)`,
    points: `weight * ${text.saturation + 1} * tf / (tf + ${text.saturation})`,
    inTitle: `${together.inTitle} * coalesce(power(coalesce(sum(weight) filter (where titled), 0), 2) / nullif(sum(weight), 0), 0)`,
    neighbours: `(select coalesce(sum(pairs.weight), 0) from pairs where r.title @@ pairs.query)`,
    freshness: `exp(${age} / ${-HALF_LIFE_SECONDS / Math.LN2})`,
    popularity: `least(${MOST_STEPS}, floor(log(1 + r.views))) / ${MOST_STEPS}.0`,
    completeness: `((r.price_amount > 0)::int + least(1, length(r.rest) / ${TOLD}.0)) / 2`,
    blend: { text: 1 - blend.freshness - blend.popularity - blend.completeness, ...blend },
  };
}

/** The score of a row r; see partsOf. */
export function scoreOf(weighed: Weighed, search: Search, parameter: Parameters): string {
  const { words, points, inTitle, neighbours, freshness, popularity, completeness, ...parts } = partsOf(
    weighed,
    search,
    parameter,
  );
  const { blend: shares } = parts;
  const told = `(select coalesce(sum(${points}), 0) + ${inTitle} from ${words} as found)`;
  return `(${told} + ${neighbours}) * (${shares.text} + ${shares.freshness} * ${freshness} + ${shares.popularity} * ${popularity} + ${shares.completeness} * ${completeness})`;
}

/** Scores that age by the hour keep their order from one page to the next. */
function startOfHour(now: Date): Date {
  return new Date(now.getTime() - (now.getTime() % 3_600_000));
}
