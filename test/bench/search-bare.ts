import type { Pool } from 'pg';
import { cardColumns, cardJoins } from '../../shared/listings/card.ts';
import type { ListingFilters } from '../../shared/search/filters.ts';
import { cellsOfCircle } from '../../shared/places/area.ts';

// The statements that somebody would write by hand for exactly these shapes: no filter is optional, nothing is put first.

const cards = `select ${cardColumns}, page.total from page join listings l on l.id = page.id ${cardJoins(`'en'`)}`;

/** Twenty newest listings of categories in a range of prices, with the exact total. */
export const bareNewest = (pool: Pool, { category, price, condition }: ListingFilters) =>
  pool.query({
    name: `bare-newest-${condition === undefined ? 'any' : 'condition'}`,
    text: `with found as (
        select f.* from unnest($1::text[]) as c (id) cross join lateral (
          select l.id, l.sort_at from listings l where l.status = 'active' and l.category_id = c.id and l.price_amount between $2 and $3
            ${condition === undefined ? '' : 'and l.condition = $4'} order by l.sort_at desc, l.id desc limit 20) as f
        order by f.sort_at desc, f.id desc limit 20),
      page as (select *, (select count(*) from (select 1 from listings l where l.status = 'active' and l.category_id = any($1::text[])
        and l.price_amount between $2 and $3 ${condition === undefined ? '' : 'and l.condition = $4'} limit 50000) as counted) as total from found)
      ${cards} order by page.sort_at desc, page.id desc`,
    values: [category, price?.min, price?.max, ...(condition ?? [])],
  });

/** Twenty newest listings with some words, with the exact total. */
export const bareWords = (pool: Pool, words: string) =>
  pool.query({
    name: 'bare-words',
    text: `with hits as materialized (select s.listing_id as id, s.sort_at from listing_search s
        where searchable(s.words) @@ websearch_to_tsquery('quayside', $1) and s.status = 'active'),
      page as (select *, (select count(*) from hits) as total from hits order by sort_at desc, id desc limit 20)
      ${cards} order by page.sort_at desc, page.id desc`,
    values: [words],
  });

/** Twenty best of the newest 300 listings with some words, those in the title first, with the exact total. */
export const bareRelevance = (pool: Pool, words: string) =>
  pool.query({
    name: 'bare-relevance',
    text: `with hits as materialized (select s.listing_id as id, (s.title @@ websearch_to_tsquery('quayside', $1))::int * 1e11 + date_part('epoch', s.sort_at) as place
        from listing_search s where searchable(s.words) @@ websearch_to_tsquery('quayside', $1) and s.status = 'active'),
      best as materialized (select hits.id, hits.place, floor(hits.place / 1e11) as tier, ts_rank(s.words, websearch_to_tsquery('quayside', $1), 1) as score
        from (select * from hits order by place desc, id desc limit 300) as hits join listing_search s on s.listing_id = hits.id),
      page as (select *, (select count(*) from hits) as total from best order by tier desc, score desc, id desc limit 20)
      ${cards} order by page.tier desc, page.score desc, page.id desc`,
    values: [words],
  });

/** Twenty newest listings around a point, with the total up to 50,000. */
export const bareNear = (pool: Pool, { near }: ListingFilters) => {
  const { lows, highs } = cellsOfCircle(near!);
  return pool.query({
    name: 'bare-near',
    text: `with hits as materialized (select l.id, l.sort_at from unnest($1::int[], $2::int[]) as c (low, high)
        join listings l on place_cell(l.lat, l.lng) between c.low and c.high
        where l.status = 'active' and l.lat is not null and l.lng is not null and distance_km(l.lat, l.lng, $3, $4) <= $5 limit 50000),
      page as (select *, (select count(*) from hits) as total from hits order by sort_at desc, id desc limit 20)
      ${cards} order by page.sort_at desc, page.id desc`,
    values: [lows, highs, near!.lat, near!.lng, near!.radiusKm],
  });
};
