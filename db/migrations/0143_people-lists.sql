-- Up Migration

drop index concurrently if exists users_newest;
create index concurrently users_newest on users (created_at desc, id desc);
drop index concurrently if exists users_staff;
create index concurrently users_staff on users (role, created_at desc, id desc) where role <> 'user';
drop index concurrently if exists users_suspended;
create index concurrently users_suspended on users (created_at desc, id desc) where disabled_at is not null;
drop index concurrently if exists users_created;

-- What one account has reported and reviewed.
drop index concurrently if exists flags_reporter;
create index concurrently flags_reporter on flags (reporter_id);
drop index concurrently if exists reviews_reviewer;
create index concurrently reviews_reviewer on reviews (reviewer_id);

-- Down Migration

drop index reviews_reviewer;
drop index flags_reporter;
create index users_created on users (created_at);
drop index users_suspended;
drop index users_staff;
drop index users_newest;
