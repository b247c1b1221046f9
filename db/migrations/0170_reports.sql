-- Up Migration

-- One table of reports, whatever they are about: exactly one of the four columns names it.
alter table flags
  alter column listing_id drop not null,
  add column user_id text collate "C" references users (id) on delete cascade,
  add column review_id text collate "C" references reviews (id) on delete cascade,
  add column message_id text collate "C" references messages (id) on delete cascade,
  -- Reports of before are settled, but for those of listings that are still hidden (0171).
  add column settled boolean not null default true,
  add column decision_id text collate "C";
alter table flags alter column settled set default false;
alter table flags add constraint flags_one_subject
  check (num_nonnulls(listing_id, user_id, review_id, message_id) = 1) not valid;

-- What moderation has decided about something; a report that it settles names it. A proposal settles nothing.
create table moderation_decisions (
  id text collate "C" primary key,
  subject_type text not null check (subject_type in ('listing', 'user', 'review', 'message')),
  subject_id text collate "C" not null,
  action text not null check (action in ('dismiss', 'hide', 'remove', 'warn', 'suspend', 'propose_suspension')),
  note text check (char_length(note) <= 2000),
  decided_by text collate "C",
  decided_at timestamptz not null
);
create index moderation_decisions_subject on moderation_decisions (subject_id, decided_at desc);
create index moderation_decisions_newest on moderation_decisions (decided_at desc, id desc);

-- Statements of reasons (Digital Services Act, article 17): what was restricted, why, on what ground, and whether a person decided.
create table notices (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  subject_type text not null check (subject_type in ('listing', 'user', 'review', 'message')),
  subject_id text collate "C" not null,
  subject_title text,
  restriction text not null check (restriction in
    ('listing_hidden', 'listing_removed', 'review_removed', 'message_removed', 'warning', 'account_suspended')),
  until timestamptz,
  -- As the person who decided has put them; null where the service words them by what it counted.
  facts text check (char_length(facts) <= 2000),
  reports integer not null default 0,
  automated_detection boolean not null,
  automated_decision boolean not null,
  ground text not null check (ground in ('law', 'terms')),
  rule text not null check (rule in ('spam', 'fraud', 'inappropriate', 'duplicate', 'illegal', 'other')),
  explanation text check (char_length(explanation) <= 2000),
  decided_by text collate "C",
  created_at timestamptz not null,
  lifted_at timestamptz
);
create index notices_user on notices (user_id, created_at desc, id desc);
create index notices_in_force on notices (subject_id) where lifted_at is null;

-- Complaints about them (article 20), one each.
create table appeals (
  id text collate "C" primary key,
  notice_id text collate "C" not null unique references notices (id) on delete cascade,
  user_id text collate "C" not null references users (id) on delete cascade,
  text text not null check (char_length(text) between 1 and 5000),
  created_at timestamptz not null,
  outcome text check (outcome in ('granted', 'refused')),
  answer text check (char_length(answer) <= 2000),
  decided_by text collate "C",
  decided_at timestamptz
);
create index appeals_open on appeals (created_at, id) where outcome is null;
create index appeals_user on appeals (user_id);

-- What a trader has to tell buyers (article 30).
create table traders (
  user_id text collate "C" primary key references users (id) on delete cascade,
  name text not null,
  address text not null,
  country text not null,
  register text,
  register_number text,
  email text not null,
  phone text not null,
  certified_at timestamptz not null,
  updated_at timestamptz not null
);

-- Taken out of sight by moderation; the row stays for an appeal.
alter table reviews add column removed_at timestamptz;
alter table messages add column removed_at timestamptz;

-- Down Migration

alter table messages drop column removed_at;
delete from reviews where removed_at is not null;
alter table reviews drop column removed_at;
drop table traders;
drop table appeals;
drop table notices;
drop table moderation_decisions;
delete from flags where listing_id is null;
alter table flags drop constraint flags_one_subject;
alter table flags drop column decision_id, drop column settled, drop column message_id, drop column review_id, drop column user_id,
  alter column listing_id set not null;
