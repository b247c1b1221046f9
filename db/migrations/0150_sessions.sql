-- Up Migration

-- Sessions that people can see and end, by the id in their tokens. A token without a row is from before there were any, and good
-- until it expires; one whose row has ended opens nothing. Rows outlive their tokens, so that a device is known again.
create table sessions (
  id text collate "C" primary key,
  user_id text collate "C" not null references users on delete cascade,
  device text not null check (char_length(device) <= 100),
  network text not null check (char_length(network) <= 100),
  second_factor boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index sessions_user on sessions (user_id, last_used_at);
create index sessions_expiry on sessions (expires_at);
comment on column sessions.device is 'browser and system as the user agent names them, such as "Firefox, macOS"; empty where it names none';
comment on column sessions.network is 'the /24 or /48 of the address that the session was opened from';

-- Down Migration

drop table sessions;
