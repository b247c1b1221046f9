-- Up Migration

-- Moderators decide on listings and duplicates; all else of the administration is for administrators.
alter table users drop constraint users_role_check;
alter table users add constraint users_role_check check (role in ('user', 'moderator', 'admin')) not valid;

-- Why and until when an account is suspended, and was before. users.disabled_at says that it is, for whoever checks a credential.
create table suspensions (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  reason text not null check (char_length(reason) between 1 and 2000),
  suspended_by text collate "C",
  suspended_at timestamptz not null,
  until timestamptz,
  ended_at timestamptz,
  -- Null where its time was over.
  ended_by text collate "C"
);
create unique index suspensions_one_open on suspensions (user_id) where ended_at is null;
create index suspensions_user on suspensions (user_id, suspended_at desc);
create index suspensions_due on suspensions (until) where ended_at is null and until is not null;

-- The marketplace keeps an administrator who can sign in: whoever would take the last one's role or suspend them is refused
-- (QS002). One such change at a time: two administrators cannot demote each other at once.
create function keep_an_administrator() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('quayside.administrators'));
  if not exists (select from users where role = 'admin' and disabled_at is null) then
    raise exception 'the last administrator' using errcode = 'QS002';
  end if;
  return null;
end $$;
create trigger users_keep_an_administrator after update of role, disabled_at or delete on users
  for each row when (old.role = 'admin' and old.disabled_at is null) execute function keep_an_administrator();

-- What a suspended person had on show: the status that it has again when the suspension ends.
alter table listings add column suspended_status text;
alter table listings drop constraint listings_status_check;
alter table listings add constraint listings_status_check
  check (status in ('draft', 'active', 'paused', 'sold', 'expired', 'flagged', 'deleted', 'suspended')) not valid;
alter table rentals add column suspended_status text;
alter table rentals drop constraint rentals_status_check;
alter table rentals add constraint rentals_status_check check (status in ('active', 'paused', 'deleted', 'suspended')) not valid;

-- Nothing of a suspended person is put on show, however far its request was when they were suspended (QS001). What the
-- marketplace's scrapers bring in is the marketplace's, whoever set them up.
create function refuse_suspended_owner() returns trigger language plpgsql as $$
declare
  owner text := to_jsonb(new) ->> tg_argv[0];
begin
  perform from users where id = owner and disabled_at is null for key share;
  if not found and not (tg_table_name = 'listings' and exists (
    select from listing_sources where listing_id = new.id and scraper_id is not null)) then
    raise exception 'the owner is suspended' using errcode = 'QS001';
  end if;
  return new;
end $$;

-- Every act of an administrator or a moderator, in the transaction of the act. Rows are neither changed nor deleted, but for what
-- was sent about somebody who has left.
create table audit_entries (
  seq bigint generated always as identity primary key,
  id text collate "C" not null,
  actor text collate "C" not null,
  action text collate "C" not null,
  subject text collate "C",
  data jsonb not null,
  created_at timestamptz not null
);
create index audit_entries_actor on audit_entries (actor, seq desc);
create index audit_entries_action on audit_entries (action, seq desc);
create index audit_entries_subject on audit_entries (subject, seq desc);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' and not exists (select from audit_entries) then
    return null;
  end if;
  raise exception 'the audit log is append-only' using errcode = 'QS003';
end $$;
create trigger audit_entries_append_only before delete or truncate on audit_entries
  for each statement execute function refuse_audit_change();
create trigger audit_entries_unchanged before update on audit_entries
  for each row when (new.data <> '{"erased": true}'
    or (new.seq, new.id, new.actor, new.action, new.created_at) <> (old.seq, old.id, old.actor, old.action, old.created_at)
    or new.subject is distinct from old.subject)
  execute function refuse_audit_change();

-- Who does not want to be written to by whom.
create table user_blocks (
  blocker_id text collate "C" not null references users (id) on delete cascade,
  blocked_id text collate "C" not null references users (id) on delete cascade,
  created_at timestamptz not null,
  primary key (blocker_id, blocked_id),
  check (blocker_id <> blocked_id)
);
create index user_blocks_blocked on user_blocks (blocked_id);

-- Down Migration

drop table user_blocks;
drop table audit_entries;
drop function refuse_audit_change;
drop function refuse_suspended_owner;
update rentals set status = suspended_status where status = 'suspended';
alter table rentals drop constraint rentals_status_check;
alter table rentals add constraint rentals_status_check check (status in ('active', 'paused', 'deleted'));
alter table rentals drop column suspended_status;
update listings set status = suspended_status where status = 'suspended';
alter table listings drop constraint listings_status_check;
alter table listings add constraint listings_status_check
  check (status in ('draft', 'active', 'paused', 'sold', 'expired', 'flagged', 'deleted'));
alter table listings drop column suspended_status;
drop trigger users_keep_an_administrator on users;
drop function keep_an_administrator;
drop table suspensions;
update users set role = 'user' where role = 'moderator';
alter table users drop constraint users_role_check;
alter table users add constraint users_role_check check (role in ('user', 'admin'));
