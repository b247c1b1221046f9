-- Up Migration

-- What a key may do beyond its permission: without scopes, all that the permission implies. An expired key opens nothing.
alter table api_keys
  add column scopes text[] check (scopes <@ array['read', 'listings:write', 'messages', 'publish', 'admin']),
  add column expires_at timestamptz,
  add column publications_per_day integer check (publications_per_day >= 0);

-- Down Migration

alter table api_keys drop column scopes, drop column expires_at, drop column publications_per_day;
