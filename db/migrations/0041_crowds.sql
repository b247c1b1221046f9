-- Up Migration
-- Words that very many listings have: the newest listings that have them in the title, or at all, are found without the others.
create index listing_search_titles on listing_search using gin (title)
  with (fastupdate = on, gin_pending_list_limit = 1024) where status = 'active';
create index listing_search_newest on listing_search (sort_at desc, listing_id desc) where status = 'active';
create index listing_search_promoted on listing_search (featured_until) where status = 'active' and featured_until is not null;

-- Down Migration
