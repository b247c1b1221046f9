-- Up Migration
create table favorites (
  user_id text collate "C" not null references users on delete cascade,
  listing_id text collate "C" not null references listings on delete cascade,
  created_at timestamptz not null,
  primary key (user_id, listing_id)
);
create index favorites_listing on favorites (listing_id);
create index favorites_recent on favorites (user_id, created_at desc);

create table saved_searches (
  id text collate "C" primary key,
  user_id text collate "C" not null references users on delete cascade,
  name text not null check (char_length(name) between 1 and 100),
  query_params jsonb not null,
  notify text not null default 'daily' check (notify in ('instant', 'daily', 'weekly', 'off')),
  -- The filters as columns, so that one indexed pass finds the searches a listing may match.
  category_id text collate "C",
  country text,
  min_price double precision,
  max_price double precision,
  last_notified_at timestamptz,
  created_at timestamptz not null
);
create index saved_searches_user on saved_searches (user_id, created_at desc);
create index saved_searches_match on saved_searches (category_id, country) where notify <> 'off';

create table saved_search_matches (
  saved_search_id text collate "C" not null references saved_searches on delete cascade,
  listing_id text collate "C" not null references listings on delete cascade,
  reason text not null check (reason in ('new', 'price_drop')),
  price double precision not null,
  matched_at timestamptz not null,
  notified_at timestamptz,
  primary key (saved_search_id, listing_id, reason, price)
);
create index saved_search_matches_due on saved_search_matches (saved_search_id) where notified_at is null;

-- A conversation outlives its listing: what it shows of it is copied.
create table conversations (
  id text collate "C" primary key,
  listing_id text collate "C" not null,
  listing_title text not null,
  listing_slug text not null,
  buyer_id text collate "C" not null references users,
  seller_id text collate "C" not null references users,
  last_message jsonb,
  last_message_at timestamptz not null,
  created_at timestamptz not null,
  check (buyer_id <> seller_id)
);
create unique index conversations_one_per_buyer on conversations (listing_id, buyer_id);
create index conversations_buyer on conversations (buyer_id, last_message_at desc, id desc);
create index conversations_seller on conversations (seller_id, last_message_at desc, id desc);

create table messages (
  id text collate "C" primary key,
  conversation_id text collate "C" not null references conversations on delete cascade,
  sender_id text collate "C" not null references users,
  content text not null check (char_length(content) between 1 and 5000),
  read_at timestamptz,
  created_at timestamptz not null
);
create index messages_conversation on messages (conversation_id, id);
create index messages_unread on messages (conversation_id, sender_id) where read_at is null;

create table reviews (
  id text collate "C" primary key,
  listing_id text collate "C" not null,
  seller_id text collate "C" not null references users,
  reviewer_id text collate "C" not null references users,
  rating smallint not null check (rating between 1 and 5),
  comment text check (char_length(comment) between 1 and 2000),
  reply text check (char_length(reply) between 1 and 2000),
  replied_at timestamptz,
  created_at timestamptz not null,
  check (reviewer_id <> seller_id)
);
create unique index reviews_one_per_listing on reviews (listing_id, reviewer_id);
create index reviews_seller on reviews (seller_id, created_at desc);

create table newsletter_subscribers (
  email text primary key,
  token_hash bytea not null,
  language text not null default 'en',
  subscribed_at timestamptz not null,
  unsubscribed_at timestamptz
);
create unique index newsletter_subscribers_token on newsletter_subscribers (token_hash);

create table webhooks (
  id text collate "C" primary key,
  user_id text collate "C" not null references users on delete cascade,
  url text not null check (char_length(url) <= 2048),
  events text[] not null,
  scope text not null default 'own' check (scope in ('own', 'all')),
  description text,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  active boolean not null default true,
  last_delivery_at timestamptz,
  failing_since timestamptz,
  created_at timestamptz not null
);
create index webhooks_user on webhooks (user_id, created_at desc);

create table webhook_deliveries (
  id text collate "C" primary key,
  webhook_id text collate "C" not null references webhooks on delete cascade,
  event_seq bigint,
  event_type text not null,
  payload jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  status_code smallint,
  error text,
  duration_ms integer,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  delivered_at timestamptz
);
create unique index webhook_deliveries_once on webhook_deliveries (webhook_id, event_seq);
create index webhook_deliveries_log on webhook_deliveries (webhook_id, created_at desc, id desc);

-- How far each follower of the journal has read.
create table journal_cursors (
  reader text primary key,
  xid xid8 not null default '0',
  seq bigint not null default 0,
  updated_at timestamptz not null
);

create table tracked_events (
  id bigint generated always as identity,
  event text not null check (event in ('page_view', 'signup', 'listing_created', 'search', 'listing_view')),
  path text,
  referrer text,
  user_agent text,
  user_id text,
  listing_id text,
  query text,
  results_count integer,
  metadata jsonb,
  created_at timestamptz not null,
  primary key (id)
);
create index tracked_events_range on tracked_events (event, created_at);

-- Down Migration
