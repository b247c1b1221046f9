-- Up Migration

-- The history of one thing.
drop index concurrently if exists events_subject;
create index concurrently events_subject on events (subject, seq desc);

-- Down Migration

drop index events_subject;
