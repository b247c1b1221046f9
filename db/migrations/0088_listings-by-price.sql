-- Up Migration

-- The order of prices over all categories; a place is looked for in the index itself.
drop index concurrently if exists listings_by_price;
create index concurrently listings_by_price on listings (price_amount, id)
  include (category_id, country, condition, type, shipping, year, length_m, lat, lng) where status = 'active';

-- Down Migration

drop index listings_by_price;
