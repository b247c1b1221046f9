-- Up Migration

-- Words of what is promoted have an index of their own: among ten million listings 33,000 were promoted, and each was looked at.
drop index concurrently if exists listing_search_promoted_words;
create index concurrently listing_search_promoted_words on listing_search using gin (searchable(words))
  with (fastupdate = 'on', gin_pending_list_limit = '1024') where status = 'active' and featured_until is not null;
drop index concurrently if exists listing_search_promoted;

-- Down Migration

create index listing_search_promoted on listing_search (featured_until) where status = 'active' and featured_until is not null;
drop index listing_search_promoted_words;
