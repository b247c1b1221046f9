-- Up Migration
-- Links that somebody wants mailed to an address, until a worker looks whether an account has it: asking for one is the same
-- work for every address. The row goes as soon as it is answered.
create table account_link_requests (
  id uuid primary key,
  purpose text not null check (purpose in ('magic_link', 'password_reset', 'verify_email')),
  email text not null check (char_length(email) <= 254),
  created_at timestamptz not null
);
create index account_link_requests_age on account_link_requests (created_at);

-- Down Migration
