-- Up Migration

-- Prices of several currencies in one order are a merge of one scan per currency; what filters ask for is included.
drop index concurrently if exists listings_currency_price;
create index concurrently listings_currency_price on listings (price_currency, price_amount, id)
  include (category_id, country, condition, type, shipping, year, length_m) where status = 'active';

-- Down Migration

drop index listings_currency_price;
