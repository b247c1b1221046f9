-- Up Migration

-- Codes of an authenticator app (RFC 6238): asked for at sign-in once confirmed. The last step that was used is never taken again.
create table totp_secrets (
  user_id text collate "C" primary key references users on delete cascade,
  nonce bytea not null,
  sealed_secret bytea not null,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  last_step bigint
);
comment on column totp_secrets.sealed_secret is 'AES-256-GCM under a key derived from JWT_SECRET and the id of the account';

-- SHA-256 of what opens the account in place of a code, once each.
create table recovery_codes (
  user_id text collate "C" not null references totp_secrets on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- Down Migration

drop table recovery_codes;
drop table totp_secrets;
