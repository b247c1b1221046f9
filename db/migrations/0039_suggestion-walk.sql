-- Up Migration
-- Where very many titles begin with the same four letters, the most popular are walked for some that have other words too: by
-- this index alone, where each took a look at a row far from the others before.
create index suggestion_titles_walk on suggestion_titles (left(start, 4), popularity desc) include (start, listing_id);
drop index suggestion_titles_popular_4;

-- Down Migration
