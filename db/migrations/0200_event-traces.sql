-- Up Migration

-- The W3C trace context in which an event was recorded, for those who act on it in another process.
alter table events add column trace jsonb;

-- Down Migration

alter table events drop column trace;
