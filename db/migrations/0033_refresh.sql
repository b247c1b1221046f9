-- Up Migration
-- Evidence about the page of a scraped listing: when it was missed last, and since when the listing is withdrawn for it, from
-- which status.
alter table listing_sources
  add column missed_at timestamptz,
  add column withdrawn_at timestamptz,
  add column withdrawn_from text;

-- Pages whose listing was deleted for good: no crawl brings them back.
create table deleted_sources (
  normalized_url text collate "C" primary key,
  listing_id text collate "C" not null,
  merged_into text collate "C",
  deleted_at timestamptz not null
);

-- A page can be claimed while its listing is being deleted; the claim waits for that transaction, and sees here how it ended.
create function refuse_deleted_sources() returns trigger language plpgsql as $$
begin
  if exists (select from added a join deleted_sources d on d.normalized_url = a.normalized_url) then
    raise exception 'the listing of a page was deleted meanwhile' using errcode = 'serialization_failure';
  end if;
  return null;
end $$;
create trigger listing_sources_not_deleted after insert on listing_sources
  referencing new table as added for each statement execute function refuse_deleted_sources();

-- What every refresh of a page came to, for the figures of a day.
create table refresh_looks (
  seq bigint generated always as identity primary key,
  listing_id text collate "C" not null,
  site text not null,
  outcome text not null check (outcome in ('changed', 'unchanged', 'gone', 'failed')),
  looked_at timestamptz not null
);
create index refresh_looks_age on refresh_looks (looked_at);

-- Down Migration
