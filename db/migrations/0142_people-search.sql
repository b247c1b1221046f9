-- Up Migration

-- Accounts by any part of their name, address or id; the leading space lets the beginning of a word be looked for.
drop index concurrently if exists users_words;
create index concurrently users_words on users using gin ((lower(' ' || name || ' ' || email || ' ' || id)) gin_trgm_ops);

-- Down Migration

drop index users_words;
