-- Up Migration

-- The request queue of a crawl: a row for each page that is known, and for each address that a page was found at. Rows change
-- in the transaction that stores what the page held, so that a crawl goes on exactly where its process was lost; they go when
-- the crawl is over.
create table crawl_requests (
  run_id text collate "C" not null references runs on delete cascade,
  key text collate "C" not null,
  -- The order in which pages were found.
  seq bigint generated always as identity,
  -- The page to visit, as the crawl describes it; none for an address that only belongs to one.
  target jsonb,
  status text not null check (status in ('pending', 'visited', 'skipped')),
  primary key (run_id, key)
);

-- Down Migration

drop table crawl_requests;
