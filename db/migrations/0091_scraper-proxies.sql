-- Up Migration

-- The proxies of a scraper, credentials and all; those of the service when null.
alter table scrapers add column proxy_urls text[];

-- Down Migration

alter table scrapers drop column proxy_urls;
