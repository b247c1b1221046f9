-- Up Migration

-- Any part of a title, whatever the status: what administrators search by.
drop index concurrently if exists listings_title_words;
create index concurrently listings_title_words on listings using gin (title gin_trgm_ops);

-- Down Migration

drop index listings_title_words;
