-- Up Migration

-- One report of a person about one thing, whatever it is: ids of different kinds differ.
drop index concurrently if exists flags_one_per_subject;
create unique index concurrently flags_one_per_subject
  on flags (coalesce(listing_id, user_id, review_id, message_id), reporter_id);
drop index concurrently if exists flags_open;
create index concurrently flags_open on flags (coalesce(listing_id, user_id, review_id, message_id), created_at) where not settled;
drop index concurrently if exists flags_user;
create index concurrently flags_user on flags (user_id) where user_id is not null;
drop index concurrently if exists flags_review;
create index concurrently flags_review on flags (review_id) where review_id is not null;
drop index concurrently if exists flags_message;
create index concurrently flags_message on flags (message_id) where message_id is not null;

-- Down Migration

drop index flags_message;
drop index flags_review;
drop index flags_user;
drop index flags_open;
drop index flags_one_per_subject;
