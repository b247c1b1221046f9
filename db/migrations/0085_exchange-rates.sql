-- Up Migration

-- Each row is a whole table of exchange rates, units of a currency for one euro; the newest is in force, the others tell who
-- set what and when. Without a row the snapshot that ships as data is in force (db/seed/exchange-rates.json).
create table exchange_rates (
  id bigint generated always as identity primary key,
  rate_date date not null,
  rates jsonb not null check (jsonb_typeof(rates) = 'object'),
  source text collate "C" not null check (source in ('feed', 'admin')),
  set_by text collate "C",
  created_at timestamptz not null
);

-- How the feed of RATES_URL fared last; `failing_since` and `error` while it cannot be had.
create table exchange_rate_feed (
  only_row boolean primary key default true check (only_row),
  succeeded_at timestamptz,
  failing_since timestamptz,
  error text
);

-- Down Migration

drop table exchange_rate_feed;
drop table exchange_rates;
