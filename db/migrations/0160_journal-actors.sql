-- Up Migration

-- Who did what an event tells of, where a request did it, and the columns of the listing that it changed.
alter table events
  add column actor_id text collate "C",
  add column fields text[];

-- Down Migration

alter table events drop column actor_id, drop column fields;
