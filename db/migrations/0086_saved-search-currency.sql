-- Up Migration

-- The currency that the prices of a saved search are compared in; null where amounts count as they stand.
alter table saved_search_filters add column price_currency text collate "C";

-- Down Migration

alter table saved_search_filters drop column price_currency;
