import type { Position, TermWeights } from '../query/position.ts';
import { renderScore, termWeightTables } from '../query/term-weights.ts';
import { categoryShare, favouredCategory, renderHeadShare } from '../query/title-heads.ts';
import { limitPage, selectPage, type Parameters, type Search, type Statement } from './statement.ts';

/** Top-k reranking: so many of the best matches by their prerank are ordered by score, those behind them newest first. */
const RANKED = 300;

const NO_WEIGHTS: TermWeights = { words: [], pairs: [], lengths: { title: 1, text: 1 } };

/** How many of the best matches are reranked: whole pages of them. */
export const rerankDepth = ({ limit }: Search) => limit * Math.ceil(RANKED / limit);

/**
 * Top-k reranking: builds the statement for a page of the rows (id, place) of the table expression `hits`, the best of which are
 * ordered by tier and score; `total` is an expression.
 */
export function rerankHits(
  search: Search,
  parameter: Parameters,
  termWeights: TermWeights = NO_WEIGHTS,
  { hits, total, isRelaxed = false }: { hits: string; total: string; isRelaxed?: boolean },
): Statement {
  const { limit, offset, after } = search;
  const ranked = rerankDepth(search);
  const isRanked = after ? after.rank !== undefined && after.rank.tier >= 0 : offset < ranked;
  const first = `order by hits.place desc, hits.id desc`;
  const further = (condition: string) =>
    `select hits.id, hits.place, -1::double precision as tier, 0::double precision as score, 0::double precision as cut, '' as cut_id from hits ${condition} ${first}`;
  // The vectors are out of line: each is fetched once here, whatever is asked of it.
  const best = () => `texts as materialized (
      select hits.id, hits.place, s.title, ts_filter(s.words, '{b,c,d}') as rest, s.sort_at, s.price_amount, coalesce(v.views, 0) as views,
        s.category_id, l.title as text
      from (select * from hits ${among(search, ranked, first, parameter)}) as hits
      join listing_search s on s.listing_id = hits.id
      join listings l on l.id = hits.id left join listing_views v on v.listing_id = hits.id),
    headed as materialized (select r.*, ${renderHeadShare(termWeights.head, parameter)} as head_share from texts r),
    favoured as materialized (${after?.rank ? `select ${parameter('favoured', after.rank.favoured ?? null)}::text as category_id` : favouredCategory('headed')}),
    best as materialized (
      select r.id, r.place, floor(r.place / 1e11) as tier,
        ${renderScore(termWeights, search, parameter)} * (1 + ${categoryShare}) as score
      from headed r)`;
  const order = (table: string) =>
    `order by ${table}.tier desc, ${table}.score desc, ${table}.place desc, ${table}.id desc`;
  const rows = () => {
    if (!isRanked) return further(after ? afterPlace(after.key, after.id, parameter) : '');
    const cut = after?.rank
      ? `${parameter('cut', after.rank.cut)}::double precision as cut, ${parameter('cut-id', after.rank.cutId)}::text as cut_id`
      : `(select place from best order by place, id limit 1) as cut, (select id from best order by place, id limit 1) as cut_id`;
    const ranks = `select best.*, ${cut} from best ${after ? afterRank(after, parameter) : ''}`;
    if (!after?.rank) return `${ranks} ${order('best')}`;
    const others = `select * from (${further(afterPlace(after.rank.cut, after.rank.cutId, parameter))} limit ${parameter('limit', limit)}::int) as others`;
    return `select * from (${ranks} union all ${others}) as all_of_them ${order('all_of_them')}`;
  };
  const page = limitPage(rows(), search, parameter);
  const tables = [
    ...(isRanked || isRelaxed ? [termWeightTables(termWeights, parameter)] : []),
    hits,
    ...(isRanked ? [best()] : []),
    `page as (select id, place as key, false as featured, tier, score, cut, cut_id from (${page}) as ranked)`,
  ];
  const byRank = 'order by page.tier desc, page.score desc, page.key desc, page.id desc';
  const favoured = isRanked ? '(select category_id from favoured)' : 'null::text';
  const more = `, page.tier, page.score::text as score, page.cut::text as cut, page.cut_id, ${favoured} as favoured`;
  return { text: selectPage(tables.join(', '), byRank, total, more), values: parameter.values };
}

/** The hits that are reranked: the top k, on later pages all down to the last one that the first page reranked. */
function among(search: Search, ranked: number, first: string, parameter: Parameters): string {
  const rank = search.after?.rank;
  if (!rank) return `${first} limit ${parameter('ranked', ranked)}`;
  return `where (hits.place, hits.id) >= (${parameter('cut', rank.cut)}::double precision, ${parameter('cut-id', rank.cutId)}::text)`;
}

const afterPlace = (place: string | null, id: string, parameter: Parameters) =>
  `where (hits.place, hits.id) < (${parameter(`cut`, place)}::double precision, ${parameter(`cut-id`, id)}::text)`;

function afterRank({ key, id, rank }: Position, parameter: Parameters): string {
  const number = (name: string, value: unknown) => `${parameter(name, value)}::double precision`;
  const bound = [
    number('tier', rank?.tier ?? -1),
    number('score', rank?.score ?? '0'),
    number('place', key),
    `${parameter('after-id', id)}::text`,
  ];
  return `where (best.tier, best.score, best.place, best.id) < (${bound.join(', ')})`;
}
