-- Up Migration
-- What was bought stays readable when its listing is gone. A payment without a session is one whose session the provider may
-- or may not have made: whoever asks for the same again goes on with it, under the same idempotency key.
alter table payments
  add column listing_title text not null default '',
  add column listing_slug text not null default '',
  -- Why a payment that was completed has promoted nothing.
  add column problem text check (problem in ('amount_mismatch', 'listing_gone')),
  drop constraint payments_status_check,
  add constraint payments_status_check check (status in ('open', 'pending', 'completed', 'refunded', 'expired', 'failed'));
create unique index payments_without_session on payments (listing_id, user_id, plan, duration_days, amount_cents, currency, mode)
  where status = 'open' and session_id is null;
create index payments_user on payments (user_id, created_at desc, id desc);
create index payments_open on payments (created_at) where status = 'open';

-- What is known of the provider's payments, whether or not the payment of ours that they belong to has been completed: a
-- refund may be heard of first. Events about one of them wait for each other at its row.
create table payment_intents (
  id text collate "C" primary key,
  refunded_cents integer not null default 0,
  fully_refunded boolean not null default false,
  first_heard_at timestamptz not null
);

create index listings_premium_ends on listings (premium_until) where premium_type is not null;

-- Down Migration
