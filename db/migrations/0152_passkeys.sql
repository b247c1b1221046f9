-- Up Migration

-- Public keys of passkeys (WebAuthn), several to an account.
create table passkeys (
  id text collate "C" primary key,
  user_id text collate "C" not null references users on delete cascade,
  name text not null check (char_length(name) between 1 and 100),
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create unique index passkeys_credential on passkeys (credential_id);
create index passkeys_user on passkeys (user_id, id);
comment on column passkeys.credential_id is 'base64url, as the browser has it';

-- Challenges that were answered, until they expire: the service signs its challenges, and takes each once.
create table used_challenges (
  challenge_hash bytea primary key,
  expires_at timestamptz not null
);
create index used_challenges_expiry on used_challenges (expires_at);

-- Down Migration

drop table used_challenges;
drop table passkeys;
