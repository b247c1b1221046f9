-- Up Migration

-- The row of an account that has left stays without anything of its person: conversations, reviews and bookings of others refer to it.
alter table users add column left_at timestamptz;

-- What is still to do for an account that has left. The address is there until the last mail has gone out.
create table account_leavings (
  user_id text collate "C" primary key references users (id) on delete cascade,
  email text check (char_length(email) <= 254),
  language text not null,
  left_at timestamptz not null,
  -- How often its data have been swept; a second time, for what was on its way when it left.
  sweeps smallint not null default 0
);

-- What tells the data of an account that has left in places that do not name it: its ids, the MD5 of slugs, searches and words that
-- were its own; and, while its listings are being erased, the words that may be.
create table account_leaving_traces (
  user_id text collate "C" not null references account_leavings (user_id) on delete cascade,
  kind text not null check (kind in ('id', 'slug', 'query', 'word', 'candidate')),
  trace text collate "C" not null,
  primary key (user_id, kind, trace)
);

-- The last archive that a person has asked for; the file is in the private storage while it can be fetched.
create table account_exports (
  user_id text collate "C" primary key references users (id) on delete cascade,
  id text collate "C" not null unique,
  run_id text collate "C" not null,
  bytes bigint,
  created_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz,
  fetched_at timestamptz,
  deleted_at timestamptz
);

-- Down Migration

drop table account_exports, account_leaving_traces, account_leavings;
alter table users drop column left_at;
