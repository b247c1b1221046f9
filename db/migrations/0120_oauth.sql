-- Up Migration

-- Applications that have registered themselves (RFC 7591); one that nobody connects, or uses any more, expires.
create table oauth_clients (
  id text primary key,
  name text not null check (char_length(name) <= 100),
  redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 10),
  token_endpoint_auth_method text not null check (token_endpoint_auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  -- SHA-256; null where the method is none.
  secret_hash bytea check ((secret_hash is null) = (token_endpoint_auth_method = 'none')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index oauth_clients_expiry on oauth_clients (expires_at);

-- What a person has allowed an application: one grant in force for the two of them. Its tokens end with it.
create table oauth_grants (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  client_id text not null references oauth_clients (id) on delete cascade,
  scopes text[] not null check (scopes <@ array['read', 'listings:write', 'messages', 'publish', 'admin']),
  -- The audience of its tokens (RFC 8707).
  resource text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create unique index oauth_grants_in_force on oauth_grants (user_id, client_id) where revoked_at is null;
create index oauth_grants_client on oauth_grants (client_id);
create index oauth_grants_expiry on oauth_grants (expires_at);

-- Authorization codes by their SHA-256. One that was redeemed names its grant, which ends when the code comes again.
create table oauth_codes (
  code_hash bytea primary key,
  client_id text not null references oauth_clients (id) on delete cascade,
  user_id text not null references users (id) on delete cascade,
  session_epoch integer not null,
  redirect_uri text not null,
  code_challenge text not null,
  scopes text[] not null,
  resource text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  grant_id text references oauth_grants (id) on delete cascade
);
create index oauth_codes_client on oauth_codes (client_id);
create index oauth_codes_user on oauth_codes (user_id);
create index oauth_codes_grant on oauth_codes (grant_id);
create index oauth_codes_expiry on oauth_codes (expires_at);

-- Access and refresh tokens by their SHA-256. A refresh token is used once; the grant ends when it comes again.
create table oauth_tokens (
  token_hash bytea primary key,
  grant_id text not null references oauth_grants (id) on delete cascade,
  kind text not null check (kind in ('access', 'refresh')),
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index oauth_tokens_grant on oauth_tokens (grant_id);
create index oauth_tokens_expiry on oauth_tokens (expires_at);

-- Down Migration

drop table oauth_tokens, oauth_codes, oauth_grants, oauth_clients;
