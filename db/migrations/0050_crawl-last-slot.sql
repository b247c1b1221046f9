-- Up Migration
-- When the last reserved slot of a host is: a crawl keeps its own interval to the slots of the others, before and after.
alter table crawl_hosts add column last_request_at timestamptz;

-- Down Migration
alter table crawl_hosts drop column last_request_at;
