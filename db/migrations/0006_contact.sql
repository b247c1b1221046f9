-- Up Migration
-- Messages of the contact form until they are mailed. The texts are forgotten after a month; the row stays, to be counted,
-- and outlives its listing: what the mail says of that is copied.
create table contact_requests (
  id uuid primary key,
  listing_id text collate "C" not null,
  listing_title text not null,
  listing_slug text not null,
  category_id text collate "C" not null,
  seller_id text collate "C" not null references users on delete cascade,
  name text check (char_length(name) <= 100),
  email text check (char_length(email) <= 200),
  message text check (char_length(message) <= 2000),
  created_at timestamptz not null
);
create index contact_requests_age on contact_requests (created_at, category_id);
create index contact_requests_to_forget on contact_requests (created_at) where message is not null;

create index flags_newest on flags (listing_id, created_at desc, id desc);
-- The validation queue, in the order of judgement.
create index listings_doubtful on listings (coalesce(moderation ->> 'judged_at', ''), id)
  where status in ('draft', 'active') and moderation ->> 'verdict' = 'review';

-- Down Migration
