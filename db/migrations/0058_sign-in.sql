-- Up Migration
-- The ADMIN_PASSWORD that was last applied to this account, as an argon2id hash: a start applies another one, never the same again.
alter table users add column applied_password_hash text;

-- Networks that an account was opened from, hashed with its id: wrong passwords from there are counted apart from everybody else's.
create table login_networks (
  user_id text collate "C" not null references users on delete cascade,
  network_hash bytea not null,
  last_login_at timestamptz not null,
  primary key (user_id, network_hash)
);
create index login_networks_age on login_networks (last_login_at);

-- Down Migration
