-- Up Migration
-- Listings whose changes the search index has not taken while it was not to be reached. Empty without such an index.
create table search_backlog (
  listing_id text collate "C" primary key,
  since timestamptz not null
);

-- Documents that the search index refuses, as of which version: left out of it until their listing changes.
create table search_refusals (
  listing_id text collate "C" primary key,
  version integer not null,
  error text not null,
  refused_at timestamptz not null
);

-- Down Migration
