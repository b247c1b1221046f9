-- Up Migration
create table payments (
  id text collate "C" primary key,
  listing_id text collate "C" not null,
  user_id text collate "C" not null references users,
  plan text not null check (plan in ('featured', 'urgent')),
  duration_days integer not null check (duration_days in (7, 30)),
  amount_cents integer not null check (amount_cents >= 0),
  currency text not null,
  mode text not null check (mode in ('payment', 'stub')),
  status text not null default 'open' check (status in ('open', 'completed', 'refunded', 'expired')),
  session_id text,
  payment_intent text,
  created_at timestamptz not null,
  completed_at timestamptz,
  refunded_at timestamptz
);
create unique index payments_session on payments (session_id);
create index payments_intent on payments (payment_intent);
create index payments_listing on payments (listing_id, created_at desc);

create table payment_events (
  id text collate "C" primary key,
  type text not null,
  received_at timestamptz not null
);

create table rentals (
  id text collate "C" primary key,
  slug text collate "C" not null,
  owner_id text collate "C" not null references users,
  title text not null,
  description text not null,
  boat_type text not null,
  price_per_day double precision not null check (price_per_day >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  country text not null check (country ~ '^[A-Z]{2}$'),
  city text not null,
  available_from date not null,
  available_to date not null,
  images jsonb not null default '[]',
  status text not null default 'active' check (status in ('active', 'paused', 'deleted')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (available_to >= available_from)
);
create unique index rentals_slug on rentals (slug);
create index rentals_newest on rentals (created_at desc, id desc) where status = 'active';
create index rentals_price on rentals (price_per_day, id) where status = 'active';
create index rentals_owner on rentals (owner_id, created_at desc);

create table bookings (
  id text collate "C" primary key,
  rental_id text collate "C" not null references rentals on delete cascade,
  renter_id text collate "C" not null references users,
  date_from date not null,
  date_to date not null,
  total_price double precision not null,
  currency text not null,
  message text,
  status text not null default 'requested' check (status in ('requested', 'confirmed', 'declined', 'cancelled', 'lapsed')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (date_to > date_from),
  constraint bookings_never_overlap exclude using gist (rental_id with =, daterange(date_from, date_to, '[)') with &&)
    where (status = 'confirmed')
);
create index bookings_rental on bookings (rental_id, date_from);
create index bookings_renter on bookings (renter_id, created_at desc);

create table dedup_groups (
  id text collate "C" primary key,
  status text not null default 'detected' check (status in ('detected', 'merged', 'rejected')),
  confidence real not null check (confidence between 0 and 1),
  reasons text[] not null default '{}',
  canonical_id text collate "C",
  detected_at timestamptz not null,
  resolved_at timestamptz,
  resolved_by text collate "C",
  -- What a merge changed, row by row, so that unmerge restores it byte for byte.
  undo jsonb
);
create index dedup_groups_status on dedup_groups (status, detected_at desc, id desc);

create table dedup_members (
  group_id text collate "C" not null references dedup_groups on delete cascade,
  listing_id text collate "C" not null,
  score real not null,
  evidence jsonb not null,
  -- A listing waits in one undecided group at most.
  open boolean not null default true,
  primary key (group_id, listing_id)
);
create unique index dedup_members_one_open_group on dedup_members (listing_id) where open;

create table dedup_rejections (
  first_id text collate "C" not null,
  second_id text collate "C" not null,
  rejected_by text collate "C",
  rejected_at timestamptz not null,
  primary key (first_id, second_id),
  check (first_id < second_id)
);

create table dedup_keys (
  key text collate "C" not null,
  listing_id text collate "C" not null references listings on delete cascade,
  primary key (key, listing_id)
);
create index dedup_keys_listing on dedup_keys (listing_id);

-- Down Migration
