-- Up Migration
create extension if not exists pg_trgm;
create extension if not exists btree_gist;
create extension if not exists unaccent;
create extension if not exists fuzzystrmatch;

create table users (
  id text collate "C" primary key,
  email text not null,
  name text not null check (char_length(name) between 1 and 100),
  type text not null default 'human' check (type in ('agent', 'human')),
  role text not null default 'user' check (role in ('user', 'admin')),
  verified boolean not null default false,
  email_notifications boolean not null default true,
  language text not null default 'en',
  password_hash text,
  -- Every session token carries the epoch it was made in; raising it ends all earlier sessions at once.
  session_epoch integer not null default 0,
  disabled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index users_email on users (email);
comment on column users.email is 'normalised: Unicode NFC, lower case, trimmed';

create table api_keys (
  id text collate "C" primary key,
  user_id text collate "C" not null references users on delete cascade,
  key_hash bytea not null,
  key_prefix text not null,
  label text not null check (char_length(label) between 1 and 100),
  permissions text not null check (permissions in ('read', 'write', 'admin')),
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create unique index api_keys_hash on api_keys (key_hash);
create index api_keys_user on api_keys (user_id, id);

create table account_tokens (
  token_hash bytea primary key,
  user_id text collate "C" not null references users on delete cascade,
  purpose text not null check (purpose in ('magic_link', 'password_reset', 'verify_email', 'unsubscribe')),
  email text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index account_tokens_user on account_tokens (user_id, purpose);
create index account_tokens_expiry on account_tokens (expires_at);

create table categories (
  id text collate "C" primary key,
  slug text not null,
  name text not null,
  names jsonb not null default '{}',
  parent_id text collate "C" references categories,
  path text[] not null,
  position integer not null,
  active boolean not null default true
);
create unique index categories_slug on categories (slug);

-- What this database was last prepared for (migrations, queues, categories): starts skip what is done.
create table preparations (
  only_row boolean primary key default true check (only_row),
  fingerprint text not null,
  prepared_at timestamptz not null
);

-- Down Migration
