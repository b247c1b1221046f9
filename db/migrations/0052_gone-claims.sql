-- Up Migration
-- When a page was first read that prints, without markup that says so, that its thing is sold: a second visit confirms it.
alter table listing_sources add column gone_claimed_at timestamptz;

-- Down Migration
alter table listing_sources drop column gone_claimed_at;
