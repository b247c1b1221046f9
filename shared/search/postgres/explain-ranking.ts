import type { SearchPool } from '../search-pool.ts';
import { parseQuery } from '../query/parse-query.ts';
import { createParameters } from './statement.ts';
import { type Search } from './statement.ts';
import type { TextQuery } from './text-search.ts';
import { renderScoreParts, termWeightTables, readTermWeights } from '../query/term-weights.ts';
import type { SearchResult } from '../search.ts';

type TextField = 'title' | 'tags' | 'description';
type Share = { value: number; share: number };

/** Why a result of the order `relevance` stands where it does: the parts add up to `score`. */
export type ExplainedResult = {
  id: string;
  promoted: boolean;
  matches: 'all_in_title' | 'all' | 'some';
  words: { query: string; weight: number; found_in: TextField[]; points: number }[];
  title_points: number;
  neighbour_points: number;
  freshness: Share;
  popularity: Share;
  completeness: Share;
  score: number;
};

/** What was looked for, how much each word counts, and what became of it in each result. */
export type Explanation = {
  query: string;
  widened: string | null;
  words: { query: string; weight: number; listings: number | null }[];
  results: ExplainedResult[];
};

type Row = Omit<ExplainedResult, 'freshness' | 'popularity' | 'completeness' | 'words'> & {
  word_points: number;
  head_share: number;
  words: (ExplainedResult['words'][number] & { in_title: boolean; in_tags: boolean; in_description: boolean })[];
  freshness: number;
  popularity: number;
  completeness: number;
};

/** Explains the ranking of a page in the order `relevance`, whichever engine answered; undefined in other orders. */
export async function explainRanking(
  pool: SearchPool,
  search: Search,
  found: SearchResult,
): Promise<Explanation | undefined> {
  const { q } = search.filters;
  if (search.sort !== 'relevance' || q === undefined) return undefined;
  const asked = found.textQuery ?? (await askAgain(pool, q));
  const weighed = asked.termWeights ?? { words: [], pairs: [], lengths: { title: 1, text: 1 } };
  const parameter = createParameters();
  const parts = renderScoreParts(weighed, search, parameter);
  const { blend } = parts;
  const full = `${parameter('query', asked.all)}::tsquery`;
  const { rows } = await pool.query<Row>({
    text: `with ${termWeightTables(weighed, parameter)},
      texts as materialized (select s.listing_id as id, s.title, l.title as text, s.words as every, ts_filter(s.words, '{b,c,d}') as rest, s.sort_at, s.price_amount,
          coalesce(v.views, 0) as views, (s.featured_until > ${parameter('now', search.now)} and s.status = 'active') is true as promoted
        from listing_search s join listings l on l.id = s.listing_id left join listing_views v on v.listing_id = s.listing_id where s.listing_id = any(${parameter(
          'ids',
          found.hits.map(({ id }) => id),
        )}::text[])),
      parts as materialized (select r.id, r.promoted,
          case when r.title @@ ${full} then 'all_in_title' when r.every @@ ${full} then 'all' else 'some' end as matches, found.*,
          ${parts.neighbours} as neighbour_points, ${parts.head} as head_share, ${parts.freshness} as freshness, ${parts.popularity}::float8 as popularity, ${parts.completeness}::float8 as completeness
        from texts r cross join lateral (
          select coalesce(json_agg(json_build_object('query', query::text, 'weight', weight, 'points', ${parts.points}, 'in_title', titled,
              'in_tags', ts_filter(r.every, '{b}') @@ query, 'in_description', ts_filter(r.every, '{c,d}') @@ query)), '[]') as words,
            coalesce(sum(${parts.points}), 0) as word_points, ${parts.inTitle} as title_points from ${parts.words} as each) as found)
      select *, (word_points + title_points + neighbour_points) * (1 + head_share)
        * (${blend.text} + ${blend.freshness} * freshness + ${blend.popularity} * popularity + ${blend.completeness} * completeness) as score
      from parts`,
    values: parameter.values,
  });
  const known = new Map(rows.map((row) => [row.id, row]));
  return {
    query: asked.all,
    widened: asked.relaxed ?? null,
    words: [
      ...weighed.words.map(({ query, weight, uses }) => ({ query, weight, listings: uses })),
      ...(weighed.extras ?? []).map(({ query, weight }) => ({ query, weight, listings: null })),
    ],
    results: found.hits.flatMap(({ id, score }) => {
      const ranked = Number(score) > 0 ? Number(score) : undefined;
      const row = known.get(id);
      return row ? [present(withHead(row, ranked), blend)] : [];
    }),
  };
}

async function askAgain(pool: SearchPool, q: string): Promise<TextQuery> {
  const { query, words } = await parseQuery(pool, q);
  return { all: query, termWeights: await readTermWeights(pool, words) };
}

/** The points of a title with those of its head, and of its category where the score it was ranked by tells them. */
function withHead(row: Row, ranked = row.score): Row {
  const { word_points: words, title_points: title, neighbour_points: neighbours, head_share: head, score } = row;
  const text = ((words + title + neighbours) * (1 + head) * ranked) / (score || 1);
  return { ...row, score: ranked, title_points: text - words - neighbours };
}

function present(row: Row, blend: Record<'freshness' | 'popularity' | 'completeness', number>): ExplainedResult {
  const shareOf = (name: keyof typeof blend): Share => ({ value: round(row[name]), share: blend[name] });
  return {
    id: row.id,
    promoted: row.promoted,
    matches: row.matches,
    words: row.words.map(({ query, weight, points, ...places }) => ({
      query,
      weight: round(weight),
      found_in: [
        ...(places.in_title ? (['title'] as const) : []),
        ...(places.in_tags ? (['tags'] as const) : []),
        ...(places.in_description ? (['description'] as const) : []),
      ],
      points: round(points),
    })),
    title_points: round(row.title_points),
    neighbour_points: round(row.neighbour_points),
    freshness: shareOf('freshness'),
    popularity: shareOf('popularity'),
    completeness: shareOf('completeness'),
    score: round(row.score),
  };
}

const round = (value: number) => Math.round(value * 1_000) / 1_000;
