-- Up Migration
create table listings (
  id text collate "C" primary key,
  slug text collate "C" not null,
  seller_id text collate "C" not null references users,
  category_id text collate "C" not null references categories,
  status text not null check (status in ('draft', 'active', 'paused', 'sold', 'expired', 'flagged', 'deleted')),
  type text not null default 'sale' check (type in ('sale', 'wanted')),
  condition text not null check (condition in ('new', 'like_new', 'good', 'fair', 'poor', 'refurbished')),
  title text not null,
  price_amount double precision not null check (price_amount >= 0),
  price_currency text not null check (price_currency ~ '^[A-Z]{3}$'),
  price_negotiable boolean not null default false,
  price_vat_included boolean,
  price_vat_rate real,
  country text not null check (country ~ '^[A-Z]{2}$'),
  country_name text,
  region text,
  city text not null,
  marina text,
  postal_code text,
  lat double precision check (lat between -90 and 90),
  lng double precision check (lng between -180 and 180),
  shipping boolean not null default false,
  year smallint,
  length_m real,
  source text not null check (source in ('api', 'web', 'seed', 'scraped')),
  language text not null check (language ~ '^[a-z]{2}$'),
  premium_type text check (premium_type in ('featured', 'urgent')),
  premium_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  published_at timestamptz,
  -- The key of "newest": first publication, creation for drafts. Renewing never moves it.
  sort_at timestamptz not null generated always as (coalesce(published_at, created_at)) stored,
  expires_at timestamptz not null,
  sold_at timestamptz,
  deleted_at timestamptz,
  sale_price double precision,
  sale_currency text,
  buyer_id text collate "C" references users,
  merged_into text collate "C",
  -- sha256 of the normalised title and description; null for scraped records, whose identity is their URL.
  content_hash bytea,
  -- Raised with every change of what a reader sees; the search index refuses older versions.
  version integer not null default 1,
  tags text[] not null default '{}',
  attributes jsonb not null default '{}',
  images jsonb not null default '[]',
  description text not null,
  long_description text,
  boat jsonb,
  moderation jsonb
) with (fillfactor = 90);
alter table listings alter column description set storage external;
alter table listings alter column boat set storage external;

create unique index listings_slug on listings (slug);
create unique index listings_one_per_content on listings (seller_id, content_hash) where status <> 'deleted';

-- A list is one ordered walk, or a merge of one walk per category. What it may filter by is included, so that it reads no
-- wide row but those it shows; active listings have indexes of their own.
create index listings_newest on listings (category_id, sort_at desc, id desc)
  include (price_amount, country, condition, type, shipping, year, length_m, premium_type, premium_until) where status = 'active';
create index listings_price on listings (category_id, price_amount, id)
  include (country, condition, type, shipping, year, length_m) where status = 'active';
create index listings_year on listings (category_id, year desc nulls last, id desc)
  include (price_amount, country, condition, type, shipping, length_m) where status = 'active';
create index listings_length on listings (category_id, length_m desc nulls last, id desc)
  include (price_amount, country, condition, type, shipping, year) where status = 'active';
create index listings_country on listings (country, sort_at desc, id desc)
  include (category_id, price_amount, condition, type, shipping, year, length_m, premium_type, premium_until) where status = 'active';
create index listings_city on listings (lower(city), sort_at desc, id desc) where status = 'active';
create index listings_status on listings (status, sort_at desc, id desc)
  include (category_id, price_amount, country, condition, type, shipping, year, length_m, premium_type, premium_until);
create index listings_seller on listings (seller_id, status, sort_at desc, id desc);
create index listings_featured on listings (sort_at desc, id desc)
  include (category_id, price_amount, country, condition, type, shipping, year, length_m, premium_type, premium_until)
  where status = 'active' and premium_type = 'featured';
create index listings_expiry on listings (expires_at) where status in ('active', 'paused');
-- Every text among the attributes, for filters on a part of one; the filter itself is checked on the attributes.
create index listings_attributes on listings
  using gin (lower(jsonb_path_query_array(attributes, '$.*[*] ? (@.type() == "string")')::text) gin_trgm_ops) where status = 'active';
create index listings_updated on listings (updated_at, id);

-- Where a scraped listing came from and when it is looked at again (one row per scraped listing).
create table listing_sources (
  listing_id text collate "C" primary key references listings on delete cascade,
  url text not null,
  normalized_url text collate "C" not null check (char_length(normalized_url) <= 2048),
  site text not null,
  scraper_id text collate "C",
  raw_record jsonb not null,
  content_hash bytea not null,
  scraped_at timestamptz not null,
  first_seen_at timestamptz not null,
  last_verified_at timestamptz,
  scrape_count integer not null default 1,
  etag text,
  last_modified text,
  due_at timestamptz not null,
  interval_hours integer not null default 24,
  leased_until timestamptz,
  misses integer not null default 0,
  last_change_at timestamptz,
  last_error text
);
create unique index listing_sources_url on listing_sources (normalized_url);
create index listing_sources_due on listing_sources (due_at);
create index listing_sources_site on listing_sources (site, scraped_at);
create index listing_sources_scraper on listing_sources (scraper_id) where scraper_id is not null;

-- One row per stored picture, known by the sha256 of the bytes it was made from.
create table images (
  sha256 text collate "C" primary key,
  storage_key text not null,
  thumbnail_key text not null,
  width integer not null,
  height integer not null,
  bytes integer not null,
  dhash bigint not null,
  created_at timestamptz not null
);
create unique index images_storage_key on images (storage_key);
create index images_dhash on images (dhash);

-- Pictures that a record names somewhere else on the web, until they are stored here.
create table listing_images (
  listing_id text collate "C" not null references listings on delete cascade,
  source_url text not null check (char_length(source_url) <= 2048),
  position smallint not null,
  alt text,
  status text not null default 'pending' check (status in ('pending', 'stored', 'failed')),
  sha256 text collate "C" references images,
  error text,
  attempts smallint not null default 0,
  updated_at timestamptz not null,
  primary key (listing_id, source_url)
);
create index listing_images_pending on listing_images (listing_id) where status = 'pending';
create index listing_images_sha256 on listing_images (sha256);

create table listing_views (
  listing_id text collate "C" primary key references listings on delete cascade,
  views bigint not null default 0
) with (fillfactor = 50);

-- Which visitor (a keyed hash, never an address) saw a listing in which hour; a second look in it does not count.
create unlogged table listing_visits (
  listing_id text collate "C" not null,
  visitor bytea not null,
  hour timestamptz not null,
  primary key (listing_id, visitor, hour)
);
create index listing_visits_hour on listing_visits (hour);

-- How many listings a category holds in a status: folded counters plus the deltas of transactions since the last fold.
create table listing_counts (
  category_id text collate "C" not null,
  status text not null,
  n integer not null,
  primary key (category_id, status)
);
create table listing_count_deltas (
  category_id text collate "C" not null,
  status text not null,
  n integer not null
);
create index listing_count_deltas_category on listing_count_deltas (category_id, status) include (n);

create function count_listings() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into listing_count_deltas select category_id, status, count(*) from added group by 1, 2;
  elsif tg_op = 'DELETE' then
    insert into listing_count_deltas select category_id, status, -count(*) from removed group by 1, 2;
  else
    insert into listing_count_deltas
    select category_id, status, sum(n) from (
      select category_id, status, 1 as n from added
      union all
      select category_id, status, -1 from removed
    ) as moved group by 1, 2 having sum(n) <> 0;
  end if;
  return null;
end $$;
create trigger listings_counted_on_insert after insert on listings
  referencing new table as added for each statement execute function count_listings();
create trigger listings_counted_on_update after update on listings
  referencing new table as added old table as removed for each statement execute function count_listings();
create trigger listings_counted_on_delete after delete on listings
  referencing old table as removed for each statement execute function count_listings();

-- Text search lives in a narrow table: matching touches short rows, the whole vector stays out of line.
create text search configuration quayside (copy = simple);
alter text search configuration quayside alter mapping for hword, hword_part, word, asciihword, hword_asciipart, asciiword
  with unaccent, english_stem;

-- Surface words without accents: what a mistyped word is compared with.
create text search configuration quayside_words (copy = simple);
alter text search configuration quayside_words alter mapping for hword, hword_part, word, asciihword, hword_asciipart, asciiword, numword, numhword
  with unaccent, simple;

create table listing_search (
  listing_id text collate "C" primary key references listings on delete cascade,
  status text not null,
  category_id text collate "C" not null,
  country text not null,
  condition text not null,
  type text not null,
  shipping boolean not null,
  price_amount double precision not null,
  sort_at timestamptz not null,
  featured_until timestamptz,
  title tsvector not null,
  words tsvector not null,
  -- PostgreSQL moves a value out of line only from a row of more than 2 kB. This makes every row one, and is itself compressed to 40 bytes.
  padding text not null default repeat(' ', 2100)
) with (toast_tuple_target = 128, fillfactor = 90);
alter table listing_search
  alter column listing_id set storage plain,
  alter column category_id set storage plain,
  alter column title set storage plain,
  alter column words set storage external;

-- Dear on paper, so that every plan goes by the index: matching row by row would fetch each vector from its TOAST table.
create function searchable(words tsvector) returns tsvector language plpgsql immutable strict parallel safe cost 10000 as $$
begin
  return words;
end $$;
create index listing_search_words on listing_search using gin (searchable(words))
  with (fastupdate = on, gin_pending_list_limit = 1024) where status = 'active';
create index listing_search_other_words on listing_search using gin (searchable(words))
  with (fastupdate = on, gin_pending_list_limit = 1024) where status <> 'active';

create function listing_words(title text, tags text[], attributes jsonb, description text) returns tsvector
language sql stable parallel safe as $$
  select setweight(to_tsvector('quayside', title), 'A')
      || setweight(to_tsvector('quayside', array_to_string(tags, ' ') || ' ' || concat_ws(' ', attributes->>'brand', attributes->>'model')), 'B')
      || setweight(to_tsvector('quayside', left(description, 20000)), 'C')
$$;

create function index_listing_words() returns trigger language plpgsql as $$
declare
  featured timestamptz := case when new.premium_type = 'featured' then new.premium_until end;
begin
  if new.status = 'deleted' then
    delete from listing_search where listing_id = new.id;
    return null;
  end if;
  if tg_op = 'INSERT' or (old.title, old.tags, old.attributes, old.description) is distinct from (new.title, new.tags, new.attributes, new.description)
     or old.status = 'deleted' then
    insert into listing_search
      (listing_id, status, category_id, country, condition, type, shipping, price_amount, sort_at, featured_until, title, words)
    values (new.id, new.status, new.category_id, new.country, new.condition, new.type, new.shipping, new.price_amount, new.sort_at, featured,
      to_tsvector('quayside', new.title), listing_words(new.title, new.tags, new.attributes, new.description))
    on conflict (listing_id) do update
      set (status, category_id, country, condition, type, shipping, price_amount, sort_at, featured_until, title, words)
      = (excluded.status, excluded.category_id, excluded.country, excluded.condition, excluded.type, excluded.shipping, excluded.price_amount,
        excluded.sort_at, excluded.featured_until, excluded.title, excluded.words);
  elsif (old.status, old.category_id, old.country, old.condition, old.type, old.shipping, old.price_amount, old.sort_at, old.premium_type, old.premium_until)
     is distinct from (new.status, new.category_id, new.country, new.condition, new.type, new.shipping, new.price_amount, new.sort_at, new.premium_type,
     new.premium_until) then
    update listing_search set (status, category_id, country, condition, type, shipping, price_amount, sort_at, featured_until)
      = (new.status, new.category_id, new.country, new.condition, new.type, new.shipping, new.price_amount, new.sort_at, featured)
    where listing_id = new.id;
  end if;
  return null;
end $$;
create trigger listings_words after insert or update on listings for each row execute function index_listing_words();

-- Every word that titles, tags and descriptions use: what a mistyped word is corrected to.
create table search_words (
  word text collate "C" primary key,
  listings integer not null default 1
);
create index search_words_similar on search_words using gin (word gin_trgm_ops);

create table search_queries (
  day date not null,
  query text not null check (char_length(query) <= 500),
  searches integer not null default 0,
  results integer,
  primary key (day, query)
);

-- Rewritten texts per locale. source_hash tells whether the original has drifted since.
create table listing_rewrites (
  listing_id text collate "C" not null references listings on delete cascade,
  locale text not null,
  status text not null default 'pending' check (status in ('pending', 'processing', 'completed', 'failed', 'skipped')),
  title text,
  description text,
  seo jsonb,
  source_hash bytea,
  edited_by_human boolean not null default false,
  attempts integer not null default 0,
  error text,
  updated_at timestamptz not null,
  primary key (listing_id, locale)
);
create index listing_rewrites_status on listing_rewrites (status, updated_at);

create table flags (
  id text collate "C" primary key,
  listing_id text collate "C" not null references listings on delete cascade,
  reporter_id text collate "C" not null references users,
  reason text not null check (reason in ('spam', 'fraud', 'inappropriate', 'duplicate', 'illegal', 'other')),
  description text,
  created_at timestamptz not null
);
create unique index flags_one_per_user on flags (listing_id, reporter_id);

-- Down Migration
