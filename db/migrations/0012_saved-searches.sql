-- Up Migration
-- What a search looks for stands in a narrow table of its own; nothing has read these columns yet.
drop index saved_searches_match;
alter table saved_searches drop column category_id, drop column country, drop column min_price, drop column max_price;
-- When the next mail about a search is due; null while there is nothing to tell.
alter table saved_searches add column due_at timestamptz;
-- What mistyped words were corrected to when the search was saved: a tsquery as text.
alter table saved_searches add column corrected text;
create index saved_searches_due on saved_searches (due_at) where due_at is not null;

-- What a price has dropped from.
alter table saved_search_matches add column previous_price double precision;
create index saved_search_matches_listing on saved_search_matches (listing_id);

-- Of each search that wants news, what a listing must be like; null is anything. A listing that fits has the key of one of the
-- rows of the search: a word, its seller, its city, or its category, country and price. A search that none fits has no row.
create table saved_search_filters (
  key text collate "C" not null,
  saved_search_id text collate "C" not null references saved_searches on delete cascade,
  user_id text collate "C" not null,
  category_id text collate "C",
  country text,
  city text,
  seller_id text collate "C",
  condition text,
  type text,
  shipping boolean,
  price_low double precision,
  price_high double precision,
  unpriced boolean not null default false,
  min_year double precision,
  max_year double precision,
  min_length real,
  max_length real,
  near_lat double precision,
  near_lng double precision,
  near_km double precision,
  west double precision,
  south double precision,
  east double precision,
  north double precision,
  updated_since timestamptz,
  attribute_text text,
  attributes jsonpath,
  words tsquery,
  primary key (saved_search_id, key)
);
create index saved_search_filters_key on saved_search_filters (key);

-- Down Migration
