-- The schema after every migration, made by `npm run generate`. Read it; what changes it is a new file in db/migrations.

set check_function_bodies = off;

create extension if not exists btree_gist;
create extension if not exists fuzzystrmatch;
create extension if not exists pg_trgm;
create extension if not exists unaccent;

create text search configuration quayside (parser = "default");
alter text search configuration quayside add mapping for asciihword, asciiword, hword, hword_asciipart, hword_part, word with unaccent, english_stem;
alter text search configuration quayside add mapping for email, file, float, host, hword_numpart, int, numhword, numword, sfloat, uint, url, url_path, version with simple;

create text search configuration quayside_words (parser = "default");
alter text search configuration quayside_words add mapping for asciihword, asciiword, hword, hword_asciipart, hword_part, numhword, numword, word with unaccent, simple;
alter text search configuration quayside_words add mapping for email, file, float, host, hword_numpart, int, sfloat, uint, url, url_path, version with simple;

CREATE OR REPLACE FUNCTION public.dhash_quarters(dhash bigint)
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select array[
    (dhash >> 48 & 65535)::int, 65536 + (dhash >> 32 & 65535)::int, 131072 + (dhash >> 16 & 65535)::int, 196608 + (dhash & 65535)::int]
$function$;

CREATE OR REPLACE FUNCTION public.image_core_bands(core bigint)
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ARRAY[(((core >> 43) & (2097151)::bigint))::integer, (2097152 + (((core >> 22) & (2097151)::bigint))::integer), (4194304 + ((core & (4194303)::bigint))::integer)];

CREATE OR REPLACE FUNCTION public.place_cell(lat double precision, lng double precision)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select least(1799, floor((lat + 90) * 10)::int) * 3600 + least(3599, floor((lng + 180) * 10)::int)
$function$;

CREATE OR REPLACE FUNCTION public.searchable(words tsvector)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT COST 10000
AS $function$
begin
  return words;
end $function$;

create table account_link_requests (
  id uuid not null,
  purpose text not null,
  email text not null,
  created_at timestamp with time zone not null,
  constraint account_link_requests_pkey PRIMARY KEY (id),
  constraint account_link_requests_email_check CHECK (char_length(email) <= 254),
  constraint account_link_requests_purpose_check CHECK (purpose = ANY (ARRAY['magic_link'::text, 'password_reset'::text, 'verify_email'::text]))
);
CREATE INDEX account_link_requests_age ON account_link_requests USING btree (created_at);

create table analytics_days (
  day date not null,
  event text not null,
  key text not null,
  n integer not null,
  constraint analytics_days_pkey PRIMARY KEY (event, day, key)
);

create table audit_entries (
  seq bigint generated always as identity not null,
  id text collate "C" not null,
  actor text collate "C" not null,
  action text collate "C" not null,
  subject text collate "C",
  data jsonb not null,
  created_at timestamp with time zone not null,
  constraint audit_entries_pkey PRIMARY KEY (seq)
);
CREATE INDEX audit_entries_action ON audit_entries USING btree (action, seq DESC);
CREATE INDEX audit_entries_actor ON audit_entries USING btree (actor, seq DESC);
CREATE INDEX audit_entries_subject ON audit_entries USING btree (subject, seq DESC);

create table categories (
  id text collate "C" not null,
  slug text not null,
  name text not null,
  names jsonb default '{}'::jsonb not null,
  parent_id text collate "C",
  path text[] not null,
  "position" integer not null,
  active boolean default true not null,
  constraint categories_pkey PRIMARY KEY (id),
  constraint categories_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES categories(id)
);
CREATE UNIQUE INDEX categories_slug ON categories USING btree (slug);

create table category_view_days (
  day date not null,
  category_id text collate "C" not null,
  views integer not null,
  constraint category_view_days_pkey PRIMARY KEY (day, category_id)
) with (fillfactor=50);

create table crawl_hosts (
  host text collate "C" not null,
  next_request_at timestamp with time zone not null,
  backoff_until timestamp with time zone,
  robots text,
  robots_fetched_at timestamp with time zone,
  visits jsonb default '{}'::jsonb not null,
  last_request_at timestamp with time zone,
  constraint crawl_hosts_pkey PRIMARY KEY (host)
);

create table dedup_groups (
  id text collate "C" not null,
  status text default 'detected'::text not null,
  confidence real not null,
  reasons text[] default '{}'::text[] not null,
  canonical_id text collate "C",
  detected_at timestamp with time zone not null,
  resolved_at timestamp with time zone,
  resolved_by text collate "C",
  undo jsonb,
  unmerged_at timestamp with time zone,
  constraint dedup_groups_pkey PRIMARY KEY (id),
  constraint dedup_groups_confidence_check CHECK (confidence >= 0::double precision AND confidence <= 1::double precision),
  constraint dedup_groups_status_check CHECK (status = ANY (ARRAY['detected'::text, 'merged'::text, 'rejected'::text]))
);
CREATE INDEX dedup_groups_canonical ON dedup_groups USING btree (canonical_id) WHERE status = 'merged'::text;
CREATE INDEX dedup_groups_newest ON dedup_groups USING btree (detected_at DESC, id DESC);
CREATE INDEX dedup_groups_status ON dedup_groups USING btree (status, detected_at DESC, id DESC);

create table dedup_keys (
  key text collate "C" not null,
  listing_id text collate "C" not null,
  constraint dedup_keys_pkey PRIMARY KEY (key, listing_id)
);
CREATE INDEX dedup_keys_listing ON dedup_keys USING btree (listing_id);

create table dedup_members (
  group_id text collate "C" not null,
  listing_id text collate "C" not null,
  score real not null,
  evidence jsonb not null,
  open boolean default true not null,
  constraint dedup_members_pkey PRIMARY KEY (group_id, listing_id),
  constraint dedup_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES dedup_groups(id) ON DELETE CASCADE
);
CREATE INDEX dedup_members_listing ON dedup_members USING btree (listing_id);
CREATE UNIQUE INDEX dedup_members_one_open_group ON dedup_members USING btree (listing_id) WHERE open;

create table dedup_pairs (
  first_id text collate "C" not null,
  second_id text collate "C" not null,
  score real not null,
  evidence jsonb not null,
  first_version integer,
  second_version integer,
  constraint dedup_pairs_pkey PRIMARY KEY (first_id, second_id),
  constraint dedup_pairs_check CHECK (first_id < second_id)
);
CREATE INDEX dedup_pairs_second ON dedup_pairs USING btree (second_id);

create table dedup_rejections (
  first_id text collate "C" not null,
  second_id text collate "C" not null,
  rejected_by text collate "C",
  rejected_at timestamp with time zone not null,
  constraint dedup_rejections_pkey PRIMARY KEY (first_id, second_id),
  constraint dedup_rejections_check CHECK (first_id < second_id)
);

create table dedup_words (
  word text collate "C" not null,
  listings integer not null,
  constraint dedup_words_pkey PRIMARY KEY (word)
);

create table deleted_sources (
  normalized_url text collate "C" not null,
  listing_id text collate "C" not null,
  merged_into text collate "C",
  deleted_at timestamp with time zone not null,
  owner text collate "C" not null,
  constraint deleted_sources_pkey PRIMARY KEY (normalized_url, owner)
);

create table events (
  seq bigint generated always as identity not null,
  xid xid8 default pg_current_xact_id() not null,
  type text not null,
  subject text collate "C" not null,
  owner_id text collate "C",
  data jsonb not null,
  previous jsonb,
  created_at timestamp with time zone not null,
  actor_id text collate "C",
  fields text[],
  trace jsonb,
  constraint events_pkey PRIMARY KEY (seq)
);
CREATE INDEX events_age ON events USING btree (created_at);
CREATE UNIQUE INDEX events_order ON events USING btree (xid, seq);
CREATE INDEX events_owner ON events USING btree (owner_id, xid, seq);
CREATE INDEX events_subject ON events USING btree (subject, seq DESC);

create table exchange_rate_feed (
  only_row boolean default true not null,
  succeeded_at timestamp with time zone,
  failing_since timestamp with time zone,
  error text,
  constraint exchange_rate_feed_pkey PRIMARY KEY (only_row),
  constraint exchange_rate_feed_only_row_check CHECK (only_row)
);

create table exchange_rates (
  id bigint generated always as identity not null,
  rate_date date not null,
  rates jsonb not null,
  source text collate "C" not null,
  set_by text collate "C",
  created_at timestamp with time zone not null,
  constraint exchange_rates_pkey PRIMARY KEY (id),
  constraint exchange_rates_rates_check CHECK (jsonb_typeof(rates) = 'object'::text),
  constraint exchange_rates_source_check CHECK (source = ANY (ARRAY['feed'::text, 'admin'::text]))
);

create table idempotency_keys (
  caller text collate "C" not null,
  key text collate "C" not null,
  operation text not null,
  fingerprint bytea not null,
  status smallint,
  headers jsonb,
  body bytea,
  created_at timestamp with time zone not null,
  locked_until timestamp with time zone,
  nonce bytea,
  constraint idempotency_keys_pkey PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING btree (created_at);

create table images (
  sha256 text collate "C" not null,
  storage_key text not null,
  thumbnail_key text not null,
  width integer not null,
  height integer not null,
  bytes integer not null,
  dhash bigint not null,
  created_at timestamp with time zone not null,
  constraint images_pkey PRIMARY KEY (sha256)
);
CREATE INDEX images_dhash ON images USING btree (dhash);
CREATE INDEX images_dhash_quarters ON images USING gin (dhash_quarters(dhash));
CREATE UNIQUE INDEX images_storage_key ON images USING btree (storage_key);

create table image_cores (
  sha256 text collate "C" not null,
  core bigint not null,
  constraint image_cores_pkey PRIMARY KEY (sha256),
  constraint image_cores_sha256_fkey FOREIGN KEY (sha256) REFERENCES images(sha256) ON DELETE CASCADE
);
CREATE INDEX image_cores_bands ON image_cores USING gin (image_core_bands(core));

create table journal_cursors (
  reader text not null,
  xid xid8 default '0'::xid8 not null,
  seq bigint default 0 not null,
  updated_at timestamp with time zone not null,
  constraint journal_cursors_pkey PRIMARY KEY (reader)
);

create unlogged table kept_figures (
  name text not null,
  figures jsonb not null,
  counted_at timestamp with time zone not null,
  took_ms integer not null,
  constraint kept_figures_pkey PRIMARY KEY (name)
);

create table listing_count_deltas (
  category_id text collate "C" not null,
  status text not null,
  n integer not null
);
CREATE INDEX listing_count_deltas_category ON listing_count_deltas USING btree (category_id, status) INCLUDE (n);

create table listing_counts (
  category_id text collate "C" not null,
  status text not null,
  n integer not null,
  constraint listing_counts_pkey PRIMARY KEY (category_id, status)
);

create table listing_facet_counts (
  category_id text collate "C" not null,
  country text collate "C" not null,
  condition text collate "C" not null,
  type text collate "C" not null,
  shipping boolean not null,
  n integer not null,
  constraint listing_facet_counts_pkey PRIMARY KEY (category_id, country, condition, type, shipping)
);

create table listing_facet_deltas (
  category_id text collate "C" not null,
  country text collate "C" not null,
  condition text collate "C" not null,
  type text collate "C" not null,
  shipping boolean not null,
  n integer not null
);

create table listing_price_brands (
  brand text collate "C" not null
);
CREATE INDEX listing_price_brands_brand ON listing_price_brands USING btree (brand);

create table listing_price_currencies (
  category_id text collate "C" not null,
  currency text collate "C" not null
);
CREATE INDEX listing_price_currencies_category ON listing_price_currencies USING btree (category_id, currency);

create table listing_view_days (
  day date not null,
  listing_id text collate "C" not null,
  views integer not null,
  constraint listing_view_days_pkey PRIMARY KEY (day, listing_id)
) with (fillfactor=80);

create unlogged table listing_visits (
  listing_id text collate "C" not null,
  visitor bytea not null,
  hour timestamp with time zone not null,
  constraint listing_visits_pkey PRIMARY KEY (listing_id, visitor, hour)
);
CREATE INDEX listing_visits_hour ON listing_visits USING btree (hour);

create table marketplace_versions (
  version integer generated always as identity not null,
  marketplace text collate "C" not null,
  edits jsonb not null,
  changes jsonb not null,
  renames jsonb default '[]'::jsonb not null,
  restores integer,
  author_id text collate "C",
  created_at timestamp with time zone not null,
  constraint marketplace_versions_pkey PRIMARY KEY (version),
  constraint marketplace_versions_changes_check CHECK (jsonb_typeof(changes) = 'array'::text),
  constraint marketplace_versions_edits_check CHECK (jsonb_typeof(edits) = 'object'::text),
  constraint marketplace_versions_renames_check CHECK (jsonb_typeof(renames) = 'array'::text)
);
CREATE INDEX marketplace_versions_newest ON marketplace_versions USING btree (marketplace, version DESC);

create table metric_samples (
  at timestamp with time zone not null,
  requests double precision not null,
  errors double precision not null,
  duration_buckets jsonb not null,
  jobs_done double precision not null,
  jobs_failed double precision not null,
  queued integer not null,
  dead integer not null,
  published bigint not null,
  sold bigint not null,
  constraint metric_samples_pkey PRIMARY KEY (at)
);

create table moderation_decisions (
  id text collate "C" not null,
  subject_type text not null,
  subject_id text collate "C" not null,
  action text not null,
  note text,
  decided_by text collate "C",
  decided_at timestamp with time zone not null,
  constraint moderation_decisions_pkey PRIMARY KEY (id),
  constraint moderation_decisions_action_check CHECK (action = ANY (ARRAY['dismiss'::text, 'hide'::text, 'remove'::text, 'warn'::text, 'suspend'::text, 'propose_suspension'::text])),
  constraint moderation_decisions_note_check CHECK (char_length(note) <= 2000),
  constraint moderation_decisions_subject_type_check CHECK (subject_type = ANY (ARRAY['listing'::text, 'user'::text, 'review'::text, 'message'::text]))
);
CREATE INDEX moderation_decisions_newest ON moderation_decisions USING btree (decided_at DESC, id DESC);
CREATE INDEX moderation_decisions_subject ON moderation_decisions USING btree (subject_id, decided_at DESC);

create table newsletter_subscribers (
  email text not null,
  language text default 'en'::text not null,
  subscribed_at timestamp with time zone not null,
  unsubscribed_at timestamp with time zone,
  id text collate "C" default replace(gen_random_uuid()::text, '-'::text, ''::text) not null,
  welcomed_on date,
  welcomes smallint default 0 not null,
  constraint newsletter_subscribers_pkey PRIMARY KEY (email)
);
CREATE INDEX newsletter_subscribers_current ON newsletter_subscribers USING btree (subscribed_at) WHERE unsubscribed_at IS NULL;
CREATE INDEX newsletter_subscribers_ended ON newsletter_subscribers USING btree (unsubscribed_at) WHERE unsubscribed_at IS NOT NULL;
CREATE UNIQUE INDEX newsletter_subscribers_id ON newsletter_subscribers USING btree (id);

create table oauth_clients (
  id text not null,
  name text not null,
  redirect_uris text[] not null,
  token_endpoint_auth_method text not null,
  secret_hash bytea,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint oauth_clients_pkey PRIMARY KEY (id),
  constraint oauth_clients_check CHECK ((secret_hash IS NULL) = (token_endpoint_auth_method = 'none'::text)),
  constraint oauth_clients_name_check CHECK (char_length(name) <= 100),
  constraint oauth_clients_redirect_uris_check CHECK (cardinality(redirect_uris) >= 1 AND cardinality(redirect_uris) <= 10),
  constraint oauth_clients_token_endpoint_auth_method_check CHECK (token_endpoint_auth_method = ANY (ARRAY['none'::text, 'client_secret_basic'::text, 'client_secret_post'::text]))
);
CREATE INDEX oauth_clients_expiry ON oauth_clients USING btree (expires_at);

create table paused_queues (
  name text not null,
  paused_by text collate "C",
  paused_at timestamp with time zone not null,
  constraint paused_queues_pkey PRIMARY KEY (name)
);

create table payment_events (
  id text collate "C" not null,
  type text not null,
  received_at timestamp with time zone not null,
  constraint payment_events_pkey PRIMARY KEY (id)
);

create table payment_intents (
  id text collate "C" not null,
  refunded_cents integer default 0 not null,
  fully_refunded boolean default false not null,
  first_heard_at timestamp with time zone not null,
  constraint payment_intents_pkey PRIMARY KEY (id)
);

create table picture_leftovers (
  sha256 text collate "C" not null,
  lease uuid,
  leased_at timestamp with time zone,
  constraint picture_leftovers_pkey PRIMARY KEY (sha256)
);
CREATE INDEX picture_leftovers_age ON picture_leftovers USING btree (leased_at);

create table picture_uses (
  subject text collate "C" not null,
  sha256 text collate "C" not null,
  constraint picture_uses_pkey PRIMARY KEY (subject, sha256),
  constraint picture_uses_sha256_fkey FOREIGN KEY (sha256) REFERENCES images(sha256)
);
CREATE INDEX picture_uses_sha256 ON picture_uses USING btree (sha256);

create table preparations (
  only_row boolean default true not null,
  fingerprint text not null,
  prepared_at timestamp with time zone not null,
  constraint preparations_pkey PRIMARY KEY (only_row),
  constraint preparations_only_row_check CHECK (only_row)
);

create unlogged table process_metrics (
  process_id text not null,
  process text not null,
  metrics jsonb not null,
  updated_at timestamp with time zone not null,
  constraint process_metrics_pkey PRIMARY KEY (process_id)
);

create table quota_uses (
  quota text not null,
  subject text collate "C" not null,
  window_start timestamp with time zone not null,
  used integer not null,
  constraint quota_uses_pkey PRIMARY KEY (quota, subject, window_start)
);
CREATE INDEX quota_uses_age ON quota_uses USING btree (window_start);

create unlogged table rate_windows (
  bucket text collate "C" not null,
  window_start timestamp with time zone not null,
  used integer not null,
  constraint rate_windows_pkey PRIMARY KEY (bucket, window_start)
);
CREATE INDEX rate_windows_age ON rate_windows USING btree (window_start);

create unlogged table recent_requests (
  process_id text not null,
  requests jsonb not null,
  updated_at timestamp with time zone not null,
  constraint recent_requests_pkey PRIMARY KEY (process_id)
);

create table refresh_looks (
  seq bigint generated always as identity not null,
  listing_id text collate "C" not null,
  site text not null,
  outcome text not null,
  looked_at timestamp with time zone not null,
  constraint refresh_looks_pkey PRIMARY KEY (seq),
  constraint refresh_looks_outcome_check CHECK (outcome = ANY (ARRAY['changed'::text, 'unchanged'::text, 'gone'::text, 'failed'::text]))
);
CREATE INDEX refresh_looks_age ON refresh_looks USING btree (looked_at);

create table runs (
  id text collate "C" not null,
  kind text not null,
  subject text collate "C" default ''::text not null,
  trigger text default 'manual'::text not null,
  status text default 'queued'::text not null,
  stop_requested_at timestamp with time zone,
  params jsonb default '{}'::jsonb not null,
  cursor jsonb,
  total integer,
  counters jsonb default '{}'::jsonb not null,
  errors jsonb default '[]'::jsonb not null,
  paused_reason text,
  error text,
  job_id uuid,
  started_by text collate "C",
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  updated_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  claims integer default 0 not null,
  tries integer default 0 not null,
  last_error text,
  constraint runs_pkey PRIMARY KEY (id),
  constraint runs_status_check CHECK (status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])),
  constraint runs_trigger_check CHECK (trigger = ANY (ARRAY['manual'::text, 'schedule'::text]))
);
CREATE INDEX runs_history ON runs USING btree (kind, subject, created_at DESC, id DESC);
CREATE INDEX runs_job ON runs USING btree (job_id) WHERE job_id IS NOT NULL;
CREATE UNIQUE INDEX runs_one_live ON runs USING btree (kind, subject) WHERE status = ANY (ARRAY['queued'::text, 'running'::text]);
CREATE INDEX runs_recent ON runs USING btree (kind, created_at DESC, id DESC);

create table crawl_requests (
  run_id text collate "C" not null,
  key text collate "C" not null,
  seq bigint generated always as identity not null,
  target jsonb,
  status text not null,
  constraint crawl_requests_pkey PRIMARY KEY (run_id, key),
  constraint crawl_requests_status_check CHECK (status = ANY (ARRAY['pending'::text, 'visited'::text, 'skipped'::text])),
  constraint crawl_requests_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
);

create table reimport_changes (
  run_id text collate "C" not null,
  listing_id text collate "C" not null,
  fields text[] not null,
  previous jsonb not null,
  next jsonb not null,
  constraint reimport_changes_pkey PRIMARY KEY (run_id, listing_id),
  constraint reimport_changes_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
);

create table run_findings (
  run_id text collate "C" not null,
  counts jsonb default '{}'::jsonb not null,
  quarantine_reasons text[],
  quarantined_at timestamp with time zone,
  accepted_at timestamp with time zone,
  accepted_by text collate "C",
  constraint run_findings_pkey PRIMARY KEY (run_id),
  constraint run_findings_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
);

create table run_held (
  seq bigint generated always as identity not null,
  run_id text collate "C" not null,
  record jsonb,
  gone_url text,
  is_declared boolean default false not null,
  constraint run_held_pkey PRIMARY KEY (seq),
  constraint run_held_check CHECK ((record IS NULL) <> (gone_url IS NULL)),
  constraint run_held_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE
);
CREATE INDEX run_held_run ON run_held USING btree (run_id, seq);

create table scam_hold_counts (
  signal text collate "C" not null,
  holds bigint not null,
  constraint scam_hold_counts_pkey PRIMARY KEY (signal)
);

create table search_backlog (
  listing_id text collate "C" not null,
  since timestamp with time zone not null,
  constraint search_backlog_pkey PRIMARY KEY (listing_id)
);

create table search_queries (
  day date not null,
  query text not null,
  searches integer default 0 not null,
  results integer,
  typed text,
  asked_at timestamp with time zone,
  misses integer default 0 not null,
  slowest_ms integer,
  durations integer[] default '{}'::integer[] not null,
  constraint search_queries_pkey PRIMARY KEY (day, query),
  constraint search_queries_query_check CHECK (char_length(query) <= 500)
);
CREATE INDEX search_queries_days ON search_queries USING btree (query, day) INCLUDE (searches, results);
CREATE INDEX search_queries_misses ON search_queries USING btree (day) INCLUDE (query, misses) WHERE misses > 0;
CREATE INDEX search_queries_slowest ON search_queries USING btree (day) INCLUDE (query, slowest_ms) WHERE slowest_ms >= 100;

create table search_refusals (
  listing_id text collate "C" not null,
  version integer not null,
  error text not null,
  refused_at timestamp with time zone not null,
  constraint search_refusals_pkey PRIMARY KEY (listing_id)
);

create table search_words (
  word text collate "C" not null,
  listings integer default 1 not null,
  constraint search_words_pkey PRIMARY KEY (word)
);
CREATE INDEX search_words_similar ON search_words USING gin (word gin_trgm_ops);

create table sent_emails (
  message_id text collate "C" not null,
  template text not null,
  subject_id text collate "C",
  sent_at timestamp with time zone,
  constraint sent_emails_pkey PRIMARY KEY (message_id)
);

create table suggestion_heads (
  kind text collate "C" not null,
  prefix text collate "C" not null,
  subjects text[] not null,
  places smallint[] not null,
  constraint suggestion_heads_pkey PRIMARY KEY (kind, prefix),
  constraint suggestion_heads_kind_check CHECK (kind = ANY (ARRAY['titles'::text, 'terms'::text]))
);

create table suggestion_terms (
  query text collate "C" not null,
  place smallint not null,
  popularity smallint not null,
  start text collate "C" not null,
  last_day date not null,
  constraint suggestion_terms_pkey PRIMARY KEY (query, place)
) with (fillfactor=90);
CREATE INDEX suggestion_terms_age ON suggestion_terms USING btree (last_day);
CREATE INDEX suggestion_terms_popular_2 ON suggestion_terms USING btree ("left"(start, 2), popularity DESC);
CREATE INDEX suggestion_terms_popular_4 ON suggestion_terms USING btree ("left"(start, 4), popularity DESC);
CREATE INDEX suggestion_terms_start ON suggestion_terms USING btree (start);

create table suggestion_titles (
  listing_id text collate "C" not null,
  place smallint not null,
  popularity smallint not null,
  start text collate "C" not null,
  constraint suggestion_titles_pkey PRIMARY KEY (listing_id, place)
) with (fillfactor=90);
CREATE INDEX suggestion_titles_start ON suggestion_titles USING btree (start);
CREATE INDEX suggestion_titles_walk ON suggestion_titles USING btree ("left"(start, 4), popularity DESC) INCLUDE (start, listing_id);
CREATE INDEX suggestion_titles_walk_2 ON suggestion_titles USING btree ("left"(start, 2), popularity DESC) INCLUDE (start, listing_id);

create table tracked_days (
  day date not null,
  event text not null,
  key text not null,
  n integer not null,
  constraint tracked_days_pkey PRIMARY KEY (day, event, key)
) with (fillfactor=80);

create table tracked_events (
  id bigint generated always as identity not null,
  event text not null,
  path text,
  referrer text,
  user_agent text,
  user_id text,
  listing_id text,
  query text,
  results_count integer,
  metadata jsonb,
  created_at timestamp with time zone not null,
  constraint tracked_events_pkey PRIMARY KEY (id),
  constraint tracked_events_event_check CHECK (event = ANY (ARRAY['page_view'::text, 'signup'::text, 'listing_created'::text, 'search'::text, 'listing_view'::text]))
);
CREATE INDEX tracked_events_age ON tracked_events USING btree (created_at);
CREATE INDEX tracked_events_range ON tracked_events USING btree (event, created_at);

create table used_challenges (
  challenge_hash bytea not null,
  expires_at timestamp with time zone not null,
  constraint used_challenges_pkey PRIMARY KEY (challenge_hash)
);
CREATE INDEX used_challenges_expiry ON used_challenges USING btree (expires_at);

create table users (
  id text collate "C" not null,
  email text not null,
  name text not null,
  type text default 'human'::text not null,
  role text default 'user'::text not null,
  verified boolean default false not null,
  email_notifications boolean default true not null,
  language text default 'en'::text not null,
  password_hash text,
  session_epoch integer default 0 not null,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  applied_password_hash text,
  left_at timestamp with time zone,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 100),
  constraint users_role_check CHECK (role = ANY (ARRAY['user'::text, 'moderator'::text, 'admin'::text])),
  constraint users_type_check CHECK (type = ANY (ARRAY['agent'::text, 'human'::text]))
);
CREATE UNIQUE INDEX users_email ON users USING btree (email);
CREATE INDEX users_newest ON users USING btree (created_at DESC, id DESC);
CREATE INDEX users_staff ON users USING btree (role, created_at DESC, id DESC) WHERE role <> 'user'::text;
CREATE INDEX users_suspended ON users USING btree (created_at DESC, id DESC) WHERE disabled_at IS NOT NULL;
CREATE INDEX users_words ON users USING gin (lower(((((' '::text || name) || ' '::text) || email) || ' '::text) || id) gin_trgm_ops);
comment on column users.email is 'normalised: Unicode NFC, lower case, trimmed';

create table account_exports (
  user_id text collate "C" not null,
  id text collate "C" not null,
  run_id text collate "C" not null,
  bytes bigint,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  expires_at timestamp with time zone,
  fetched_at timestamp with time zone,
  deleted_at timestamp with time zone,
  constraint account_exports_pkey PRIMARY KEY (user_id),
  constraint account_exports_id_key UNIQUE (id),
  constraint account_exports_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table account_leavings (
  user_id text collate "C" not null,
  email text,
  language text not null,
  left_at timestamp with time zone not null,
  sweeps smallint default 0 not null,
  constraint account_leavings_pkey PRIMARY KEY (user_id),
  constraint account_leavings_email_check CHECK (char_length(email) <= 254),
  constraint account_leavings_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table account_leaving_traces (
  user_id text collate "C" not null,
  kind text not null,
  trace text collate "C" not null,
  constraint account_leaving_traces_pkey PRIMARY KEY (user_id, kind, trace),
  constraint account_leaving_traces_kind_check CHECK (kind = ANY (ARRAY['id'::text, 'slug'::text, 'query'::text, 'word'::text, 'candidate'::text])),
  constraint account_leaving_traces_user_id_fkey FOREIGN KEY (user_id) REFERENCES account_leavings(user_id) ON DELETE CASCADE
);

create table account_tokens (
  token_hash bytea not null,
  user_id text collate "C" not null,
  purpose text not null,
  email text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint account_tokens_pkey PRIMARY KEY (token_hash),
  constraint account_tokens_purpose_check CHECK (purpose = ANY (ARRAY['magic_link'::text, 'password_reset'::text, 'verify_email'::text, 'unsubscribe'::text])),
  constraint account_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX account_tokens_expiry ON account_tokens USING btree (expires_at);
CREATE INDEX account_tokens_user ON account_tokens USING btree (user_id, purpose);

create table ai_drafts (
  id uuid not null,
  user_id text collate "C" not null,
  status text default 'pending'::text not null,
  images text[] not null,
  locale text not null,
  mode text,
  result jsonb,
  error jsonb,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint ai_drafts_pkey PRIMARY KEY (id),
  constraint ai_drafts_mode_check CHECK (mode = ANY (ARRAY['openai'::text, 'stub'::text])),
  constraint ai_drafts_status_check CHECK (status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text])),
  constraint ai_drafts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX ai_drafts_age ON ai_drafts USING btree (created_at);
CREATE INDEX ai_drafts_pending ON ai_drafts USING btree (user_id, created_at) WHERE status = 'pending'::text;

create table api_keys (
  id text collate "C" not null,
  user_id text collate "C" not null,
  key_hash bytea not null,
  key_prefix text not null,
  label text not null,
  permissions text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  scopes text[],
  expires_at timestamp with time zone,
  publications_per_day integer,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_label_check CHECK (char_length(label) >= 1 AND char_length(label) <= 100),
  constraint api_keys_permissions_check CHECK (permissions = ANY (ARRAY['read'::text, 'write'::text, 'admin'::text])),
  constraint api_keys_publications_per_day_check CHECK (publications_per_day >= 0),
  constraint api_keys_scopes_check CHECK (scopes <@ ARRAY['read'::text, 'listings:write'::text, 'messages'::text, 'publish'::text, 'admin'::text]),
  constraint api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX api_keys_hash ON api_keys USING btree (key_hash);
CREATE INDEX api_keys_user ON api_keys USING btree (user_id, id);

create table contact_requests (
  id uuid not null,
  listing_id text collate "C" not null,
  listing_title text not null,
  listing_slug text not null,
  category_id text collate "C" not null,
  seller_id text collate "C" not null,
  name text,
  email text,
  message text,
  created_at timestamp with time zone not null,
  constraint contact_requests_pkey PRIMARY KEY (id),
  constraint contact_requests_email_check CHECK (char_length(email) <= 200),
  constraint contact_requests_message_check CHECK (char_length(message) <= 2000),
  constraint contact_requests_name_check CHECK (char_length(name) <= 100),
  constraint contact_requests_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX contact_requests_age ON contact_requests USING btree (created_at, category_id);
CREATE INDEX contact_requests_to_forget ON contact_requests USING btree (created_at) WHERE message IS NOT NULL;

create table conversations (
  id text collate "C" not null,
  listing_id text collate "C" not null,
  listing_title text not null,
  listing_slug text not null,
  buyer_id text collate "C" not null,
  seller_id text collate "C" not null,
  last_message jsonb,
  last_message_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint conversations_pkey PRIMARY KEY (id),
  constraint conversations_check CHECK (buyer_id <> seller_id),
  constraint conversations_buyer_id_fkey FOREIGN KEY (buyer_id) REFERENCES users(id),
  constraint conversations_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES users(id)
);
CREATE INDEX conversations_buyer ON conversations USING btree (buyer_id, last_message_at DESC, id DESC);
CREATE INDEX conversations_created ON conversations USING btree (created_at) INCLUDE (listing_id);
CREATE UNIQUE INDEX conversations_one_per_parties ON conversations USING btree (listing_id, buyer_id, seller_id);
CREATE INDEX conversations_seller ON conversations USING btree (seller_id, last_message_at DESC, id DESC);

create table listings (
  id text collate "C" not null,
  slug text collate "C" not null,
  seller_id text collate "C" not null,
  category_id text collate "C" not null,
  status text not null,
  type text default 'sale'::text not null,
  condition text not null,
  title text not null,
  price_amount double precision not null,
  price_currency text not null,
  price_negotiable boolean default false not null,
  price_vat_included boolean,
  price_vat_rate real,
  country text not null,
  country_name text,
  region text,
  city text not null,
  marina text,
  postal_code text,
  lat double precision,
  lng double precision,
  shipping boolean default false not null,
  year smallint,
  length_m real,
  source text not null,
  language text not null,
  premium_type text,
  premium_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  published_at timestamp with time zone,
  sort_at timestamp with time zone generated always as (COALESCE(published_at, created_at)) stored not null,
  expires_at timestamp with time zone not null,
  sold_at timestamp with time zone,
  deleted_at timestamp with time zone,
  sale_price double precision,
  sale_currency text,
  buyer_id text collate "C",
  merged_into text collate "C",
  content_hash bytea,
  version integer default 1 not null,
  tags text[] default '{}'::text[] not null,
  attributes jsonb default '{}'::jsonb not null,
  images jsonb default '[]'::jsonb not null,
  description text storage external not null,
  long_description text,
  boat jsonb storage external,
  moderation jsonb,
  geocoded boolean default false not null,
  sources jsonb,
  suspended_status text,
  constraint listings_pkey PRIMARY KEY (id),
  constraint listings_condition_check CHECK (condition = ANY (ARRAY['new'::text, 'like_new'::text, 'good'::text, 'fair'::text, 'poor'::text, 'refurbished'::text])),
  constraint listings_country_check CHECK (country ~ '^[A-Z]{2}$'::text),
  constraint listings_language_check CHECK (language ~ '^[a-z]{2}$'::text),
  constraint listings_lat_check CHECK (lat >= '-90'::integer::double precision AND lat <= 90::double precision),
  constraint listings_lng_check CHECK (lng >= '-180'::integer::double precision AND lng <= 180::double precision),
  constraint listings_premium_type_check CHECK (premium_type = ANY (ARRAY['featured'::text, 'urgent'::text])),
  constraint listings_price_amount_check CHECK (price_amount >= 0::double precision),
  constraint listings_price_currency_check CHECK (price_currency ~ '^[A-Z]{3}$'::text),
  constraint listings_source_check CHECK (source = ANY (ARRAY['api'::text, 'web'::text, 'seed'::text, 'scraped'::text])),
  constraint listings_status_check CHECK (status = ANY (ARRAY['draft'::text, 'active'::text, 'paused'::text, 'sold'::text, 'expired'::text, 'flagged'::text, 'deleted'::text, 'suspended'::text])),
  constraint listings_type_check CHECK (type = ANY (ARRAY['sale'::text, 'wanted'::text])),
  constraint listings_buyer_id_fkey FOREIGN KEY (buyer_id) REFERENCES users(id),
  constraint listings_category_id_fkey FOREIGN KEY (category_id) REFERENCES categories(id),
  constraint listings_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES users(id)
) with (fillfactor=90);
CREATE INDEX listings_attributes ON listings USING gin (lower(jsonb_path_query_array(attributes, '$.*[*]?(@.type() == "string")'::jsonpath)::text) gin_trgm_ops) WHERE status = 'active'::text;
CREATE INDEX listings_by_price ON listings USING btree (price_amount, id) INCLUDE (category_id, country, condition, type, shipping, year, length_m, lat, lng) WHERE status = 'active'::text;
CREATE INDEX listings_changes ON listings USING btree (updated_at, id) INCLUDE (sort_at, category_id, price_amount, country, condition, type, shipping, year, length_m, premium_type, premium_until) WHERE status = 'active'::text;
CREATE INDEX listings_city ON listings USING btree (lower(city), sort_at DESC, id DESC) WHERE status = 'active'::text;
CREATE INDEX listings_country ON listings USING btree (country, sort_at DESC, id DESC) INCLUDE (category_id, price_amount, condition, type, shipping, year, length_m, premium_type, premium_until) WHERE status = 'active'::text;
CREATE INDEX listings_created ON listings USING btree (created_at) INCLUDE (category_id, status, source);
CREATE INDEX listings_currency_price ON listings USING btree (price_currency, price_amount, id) INCLUDE (category_id, country, condition, type, shipping, year, length_m) WHERE status = 'active'::text;
CREATE INDEX listings_doubtful ON listings USING btree (COALESCE(moderation ->> 'judged_at'::text, ''::text), id) WHERE (status = ANY (ARRAY['draft'::text, 'active'::text])) AND (moderation ->> 'verdict'::text) = 'review'::text;
CREATE INDEX listings_expiring ON listings USING btree (expires_at, id) WHERE (status = ANY (ARRAY['active'::text, 'paused'::text])) AND source <> 'scraped'::text;
CREATE INDEX listings_expiring_of_seller ON listings USING btree (seller_id, expires_at, id) WHERE (status = ANY (ARRAY['active'::text, 'paused'::text])) AND source <> 'scraped'::text;
CREATE INDEX listings_expiry ON listings USING btree (expires_at) WHERE status = ANY (ARRAY['active'::text, 'paused'::text]);
CREATE INDEX listings_featured ON listings USING btree (sort_at DESC, id DESC) INCLUDE (category_id, price_amount, country, condition, type, shipping, year, length_m, premium_type, premium_until) WHERE status = 'active'::text AND premium_type = 'featured'::text;
CREATE INDEX listings_length ON listings USING btree (category_id, length_m DESC NULLS LAST, id DESC) INCLUDE (price_amount, country, condition, type, shipping, year) WHERE status = 'active'::text;
CREATE INDEX listings_newest ON listings USING btree (category_id, sort_at DESC, id DESC) INCLUDE (price_amount, country, condition, type, shipping, year, length_m, premium_type, premium_until) WHERE status = 'active'::text;
CREATE UNIQUE INDEX listings_one_per_content ON listings USING btree (seller_id, content_hash) WHERE status <> 'deleted'::text;
CREATE INDEX listings_places ON listings USING btree (place_cell(lat, lng)) INCLUDE (lat, lng, id, sort_at, category_id, price_amount, country, condition, type, shipping, year, length_m, premium_type, premium_until) WHERE status = 'active'::text AND lat IS NOT NULL AND lng IS NOT NULL;
CREATE INDEX listings_premium_ends ON listings USING btree (premium_until) WHERE premium_type IS NOT NULL;
CREATE INDEX listings_price ON listings USING btree (category_id, price_amount, id) INCLUDE (country, condition, type, shipping, year, length_m) WHERE status = 'active'::text;
CREATE INDEX listings_seller ON listings USING btree (seller_id, status, sort_at DESC, id DESC);
CREATE UNIQUE INDEX listings_slug ON listings USING btree (slug);
CREATE INDEX listings_sold ON listings USING btree (sold_at) INCLUDE (category_id, sort_at) WHERE status = 'sold'::text;
CREATE INDEX listings_status ON listings USING btree (status, sort_at DESC, id DESC) INCLUDE (category_id, price_amount, country, condition, type, shipping, year, length_m, premium_type, premium_until);
CREATE INDEX listings_title_words ON listings USING gin (title gin_trgm_ops);
CREATE INDEX listings_updated ON listings USING btree (updated_at, id);
CREATE INDEX listings_without_images ON listings USING btree (id DESC) INCLUDE (status, source) WHERE images = '[]'::jsonb AND status <> 'deleted'::text;
CREATE INDEX listings_year ON listings USING btree (category_id, year DESC NULLS LAST, id DESC) INCLUDE (price_amount, country, condition, type, shipping, length_m) WHERE status = 'active'::text;

create table dedup_prints (
  listing_id text collate "C" not null,
  version integer not null,
  print jsonb not null,
  type text,
  serial text,
  year integer,
  length_m double precision,
  shelf text collate "C" not null,
  copy text collate "C",
  constraint dedup_prints_pkey PRIMARY KEY (listing_id),
  constraint dedup_prints_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE
);
CREATE INDEX dedup_prints_copy ON dedup_prints USING btree (copy, listing_id) WHERE copy IS NOT NULL;
CREATE INDEX dedup_prints_sellers ON dedup_prints USING gin ((print -> 'sellers'::text));
CREATE INDEX dedup_prints_serial ON dedup_prints USING btree (serial) WHERE serial IS NOT NULL;
CREATE INDEX dedup_prints_shelf ON dedup_prints USING btree (shelf, listing_id);

create table favorites (
  user_id text collate "C" not null,
  listing_id text collate "C" not null,
  created_at timestamp with time zone not null,
  constraint favorites_pkey PRIMARY KEY (user_id, listing_id),
  constraint favorites_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE,
  constraint favorites_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX favorites_listing ON favorites USING btree (listing_id);
CREATE INDEX favorites_recent ON favorites USING btree (user_id, created_at DESC);

create table listing_images (
  listing_id text collate "C" not null,
  source_url text not null,
  "position" smallint not null,
  alt text,
  status text default 'pending'::text not null,
  sha256 text collate "C",
  error text,
  attempts smallint default 0 not null,
  updated_at timestamp with time zone not null,
  constraint listing_images_pkey PRIMARY KEY (listing_id, source_url),
  constraint listing_images_source_url_check CHECK (char_length(source_url) <= 2048),
  constraint listing_images_status_check CHECK (status = ANY (ARRAY['pending'::text, 'stored'::text, 'failed'::text])),
  constraint listing_images_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE,
  constraint listing_images_sha256_fkey FOREIGN KEY (sha256) REFERENCES images(sha256)
);
CREATE INDEX listing_images_failed ON listing_images USING btree (listing_id) WHERE status = 'failed'::text;
CREATE INDEX listing_images_pending ON listing_images USING btree (listing_id) WHERE status = 'pending'::text;
CREATE INDEX listing_images_sha256 ON listing_images USING btree (sha256);

create table listing_prices (
  listing_id text collate "C" not null,
  category_id text collate "C" not null,
  currency text collate "C" not null,
  price double precision not null,
  condition text collate "C" not null,
  country text collate "C" not null,
  year smallint,
  length_m real,
  brand text collate "C",
  model text collate "C",
  expired_at timestamp with time zone,
  group_id text collate "C",
  draw integer generated always as (hashtext(listing_id)) stored not null,
  constraint listing_prices_pkey PRIMARY KEY (listing_id),
  constraint listing_prices_price_check CHECK (price > 0::double precision),
  constraint listing_prices_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.02);
CREATE INDEX listing_prices_brand ON listing_prices USING btree (brand, category_id, draw) INCLUDE (currency, price, condition, country, year, length_m, model, expired_at, listing_id) WHERE group_id IS NULL;
CREATE INDEX listing_prices_category ON listing_prices USING btree (category_id, currency, draw) INCLUDE (price, condition, country, year, length_m, brand, model, expired_at, listing_id) WHERE group_id IS NULL;
CREATE INDEX listing_prices_group ON listing_prices USING btree (category_id, draw) WHERE group_id IS NOT NULL;

create table listing_reminders (
  listing_id text collate "C" not null,
  expires_at timestamp with time zone not null,
  days smallint not null,
  reminded_at timestamp with time zone not null,
  constraint listing_reminders_pkey PRIMARY KEY (listing_id, expires_at, days),
  constraint listing_reminders_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE
);
CREATE INDEX listing_reminders_age ON listing_reminders USING btree (expires_at);

create table listing_rewrites (
  listing_id text collate "C" not null,
  locale text not null,
  status text default 'pending'::text not null,
  title text,
  description text,
  seo jsonb,
  source_hash bytea,
  edited_by_human boolean default false not null,
  attempts integer default 0 not null,
  error text,
  updated_at timestamp with time zone not null,
  long_description text,
  tried_hash bytea,
  constraint listing_rewrites_pkey PRIMARY KEY (listing_id, locale),
  constraint listing_rewrites_status_check CHECK (status = ANY (ARRAY['pending'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'skipped'::text])),
  constraint listing_rewrites_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE
);
CREATE INDEX listing_rewrites_counts ON listing_rewrites USING btree (locale, status);
CREATE INDEX listing_rewrites_locale_touched ON listing_rewrites USING btree (locale, updated_at);
CREATE INDEX listing_rewrites_status ON listing_rewrites USING btree (status, updated_at);
CREATE INDEX listing_rewrites_touched ON listing_rewrites USING btree (updated_at);

create table listing_search (
  listing_id text storage plain collate "C" not null,
  status text not null,
  category_id text storage plain collate "C" not null,
  country text not null,
  condition text not null,
  type text not null,
  shipping boolean not null,
  price_amount double precision not null,
  sort_at timestamp with time zone not null,
  featured_until timestamp with time zone,
  title tsvector storage plain not null,
  words tsvector storage external not null,
  padding text default repeat(' '::text, 2100) not null,
  year smallint,
  length_m real,
  constraint listing_search_pkey PRIMARY KEY (listing_id),
  constraint listing_search_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE
) with (toast_tuple_target=128, fillfactor=90);
CREATE INDEX listing_search_newest ON listing_search USING btree (sort_at DESC, listing_id DESC) WHERE status = 'active'::text;
CREATE INDEX listing_search_other_words ON listing_search USING gin (searchable(words)) WITH (fastupdate='on', gin_pending_list_limit='1024') WHERE status <> 'active'::text;
CREATE INDEX listing_search_promoted_words ON listing_search USING gin (searchable(words)) WITH (fastupdate='on', gin_pending_list_limit='1024') WHERE status = 'active'::text AND featured_until IS NOT NULL;
CREATE INDEX listing_search_titles ON listing_search USING gin (title) WITH (fastupdate='on', gin_pending_list_limit='1024') WHERE status = 'active'::text;
CREATE INDEX listing_search_words ON listing_search USING gin (searchable(words)) WITH (fastupdate='on', gin_pending_list_limit='1024') WHERE status = 'active'::text;

create table listing_sources (
  listing_id text collate "C" not null,
  url text not null,
  normalized_url text collate "C" not null,
  site text not null,
  scraper_id text collate "C",
  raw_record jsonb not null,
  content_hash bytea not null,
  scraped_at timestamp with time zone not null,
  first_seen_at timestamp with time zone not null,
  last_verified_at timestamp with time zone,
  scrape_count integer default 1 not null,
  etag text,
  last_modified text,
  due_at timestamp with time zone not null,
  interval_hours integer default 24 not null,
  leased_until timestamp with time zone,
  misses integer default 0 not null,
  last_change_at timestamp with time zone,
  last_error text,
  missed_at timestamp with time zone,
  withdrawn_at timestamp with time zone,
  withdrawn_from text,
  page_rules text collate "C",
  page_read_at timestamp with time zone,
  gone_claimed_at timestamp with time zone,
  owner text collate "C" not null,
  constraint listing_sources_pkey PRIMARY KEY (listing_id),
  constraint listing_sources_normalized_url_check CHECK (char_length(normalized_url) <= 2048),
  constraint listing_sources_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE
);
CREATE INDEX listing_sources_due ON listing_sources USING btree (due_at);
CREATE UNIQUE INDEX listing_sources_page ON listing_sources USING btree (normalized_url, owner);
CREATE INDEX listing_sources_scraper ON listing_sources USING btree (scraper_id) WHERE scraper_id IS NOT NULL;
CREATE INDEX listing_sources_seen ON listing_sources USING btree (GREATEST(scraped_at, last_verified_at));
CREATE INDEX listing_sources_site ON listing_sources USING btree (site, scraped_at);

create table listing_views (
  listing_id text collate "C" not null,
  views bigint default 0 not null,
  constraint listing_views_pkey PRIMARY KEY (listing_id),
  constraint listing_views_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE
) with (fillfactor=50);

create table login_networks (
  user_id text collate "C" not null,
  network_hash bytea not null,
  last_login_at timestamp with time zone not null,
  constraint login_networks_pkey PRIMARY KEY (user_id, network_hash),
  constraint login_networks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX login_networks_age ON login_networks USING btree (last_login_at);

create table marketplace_moves (
  version integer not null,
  listing_id text collate "C" not null,
  from_category text collate "C" not null,
  to_category text collate "C" not null,
  constraint marketplace_moves_pkey PRIMARY KEY (version, listing_id),
  constraint marketplace_moves_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE,
  constraint marketplace_moves_version_fkey FOREIGN KEY (version) REFERENCES marketplace_versions(version) ON DELETE CASCADE
);
CREATE INDEX marketplace_moves_listing ON marketplace_moves USING btree (listing_id);

create table messages (
  id text collate "C" not null,
  conversation_id text collate "C" not null,
  sender_id text collate "C" not null,
  content text not null,
  read_at timestamp with time zone,
  created_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint messages_pkey PRIMARY KEY (id),
  constraint messages_content_check CHECK (char_length(content) >= 1 AND char_length(content) <= 5000),
  constraint messages_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversations(id) ON DELETE CASCADE,
  constraint messages_sender_id_fkey FOREIGN KEY (sender_id) REFERENCES users(id)
);
CREATE INDEX messages_conversation ON messages USING btree (conversation_id, id);
CREATE INDEX messages_unread ON messages USING btree (conversation_id, sender_id) WHERE read_at IS NULL;

create table notices (
  id text collate "C" not null,
  user_id text collate "C" not null,
  subject_type text not null,
  subject_id text collate "C" not null,
  subject_title text,
  restriction text not null,
  until timestamp with time zone,
  facts text,
  reports integer default 0 not null,
  automated_detection boolean not null,
  automated_decision boolean not null,
  ground text not null,
  rule text not null,
  explanation text,
  decided_by text collate "C",
  created_at timestamp with time zone not null,
  lifted_at timestamp with time zone,
  constraint notices_pkey PRIMARY KEY (id),
  constraint notices_explanation_check CHECK (char_length(explanation) <= 2000),
  constraint notices_facts_check CHECK (char_length(facts) <= 2000),
  constraint notices_ground_check CHECK (ground = ANY (ARRAY['law'::text, 'terms'::text])),
  constraint notices_restriction_check CHECK (restriction = ANY (ARRAY['listing_hidden'::text, 'listing_removed'::text, 'review_removed'::text, 'message_removed'::text, 'warning'::text, 'account_suspended'::text])),
  constraint notices_rule_check CHECK (rule = ANY (ARRAY['spam'::text, 'fraud'::text, 'inappropriate'::text, 'duplicate'::text, 'illegal'::text, 'other'::text])),
  constraint notices_subject_type_check CHECK (subject_type = ANY (ARRAY['listing'::text, 'user'::text, 'review'::text, 'message'::text])),
  constraint notices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX notices_in_force ON notices USING btree (subject_id) WHERE lifted_at IS NULL;
CREATE INDEX notices_user ON notices USING btree (user_id, created_at DESC, id DESC);

create table appeals (
  id text collate "C" not null,
  notice_id text collate "C" not null,
  user_id text collate "C" not null,
  text text not null,
  created_at timestamp with time zone not null,
  outcome text,
  answer text,
  decided_by text collate "C",
  decided_at timestamp with time zone,
  constraint appeals_pkey PRIMARY KEY (id),
  constraint appeals_notice_id_key UNIQUE (notice_id),
  constraint appeals_answer_check CHECK (char_length(answer) <= 2000),
  constraint appeals_outcome_check CHECK (outcome = ANY (ARRAY['granted'::text, 'refused'::text])),
  constraint appeals_text_check CHECK (char_length(text) >= 1 AND char_length(text) <= 5000),
  constraint appeals_notice_id_fkey FOREIGN KEY (notice_id) REFERENCES notices(id) ON DELETE CASCADE,
  constraint appeals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX appeals_open ON appeals USING btree (created_at, id) WHERE outcome IS NULL;
CREATE INDEX appeals_user ON appeals USING btree (user_id);

create table oauth_grants (
  id text not null,
  user_id text not null,
  client_id text not null,
  scopes text[] not null,
  resource text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  constraint oauth_grants_pkey PRIMARY KEY (id),
  constraint oauth_grants_scopes_check CHECK (scopes <@ ARRAY['read'::text, 'listings:write'::text, 'messages'::text, 'publish'::text, 'admin'::text]),
  constraint oauth_grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id) ON DELETE CASCADE,
  constraint oauth_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX oauth_grants_client ON oauth_grants USING btree (client_id);
CREATE INDEX oauth_grants_expiry ON oauth_grants USING btree (expires_at);
CREATE UNIQUE INDEX oauth_grants_in_force ON oauth_grants USING btree (user_id, client_id) WHERE revoked_at IS NULL;

create table oauth_codes (
  code_hash bytea not null,
  client_id text not null,
  user_id text not null,
  session_epoch integer not null,
  redirect_uri text not null,
  code_challenge text not null,
  scopes text[] not null,
  resource text not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  grant_id text,
  constraint oauth_codes_pkey PRIMARY KEY (code_hash),
  constraint oauth_codes_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id) ON DELETE CASCADE,
  constraint oauth_codes_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grants(id) ON DELETE CASCADE,
  constraint oauth_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX oauth_codes_client ON oauth_codes USING btree (client_id);
CREATE INDEX oauth_codes_expiry ON oauth_codes USING btree (expires_at);
CREATE INDEX oauth_codes_grant ON oauth_codes USING btree (grant_id);
CREATE INDEX oauth_codes_user ON oauth_codes USING btree (user_id);

create table oauth_tokens (
  token_hash bytea not null,
  grant_id text not null,
  kind text not null,
  scopes text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint oauth_tokens_pkey PRIMARY KEY (token_hash),
  constraint oauth_tokens_kind_check CHECK (kind = ANY (ARRAY['access'::text, 'refresh'::text])),
  constraint oauth_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grants(id) ON DELETE CASCADE
);
CREATE INDEX oauth_tokens_expiry ON oauth_tokens USING btree (expires_at);
CREATE INDEX oauth_tokens_grant ON oauth_tokens USING btree (grant_id);

create table passkeys (
  id text collate "C" not null,
  user_id text collate "C" not null,
  name text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 100),
  constraint passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX passkeys_credential ON passkeys USING btree (credential_id);
CREATE INDEX passkeys_user ON passkeys USING btree (user_id, id);
comment on column passkeys.credential_id is 'base64url, as the browser has it';

create table payments (
  id text collate "C" not null,
  listing_id text collate "C" not null,
  user_id text collate "C" not null,
  plan text not null,
  duration_days integer not null,
  amount_cents integer not null,
  currency text not null,
  mode text not null,
  status text default 'open'::text not null,
  session_id text,
  payment_intent text,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  refunded_at timestamp with time zone,
  listing_title text default ''::text not null,
  listing_slug text default ''::text not null,
  problem text,
  constraint payments_pkey PRIMARY KEY (id),
  constraint payments_amount_cents_check CHECK (amount_cents >= 0),
  constraint payments_duration_days_check CHECK (duration_days = ANY (ARRAY[7, 30])),
  constraint payments_mode_check CHECK (mode = ANY (ARRAY['payment'::text, 'stub'::text])),
  constraint payments_plan_check CHECK (plan = ANY (ARRAY['featured'::text, 'urgent'::text])),
  constraint payments_problem_check CHECK (problem = ANY (ARRAY['amount_mismatch'::text, 'listing_gone'::text])),
  constraint payments_status_check CHECK (status = ANY (ARRAY['open'::text, 'pending'::text, 'completed'::text, 'refunded'::text, 'expired'::text, 'failed'::text])),
  constraint payments_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX payments_intent ON payments USING btree (payment_intent);
CREATE INDEX payments_listing ON payments USING btree (listing_id, created_at DESC);
CREATE INDEX payments_open ON payments USING btree (created_at) WHERE status = 'open'::text;
CREATE UNIQUE INDEX payments_session ON payments USING btree (session_id);
CREATE INDEX payments_user ON payments USING btree (user_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX payments_without_session ON payments USING btree (listing_id, user_id, plan, duration_days, amount_cents, currency, mode) WHERE status = 'open'::text AND session_id IS NULL;

create table rentals (
  id text collate "C" not null,
  slug text collate "C" not null,
  owner_id text collate "C" not null,
  title text not null,
  description text not null,
  boat_type text not null,
  price_per_day double precision not null,
  currency text not null,
  country text not null,
  city text not null,
  available_from date not null,
  available_to date not null,
  images jsonb default '[]'::jsonb not null,
  status text default 'active'::text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  region text,
  place text default ''::text not null,
  suspended_status text,
  constraint rentals_pkey PRIMARY KEY (id),
  constraint rentals_check CHECK (available_to >= available_from),
  constraint rentals_country_check CHECK (country ~ '^[A-Z]{2}$'::text),
  constraint rentals_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint rentals_price_per_day_check CHECK (price_per_day >= 0::double precision),
  constraint rentals_status_check CHECK (status = ANY (ARRAY['active'::text, 'paused'::text, 'deleted'::text, 'suspended'::text])),
  constraint rentals_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(id)
);
CREATE INDEX rentals_boat_type ON rentals USING btree (lower(boat_type), created_at DESC, id DESC) WHERE status = 'active'::text;
CREATE INDEX rentals_country ON rentals USING btree (country, created_at DESC, id DESC) WHERE status = 'active'::text;
CREATE INDEX rentals_newest ON rentals USING btree (created_at DESC, id DESC) WHERE status = 'active'::text;
CREATE INDEX rentals_owner ON rentals USING btree (owner_id, created_at DESC);
CREATE INDEX rentals_place ON rentals USING gin (place gin_trgm_ops) WHERE status = 'active'::text;
CREATE INDEX rentals_price ON rentals USING btree (price_per_day, id) WHERE status = 'active'::text;
CREATE UNIQUE INDEX rentals_slug ON rentals USING btree (slug);

create table bookings (
  id text collate "C" not null,
  rental_id text collate "C" not null,
  renter_id text collate "C" not null,
  date_from date not null,
  date_to date not null,
  total_price double precision not null,
  currency text not null,
  message text,
  status text default 'requested'::text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint bookings_pkey PRIMARY KEY (id),
  constraint bookings_check CHECK (date_to > date_from),
  constraint bookings_status_check CHECK (status = ANY (ARRAY['requested'::text, 'confirmed'::text, 'declined'::text, 'cancelled'::text, 'lapsed'::text])),
  constraint bookings_never_overlap EXCLUDE USING gist (rental_id WITH =, daterange(date_from, date_to, '[)'::text) WITH &&) WHERE (status = 'confirmed'::text),
  constraint bookings_rental_id_fkey FOREIGN KEY (rental_id) REFERENCES rentals(id) ON DELETE CASCADE,
  constraint bookings_renter_id_fkey FOREIGN KEY (renter_id) REFERENCES users(id)
);
CREATE INDEX bookings_confirmed ON bookings USING btree (date_from, date_to, rental_id) WHERE status = 'confirmed'::text;
CREATE INDEX bookings_rental ON bookings USING btree (rental_id, date_from);
CREATE INDEX bookings_renter ON bookings USING btree (renter_id, created_at DESC);
CREATE INDEX bookings_waiting ON bookings USING btree (created_at) WHERE status = 'requested'::text;

create table reviews (
  id text collate "C" not null,
  listing_id text collate "C" not null,
  seller_id text collate "C" not null,
  reviewer_id text collate "C" not null,
  rating smallint not null,
  comment text,
  reply text,
  replied_at timestamp with time zone,
  created_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint reviews_pkey PRIMARY KEY (id),
  constraint reviews_check CHECK (reviewer_id <> seller_id),
  constraint reviews_comment_check CHECK (char_length(comment) >= 1 AND char_length(comment) <= 2000),
  constraint reviews_rating_check CHECK (rating >= 1 AND rating <= 5),
  constraint reviews_reply_check CHECK (char_length(reply) >= 1 AND char_length(reply) <= 2000),
  constraint reviews_reviewer_id_fkey FOREIGN KEY (reviewer_id) REFERENCES users(id),
  constraint reviews_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES users(id)
);
CREATE UNIQUE INDEX reviews_one_per_listing ON reviews USING btree (listing_id, reviewer_id);
CREATE INDEX reviews_reviewer ON reviews USING btree (reviewer_id);
CREATE INDEX reviews_seller ON reviews USING btree (seller_id, created_at DESC);

create table flags (
  id text collate "C" not null,
  listing_id text collate "C",
  reporter_id text collate "C" not null,
  reason text not null,
  description text,
  created_at timestamp with time zone not null,
  user_id text collate "C",
  review_id text collate "C",
  message_id text collate "C",
  settled boolean default false not null,
  decision_id text collate "C",
  constraint flags_pkey PRIMARY KEY (id),
  constraint flags_one_subject CHECK (num_nonnulls(listing_id, user_id, review_id, message_id) = 1),
  constraint flags_reason_check CHECK (reason = ANY (ARRAY['spam'::text, 'fraud'::text, 'inappropriate'::text, 'duplicate'::text, 'illegal'::text, 'other'::text])),
  constraint flags_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE,
  constraint flags_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE,
  constraint flags_reporter_id_fkey FOREIGN KEY (reporter_id) REFERENCES users(id),
  constraint flags_review_id_fkey FOREIGN KEY (review_id) REFERENCES reviews(id) ON DELETE CASCADE,
  constraint flags_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX flags_message ON flags USING btree (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX flags_newest ON flags USING btree (listing_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX flags_one_per_subject ON flags USING btree (COALESCE(listing_id, user_id, review_id, message_id), reporter_id);
CREATE UNIQUE INDEX flags_one_per_user ON flags USING btree (listing_id, reporter_id);
CREATE INDEX flags_open ON flags USING btree (COALESCE(listing_id, user_id, review_id, message_id), created_at) WHERE NOT settled;
CREATE INDEX flags_reporter ON flags USING btree (reporter_id);
CREATE INDEX flags_review ON flags USING btree (review_id) WHERE review_id IS NOT NULL;
CREATE INDEX flags_user ON flags USING btree (user_id) WHERE user_id IS NOT NULL;

create table saved_searches (
  id text collate "C" not null,
  user_id text collate "C" not null,
  name text not null,
  query_params jsonb not null,
  notify text default 'daily'::text not null,
  last_notified_at timestamp with time zone,
  created_at timestamp with time zone not null,
  due_at timestamp with time zone,
  corrected text,
  constraint saved_searches_pkey PRIMARY KEY (id),
  constraint saved_searches_name_check CHECK (char_length(name) >= 1 AND char_length(name) <= 100),
  constraint saved_searches_notify_check CHECK (notify = ANY (ARRAY['instant'::text, 'daily'::text, 'weekly'::text, 'off'::text])),
  constraint saved_searches_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX saved_searches_due ON saved_searches USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX saved_searches_user ON saved_searches USING btree (user_id, created_at DESC);

create table saved_search_filters (
  key text collate "C" not null,
  saved_search_id text collate "C" not null,
  user_id text collate "C" not null,
  category_id text collate "C",
  country text,
  city text,
  seller_id text collate "C",
  condition text,
  type text,
  shipping boolean,
  price_low double precision,
  price_high double precision,
  unpriced boolean default false not null,
  min_year double precision,
  max_year double precision,
  min_length real,
  max_length real,
  near_lat double precision,
  near_lng double precision,
  near_km double precision,
  west double precision,
  south double precision,
  east double precision,
  north double precision,
  updated_since timestamp with time zone,
  attribute_text text,
  attributes jsonpath,
  words tsquery,
  categories text[] collate "C",
  sellers text[] collate "C",
  countries text[],
  conditions text[],
  types text[],
  price_currency text collate "C",
  constraint saved_search_filters_pkey PRIMARY KEY (saved_search_id, key),
  constraint saved_search_filters_saved_search_id_fkey FOREIGN KEY (saved_search_id) REFERENCES saved_searches(id) ON DELETE CASCADE
);
CREATE INDEX saved_search_filters_key ON saved_search_filters USING btree (key);

create table saved_search_matches (
  saved_search_id text collate "C" not null,
  listing_id text collate "C" not null,
  reason text not null,
  price double precision not null,
  matched_at timestamp with time zone not null,
  notified_at timestamp with time zone,
  previous_price double precision,
  constraint saved_search_matches_pkey PRIMARY KEY (saved_search_id, listing_id, reason, price),
  constraint saved_search_matches_reason_check CHECK (reason = ANY (ARRAY['new'::text, 'price_drop'::text])),
  constraint saved_search_matches_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE,
  constraint saved_search_matches_saved_search_id_fkey FOREIGN KEY (saved_search_id) REFERENCES saved_searches(id) ON DELETE CASCADE
);
CREATE INDEX saved_search_matches_due ON saved_search_matches USING btree (saved_search_id) WHERE notified_at IS NULL;
CREATE INDEX saved_search_matches_listing ON saved_search_matches USING btree (listing_id);
CREATE INDEX saved_search_matches_told ON saved_search_matches USING btree (notified_at) WHERE notified_at IS NOT NULL;

create table scam_checks (
  listing_id text collate "C" not null,
  version integer not null,
  score integer not null,
  evidence jsonb not null,
  cleared text[] default '{}'::text[] not null,
  held_at timestamp with time zone,
  checked_at timestamp with time zone not null,
  constraint scam_checks_pkey PRIMARY KEY (listing_id),
  constraint scam_checks_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id) ON DELETE CASCADE
);

create table scrapers (
  id text collate "C" not null,
  name text not null,
  site text not null,
  kind text not null,
  start_urls text[] not null,
  link_pattern text,
  pagination_pattern text,
  "extract" jsonb not null,
  category_id text collate "C",
  schedule text,
  max_pages integer not null,
  requests_per_minute integer not null,
  respect_robots boolean default true not null,
  auto_publish boolean default false not null,
  require_images boolean default false not null,
  enabled boolean default true not null,
  owner_id text collate "C" not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  proxy_urls text[],
  feed jsonb,
  constraint scrapers_pkey PRIMARY KEY (id),
  constraint scrapers_kind_check CHECK (kind = ANY (ARRAY['http'::text, 'browser'::text, 'feed'::text])),
  constraint scrapers_category_id_fkey FOREIGN KEY (category_id) REFERENCES categories(id),
  constraint scrapers_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(id)
);

create table crawl_pages (
  scraper_id text collate "C" not null,
  page text collate "C" not null,
  record text collate "C" not null,
  etag text,
  last_modified text,
  rules text collate "C" not null,
  read_at timestamp with time zone not null,
  links text[] not null,
  constraint crawl_pages_pkey PRIMARY KEY (scraper_id, page),
  constraint crawl_pages_page_check CHECK (char_length(page) <= 2048),
  constraint crawl_pages_record_check CHECK (char_length(record) <= 2048),
  constraint crawl_pages_scraper_id_fkey FOREIGN KEY (scraper_id) REFERENCES scrapers(id) ON DELETE CASCADE
);

create table feed_items (
  scraper_id text collate "C" not null,
  page text collate "C" not null,
  hash bytea,
  run_id text collate "C" not null,
  read_at timestamp with time zone not null,
  constraint feed_items_pkey PRIMARY KEY (scraper_id, page),
  constraint feed_items_page_check CHECK (char_length(page) <= 2048),
  constraint feed_items_scraper_id_fkey FOREIGN KEY (scraper_id) REFERENCES scrapers(id) ON DELETE CASCADE
);

create table feed_states (
  scraper_id text collate "C" not null,
  run_id text collate "C" not null,
  rules text collate "C" not null,
  etag text,
  last_modified text,
  sha256 text collate "C" not null,
  read_at timestamp with time zone not null,
  constraint feed_states_pkey PRIMARY KEY (scraper_id),
  constraint feed_states_scraper_id_fkey FOREIGN KEY (scraper_id) REFERENCES scrapers(id) ON DELETE CASCADE
);

create table sessions (
  id text collate "C" not null,
  user_id text collate "C" not null,
  device text not null,
  network text not null,
  second_factor boolean not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_device_check CHECK (char_length(device) <= 100),
  constraint sessions_network_check CHECK (char_length(network) <= 100),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sessions_expiry ON sessions USING btree (expires_at);
CREATE INDEX sessions_user ON sessions USING btree (user_id, last_used_at);
comment on column sessions.device is 'browser and system as the user agent names them, such as "Firefox, macOS"; empty where it names none';
comment on column sessions.network is 'the /24 or /48 of the address that the session was opened from';

create table site_learnings (
  run_id text collate "C" not null,
  url text not null,
  scraper_id text collate "C",
  proposal jsonb,
  constraint site_learnings_pkey PRIMARY KEY (run_id),
  constraint site_learnings_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE,
  constraint site_learnings_scraper_id_fkey FOREIGN KEY (scraper_id) REFERENCES scrapers(id) ON DELETE CASCADE
);
CREATE INDEX site_learnings_scraper ON site_learnings USING btree (scraper_id) WHERE scraper_id IS NOT NULL;

create table site_learning_pages (
  run_id text collate "C" not null,
  "position" integer not null,
  url text not null,
  html bytea,
  is_rendered boolean default false not null,
  outline jsonb,
  problem text,
  constraint site_learning_pages_pkey PRIMARY KEY (run_id, "position"),
  constraint site_learning_pages_check CHECK ((html IS NULL) <> (problem IS NULL)),
  constraint site_learning_pages_position_check CHECK ("position" >= 0),
  constraint site_learning_pages_run_id_fkey FOREIGN KEY (run_id) REFERENCES site_learnings(run_id) ON DELETE CASCADE
);

create table suspensions (
  id text collate "C" not null,
  user_id text collate "C" not null,
  reason text not null,
  suspended_by text collate "C",
  suspended_at timestamp with time zone not null,
  until timestamp with time zone,
  ended_at timestamp with time zone,
  ended_by text collate "C",
  constraint suspensions_pkey PRIMARY KEY (id),
  constraint suspensions_reason_check CHECK (char_length(reason) >= 1 AND char_length(reason) <= 2000),
  constraint suspensions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX suspensions_due ON suspensions USING btree (until) WHERE ended_at IS NULL AND until IS NOT NULL;
CREATE UNIQUE INDEX suspensions_one_open ON suspensions USING btree (user_id) WHERE ended_at IS NULL;
CREATE INDEX suspensions_user ON suspensions USING btree (user_id, suspended_at DESC);

create table totp_secrets (
  user_id text collate "C" not null,
  nonce bytea not null,
  sealed_secret bytea not null,
  created_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  last_step bigint,
  constraint totp_secrets_pkey PRIMARY KEY (user_id),
  constraint totp_secrets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
comment on column totp_secrets.sealed_secret is 'AES-256-GCM under a key derived from JWT_SECRET and the id of the account';

create table recovery_codes (
  user_id text collate "C" not null,
  code_hash bytea not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES totp_secrets(user_id) ON DELETE CASCADE
);

create table traders (
  user_id text collate "C" not null,
  name text not null,
  address text not null,
  country text not null,
  register text,
  register_number text,
  email text not null,
  phone text not null,
  certified_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint traders_pkey PRIMARY KEY (user_id),
  constraint traders_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table uploads (
  sha256 text collate "C" not null,
  user_id text collate "C" not null,
  created_at timestamp with time zone not null,
  constraint uploads_pkey PRIMARY KEY (sha256, user_id),
  constraint uploads_sha256_fkey FOREIGN KEY (sha256) REFERENCES images(sha256),
  constraint uploads_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX uploads_age ON uploads USING btree (created_at);
CREATE INDEX uploads_user ON uploads USING btree (user_id);

create table user_blocks (
  blocker_id text collate "C" not null,
  blocked_id text collate "C" not null,
  created_at timestamp with time zone not null,
  constraint user_blocks_pkey PRIMARY KEY (blocker_id, blocked_id),
  constraint user_blocks_check CHECK (blocker_id <> blocked_id),
  constraint user_blocks_blocked_id_fkey FOREIGN KEY (blocked_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint user_blocks_blocker_id_fkey FOREIGN KEY (blocker_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX user_blocks_blocked ON user_blocks USING btree (blocked_id);

create table webhooks (
  id text collate "C" not null,
  user_id text collate "C" not null,
  url text not null,
  events text[] not null,
  scope text default 'own'::text not null,
  description text,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamp with time zone,
  active boolean default true not null,
  last_delivery_at timestamp with time zone,
  failing_since timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_scope_check CHECK (scope = ANY (ARRAY['own'::text, 'all'::text])),
  constraint webhooks_url_check CHECK (char_length(url) <= 2048),
  constraint webhooks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX webhooks_newest ON webhooks USING btree (user_id, id DESC);
CREATE INDEX webhooks_of_everything ON webhooks USING btree (id) WHERE scope = 'all'::text AND active;

create table webhook_deliveries (
  id text collate "C" not null,
  webhook_id text collate "C" not null,
  event_seq bigint,
  event_type text not null,
  payload jsonb not null,
  status text default 'pending'::text not null,
  attempts integer default 0 not null,
  status_code smallint,
  error text,
  duration_ms integer,
  next_attempt_at timestamp with time zone,
  created_at timestamp with time zone not null,
  delivered_at timestamp with time zone,
  claimed_until timestamp with time zone,
  parked boolean default false not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_status_check CHECK (status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])),
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE
);
CREATE INDEX webhook_deliveries_age ON webhook_deliveries USING btree (created_at);
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries USING btree (webhook_id, status, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_in_flight ON webhook_deliveries USING btree (webhook_id, claimed_until) WHERE claimed_until IS NOT NULL;
CREATE INDEX webhook_deliveries_log ON webhook_deliveries USING btree (webhook_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries USING btree (webhook_id, event_seq);
CREATE INDEX webhook_deliveries_parked ON webhook_deliveries USING btree (webhook_id, id) WHERE parked;
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries USING btree (webhook_id, created_at) WHERE status = 'pending'::text;

create view priced_listings as
 SELECT listing_id,
    category_id,
    currency,
    price,
    condition,
    country,
    year,
    length_m,
    brand,
    model,
    expired_at,
    group_id
   FROM ( SELECT l.id AS listing_id,
            l.category_id,
                CASE
                    WHEN l.status = 'sold'::text AND l.sale_price IS NOT NULL THEN COALESCE(l.sale_currency, l.price_currency)
                    ELSE l.price_currency
                END AS currency,
                CASE
                    WHEN l.status = 'sold'::text AND l.sale_price IS NOT NULL THEN l.sale_price
                    ELSE l.price_amount
                END AS price,
            l.condition,
            l.country,
            l.year,
            l.length_m,
            lower("left"(l.attributes ->> 'brand'::text, 100)) AS brand,
            lower("left"(l.attributes ->> 'model'::text, 100)) AS model,
                CASE
                    WHEN l.status = 'expired'::text THEN l.expires_at
                    ELSE NULL::timestamp with time zone
                END AS expired_at,
            ( SELECT m.group_id
                   FROM dedup_members m
                     JOIN dedup_groups g ON g.id = m.group_id
                  WHERE m.listing_id = l.id AND (g.status = ANY (ARRAY['detected'::text, 'merged'::text]))
                  ORDER BY m.open DESC, m.group_id DESC
                 LIMIT 1) AS group_id
           FROM listings l
          WHERE l.type = 'sale'::text AND (l.status = ANY (ARRAY['active'::text, 'sold'::text, 'expired'::text]))) priced
  WHERE price > 0::double precision;

create view scraper_runs as
 SELECT id,
    subject AS scraper_id,
    trigger,
    status,
    started_at,
    finished_at,
    counters,
    errors,
    error,
    created_at,
    updated_at
   FROM runs
  WHERE kind = 'scraper'::text;

CREATE OR REPLACE FUNCTION public.add_counts(one integer[], other integer[])
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select coalesce(array_agg(coalesce(a, 0) + coalesce(b, 0) order by n), '{}') from unnest(one, other) with ordinality as t (a, b, n)
$function$;

CREATE OR REPLACE FUNCTION public.announce_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('quayside_events', '');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_listings()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into listing_count_deltas select category_id, status, count(*) from added group by 1, 2;
    insert into listing_facet_deltas
    select category_id, country, condition, type, shipping, count(*) from added where status = 'active' group by 1, 2, 3, 4, 5;
  elsif tg_op = 'DELETE' then
    insert into listing_count_deltas select category_id, status, -count(*) from removed group by 1, 2;
    insert into listing_facet_deltas
    select category_id, country, condition, type, shipping, -count(*) from removed where status = 'active' group by 1, 2, 3, 4, 5;
  else
    insert into listing_count_deltas
    select category_id, status, sum(n) from (
      select category_id, status, 1 as n from added
      union all
      select category_id, status, -1 from removed
    ) as moved group by 1, 2 having sum(n) <> 0;
    insert into listing_facet_deltas
    select category_id, country, condition, type, shipping, sum(n) from (
      select category_id, country, condition, type, shipping, 1 as n from added where status = 'active'
      union all
      select category_id, country, condition, type, shipping, -1 from removed where status = 'active'
    ) as moved group by 1, 2, 3, 4, 5 having sum(n) <> 0;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.count_view_days()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into listing_view_days as d (day, listing_id, views)
  select (f.hour at time zone 'UTC')::date, f.listing_id, count(*) from fresh f join listings l on l.id = f.listing_id
  group by 1, 2 order by 1, 2
  on conflict (day, listing_id) do update set views = d.views + excluded.views;
  -- Last and in one order: many transactions meet at these rows.
  insert into category_view_days as d (day, category_id, views)
  select (f.hour at time zone 'UTC')::date, l.category_id, count(*) from fresh f join listings l on l.id = f.listing_id
  group by 1, 2 order by 1, 2
  on conflict (day, category_id) do update set views = d.views + excluded.views;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.distance_km(lat1 double precision, lng1 double precision, lat2 double precision, lng2 double precision)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select 12742.0176 * asin(sqrt(least(1, power(sind(round((lat2 - lat1) * 1e9) / 2e9), 2)
    + cosd(lat1) * cosd(lat2) * power(sind(round((lng2 - lng1) * 1e9) / 2e9), 2))))
$function$;

CREATE OR REPLACE FUNCTION public.drop_dedup_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from dedup_keys where listing_id = old.listing_id;
  delete from dedup_pairs where first_id = old.listing_id or second_id = old.listing_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.fold_facet_counts()
 RETURNS bigint
 LANGUAGE sql
AS $function$
  with taken as (delete from listing_facet_deltas returning *),
  folded as (
    insert into listing_facet_counts as c
    select category_id, country, condition, type, shipping, sum(n) from taken group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (category_id, country, condition, type, shipping) do update set n = c.n + excluded.n
  )
  select count(*) from taken
$function$;

CREATE OR REPLACE FUNCTION public.forget_picture_uses()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from picture_uses where subject = old.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.hold_paused_job()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('paused_queues ' || new.name, 0));
  if exists (select from paused_queues where name = new.name) then
    return null;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.index_listing_words()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  featured timestamptz := case when new.premium_type = 'featured' then new.premium_until end;
begin
  if new.status = 'deleted' then
    delete from listing_search where listing_id = new.id;
    return null;
  end if;
  if tg_op = 'INSERT' or (old.title, old.tags, old.attributes, old.description) is distinct from (new.title, new.tags, new.attributes, new.description)
     or old.status = 'deleted' then
    insert into listing_search
      (listing_id, status, category_id, country, condition, type, shipping, price_amount, year, length_m, sort_at, featured_until, title, words)
    values (new.id, new.status, new.category_id, new.country, new.condition, new.type, new.shipping, new.price_amount, new.year, new.length_m,
      new.sort_at, featured, to_tsvector('quayside', spaced_text(new.title)), listing_words(new.title, new.tags, new.attributes, new.description))
    on conflict (listing_id) do update
      set (status, category_id, country, condition, type, shipping, price_amount, year, length_m, sort_at, featured_until, title, words)
      = (excluded.status, excluded.category_id, excluded.country, excluded.condition, excluded.type, excluded.shipping, excluded.price_amount,
        excluded.year, excluded.length_m, excluded.sort_at, excluded.featured_until, excluded.title, excluded.words);
  elsif (old.status, old.category_id, old.country, old.condition, old.type, old.shipping, old.price_amount, old.year, old.length_m, old.sort_at,
     old.premium_type, old.premium_until) is distinct from (new.status, new.category_id, new.country, new.condition, new.type, new.shipping,
     new.price_amount, new.year, new.length_m, new.sort_at, new.premium_type, new.premium_until) then
    update listing_search
      set (status, category_id, country, condition, type, shipping, price_amount, year, length_m, sort_at, featured_until)
      = (new.status, new.category_id, new.country, new.condition, new.type, new.shipping, new.price_amount, new.year, new.length_m, new.sort_at, featured)
    where listing_id = new.id;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.is_exact_search(q text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select q ~* '(^|\s)-[^\s-]|(^|\s)"[^"]+"(\s|$)|\s+or\s+\S'
$function$;

CREATE OR REPLACE FUNCTION public.keep_an_administrator()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(hashtext('quayside.administrators'));
  if not exists (select from users where role = 'admin' and disabled_at is null) then
    raise exception 'the last administrator' using errcode = 'QS002';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.leave_dedup_group()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  waiting text;
begin
  select group_id into waiting from dedup_members where listing_id = new.id and open;
  if not found then
    return null;
  end if;
  perform from dedup_groups where id = waiting for update;
  delete from dedup_members where group_id = waiting and listing_id = new.id;
  update dedup_members m set (evidence, score) = (
    select coalesce(jsonb_agg(link order by place), '[]'), coalesce(max((link->>'score')::real), 0)
    from jsonb_array_elements(m.evidence) with ordinality as told (link, place) where link->>'listing_id' <> new.id)
  where m.group_id = waiting;
  delete from dedup_members where group_id = waiting and evidence = '[]';
  delete from dedup_groups where id = waiting and status = 'detected'
    and (select count(*) from dedup_members where group_id = waiting) < 2;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.list_saved_search_filters()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.categories := coalesce(new.categories, nullif(array[new.category_id], array[null::text]));
  new.sellers := coalesce(new.sellers, nullif(array[new.seller_id], array[null::text]));
  new.countries := coalesce(new.countries, nullif(array[new.country], array[null::text]));
  new.conditions := coalesce(new.conditions, nullif(array[new.condition], array[null::text]));
  new.types := coalesce(new.types, nullif(array[new.type], array[null::text]));
  new.category_id := case when cardinality(new.categories) = 1 then new.categories[1] end;
  new.seller_id := case when cardinality(new.sellers) = 1 then new.sellers[1] end;
  new.country := case when cardinality(new.countries) = 1 then new.countries[1] end;
  new.condition := case when cardinality(new.conditions) = 1 then new.conditions[1] end;
  new.type := case when cardinality(new.types) = 1 then new.types[1] end;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.listing_words(title text, tags text[], attributes jsonb, description text)
 RETURNS tsvector
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select setweight(to_tsvector('quayside', spaced_text(title)), 'A')
      || setweight(to_tsvector('quayside', spaced_text(array_to_string(tags, ' ') || ' ' || concat_ws(' ', attributes->>'brand', attributes->>'model'))), 'B')
      || setweight(to_tsvector('quayside', spaced_text(left(description, 20000))), 'C')
$function$;

CREATE OR REPLACE FUNCTION public.note_picture_uses()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  owner text := to_jsonb(new) ->> tg_argv[0];
begin
  if tg_op = 'UPDATE' then
    delete from picture_uses where subject = new.id;
  end if;
  insert into picture_uses (subject, sha256)
  select distinct new.id, i.sha256 from jsonb_array_elements(new.images) as shown(image) join images i on i.storage_key = shown.image ->> 'key';
  delete from uploads u using picture_uses p where p.subject = new.id and u.sha256 = p.sha256 and u.user_id = owner;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.pause_queue(queue text, actor text, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended('paused_queues ' || queue, 0));
  insert into paused_queues (name, paused_by, paused_at) values (queue, actor, at) on conflict (name) do nothing;
end $function$;

CREATE OR REPLACE FUNCTION public.popularity_of(n bigint)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select least(32767, floor(4 * ln(1 + greatest(n, 0)::double precision)))::smallint
$function$;

CREATE OR REPLACE FUNCTION public.price_group(member text)
 RETURNS void
 LANGUAGE sql
AS $function$
  update listing_prices p set group_id = v.group_id from priced_listings v
  where p.listing_id = member and v.listing_id = member and p.group_id is distinct from v.group_id
$function$;

CREATE OR REPLACE FUNCTION public.price_listing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  priced record;
begin
  if tg_op = 'UPDATE' then
    delete from listing_prices where listing_id = new.id;
  end if;
  insert into listing_prices (listing_id, category_id, currency, price, condition, country, year, length_m, brand, model, expired_at, group_id)
  select listing_id, category_id, currency, price, condition, country, year, length_m, brand, model, expired_at, group_id
  from priced_listings where listing_id = new.id
  returning category_id, currency, brand into priced;
  if found then
    insert into listing_price_brands select priced.brand
    where priced.brand is not null and not exists (select from listing_price_brands b where b.brand = priced.brand);
    insert into listing_price_currencies select priced.category_id, priced.currency
    where not exists (select from listing_price_currencies c where c.category_id = priced.category_id and c.currency = priced.currency);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.price_member()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op <> 'INSERT' then
    perform price_group(old.listing_id);
  end if;
  if tg_op <> 'DELETE' then
    perform price_group(new.listing_id);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.price_members()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform price_group(listing_id) from dedup_members where group_id = new.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'TRUNCATE' and not exists (select from audit_entries) then
    return null;
  end if;
  raise exception 'the audit log is append-only' using errcode = 'QS003';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_deleted_sources()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from added a join deleted_sources d on d.normalized_url = a.normalized_url and d.owner = a.owner
  ) then
    raise exception 'the listing of a page was deleted meanwhile' using errcode = 'serialization_failure';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_suspended_owner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  owner text := to_jsonb(new) ->> tg_argv[0];
begin
  perform from users where id = owner and disabled_at is null for key share;
  if not found and not (tg_table_name = 'listings' and exists (
    select from listing_sources where listing_id = new.id and scraper_id is not null)) then
    raise exception 'the owner is suspended' using errcode = 'QS001';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.search_query(q text)
 RETURNS tsquery
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
AS $function$
  select case when is_exact_search(q) then websearch_to_tsquery('quayside', spaced_text(q, false))
    else coalesce((select string_agg('(' || query::text || ')', ' & ' order by place) from search_terms(q)), '')::tsquery end
$function$;

CREATE OR REPLACE FUNCTION public.search_terms(q text)
 RETURNS TABLE(place bigint, typed text, query tsquery)
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
AS $function$
  select row_number() over (order by part.n, word.n), word.typed, word.query
  from regexp_matches(normalize(q, NFKC), '([\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]+|[^\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]+)', 'g') with ordinality as part (texts, n)
  cross join lateral (
    select 1::bigint as n, texts[1] as typed, case when char_length(texts[1]) = 1 then (texts[1] || ':*')::tsquery
      else phraseto_tsquery('quayside', spaced_text(texts[1], false)) end as query
    where texts[1] ~ '^[\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]'
    union all
    select t.n, t.token, plainto_tsquery('quayside', t.token)
    from ts_parse('default', texts[1]) with ordinality as t (kind, token, n)
    -- Not the whole of a compound (15 to 17) or of an address (5), not its protocol (14) and path (18), no blanks (12), tags (13) and entities (23).
    where texts[1] !~ '^[\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]' and t.kind <> all (array[5, 12, 13, 14, 15, 16, 17, 18, 23])
  ) as word
  where numnode(word.query) > 0
$function$;

CREATE OR REPLACE FUNCTION public.spaced_text(raw text, alone boolean DEFAULT true)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when raw !~ '[\u1100-\u11FF\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFFEF]' then raw else (
    select string_agg(
      case when part[1] ~ '^[\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]'
        then (select string_agg(substr(part[1], i, 2), ' ' order by i)
          from generate_series(1, case when alone then char_length(part[1]) else greatest(1, char_length(part[1]) - 1) end) as i)
        else part[1] end, ' ' order by n)
    from regexp_matches(normalize(raw, NFKC), '([\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]+|[^\u3005\u3041-\u309F\u30A1-\u30FF\u3400-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]+)', 'g') with ordinality as m (part, n)) end
$function$;

CREATE OR REPLACE FUNCTION public.suggest_listing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op <> 'INSERT' then
    delete from suggestion_titles where listing_id = old.id;
  end if;
  if tg_op <> 'DELETE' and new.status = 'active' then
    insert into suggestion_titles (listing_id, place, popularity, start)
    select new.id, s.place, popularity_of(coalesce((select views from listing_views where listing_id = new.id), 0)), s.start
    from suggestion_starts(new.title) as s;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.suggest_popular()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update suggestion_titles t set popularity = risen.popularity
  from (
    select s.listing_id, s.place, popularity_of(seen.views) as popularity
    from seen join suggestion_titles s on s.listing_id = seen.listing_id and s.popularity <> popularity_of(seen.views)
    for update of s skip locked) as risen
  where t.listing_id = risen.listing_id and t.place = risen.place;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.suggest_risen()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update suggestion_titles t set popularity = risen.popularity
  from (
    select s.listing_id, s.place, popularity_of(seen.views) as popularity
    from (
      select n.listing_id, n.views from seen n join known o on o.listing_id = n.listing_id
      where popularity_of(n.views) <> popularity_of(o.views)) as seen
    join suggestion_titles s on s.listing_id = seen.listing_id and s.popularity <> popularity_of(seen.views)
    for update of s skip locked) as risen
  where t.listing_id = risen.listing_id and t.place = risen.place;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.suggestion_starts(raw text)
 RETURNS TABLE(place smallint, start text)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 5
AS $function$
  with text as (select string_to_array(suggestion_text(raw), ' ') as words)
  select place::smallint, left(array_to_string(words[place:] || words[:place - 1], ' '), 80)
  from text, generate_subscripts(words, 1) as place
  order by place limit 8
$function$;

CREATE OR REPLACE FUNCTION public.suggestion_text(raw text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
AS $function$
  select trim(regexp_replace(
    regexp_replace(lower(unaccent(normalize(left(raw, 200), NFKC))), '([0-9]+|[\u30A1-\u30FF]+|[\u3041-\u309F]+|[\u3005\u3400-\u9FFF]+)', ' \1 ', 'g'),
    '[\u0001-/:-@\[-`{-\u00BF\u2000-\u206F\u3000-\u3004\u3008-\u303F]+', ' ', 'g'))
$function$;

CREATE OR REPLACE FUNCTION public.term_popularity(n double precision, day date)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select least(32767, greatest(0, floor(4 * (ln(greatest(n, 0.001)) + ln(2.0) * (day - date '2020-01-01') / 10))))::smallint
$function$;

CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE ON audit_entries FOR EACH ROW WHEN (new.data <> '{"erased": true}'::jsonb OR new.seq <> old.seq OR new.id <> old.id OR new.actor <> old.actor OR new.action <> old.action OR new.created_at <> old.created_at OR new.subject IS DISTINCT FROM old.subject) EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER dedup_groups_priced AFTER UPDATE ON dedup_groups FOR EACH ROW WHEN (old.status <> new.status) EXECUTE FUNCTION price_members();

CREATE TRIGGER dedup_members_priced AFTER INSERT OR DELETE OR UPDATE ON dedup_members FOR EACH ROW EXECUTE FUNCTION price_member();

CREATE TRIGGER dedup_prints_drop_keys AFTER DELETE ON dedup_prints FOR EACH ROW EXECUTE FUNCTION drop_dedup_keys();

CREATE TRIGGER events_announced AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION announce_events();

CREATE TRIGGER listing_sources_not_deleted AFTER INSERT ON listing_sources REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION refuse_deleted_sources();

CREATE TRIGGER listing_views_suggested_on_insert AFTER INSERT ON listing_views REFERENCING NEW TABLE AS seen FOR EACH STATEMENT EXECUTE FUNCTION suggest_popular();
CREATE TRIGGER listing_views_suggested_on_update AFTER UPDATE ON listing_views REFERENCING OLD TABLE AS known NEW TABLE AS seen FOR EACH STATEMENT EXECUTE FUNCTION suggest_risen();

CREATE TRIGGER listing_visits_by_day AFTER INSERT ON listing_visits REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION count_view_days();

CREATE TRIGGER listings_counted_on_delete AFTER DELETE ON listings REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_listings();
CREATE TRIGGER listings_counted_on_insert AFTER INSERT ON listings REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_listings();
CREATE TRIGGER listings_counted_on_update AFTER UPDATE ON listings REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_listings();
CREATE TRIGGER listings_leave_dedup_groups AFTER UPDATE OF status ON listings FOR EACH ROW WHEN ((old.status = ANY (ARRAY['draft'::text, 'active'::text, 'paused'::text])) AND (new.status <> ALL (ARRAY['draft'::text, 'active'::text, 'paused'::text]))) EXECUTE FUNCTION leave_dedup_group();
CREATE TRIGGER listings_of_suspended_inserted BEFORE INSERT ON listings FOR EACH ROW WHEN (new.status = ANY (ARRAY['active'::text, 'paused'::text])) EXECUTE FUNCTION refuse_suspended_owner('seller_id');
CREATE TRIGGER listings_of_suspended_updated BEFORE UPDATE OF status ON listings FOR EACH ROW WHEN ((new.status = ANY (ARRAY['active'::text, 'paused'::text])) AND (old.status <> ALL (ARRAY['active'::text, 'paused'::text]))) EXECUTE FUNCTION refuse_suspended_owner('seller_id');
CREATE TRIGGER listings_pictures_on_delete AFTER DELETE ON listings FOR EACH ROW WHEN (old.images <> '[]'::jsonb) EXECUTE FUNCTION forget_picture_uses();
CREATE TRIGGER listings_pictures_on_insert AFTER INSERT ON listings FOR EACH ROW WHEN (new.images <> '[]'::jsonb) EXECUTE FUNCTION note_picture_uses('seller_id');
CREATE TRIGGER listings_pictures_on_update AFTER UPDATE OF images ON listings FOR EACH ROW WHEN (old.images IS DISTINCT FROM new.images) EXECUTE FUNCTION note_picture_uses('seller_id');
CREATE TRIGGER listings_priced_on_insert AFTER INSERT ON listings FOR EACH ROW WHEN (new.type = 'sale'::text AND (new.status = ANY (ARRAY['active'::text, 'sold'::text, 'expired'::text]))) EXECUTE FUNCTION price_listing();
CREATE TRIGGER listings_priced_on_update AFTER UPDATE ON listings FOR EACH ROW WHEN (((old.status = ANY (ARRAY['active'::text, 'sold'::text, 'expired'::text])) OR (new.status = ANY (ARRAY['active'::text, 'sold'::text, 'expired'::text]))) AND (old.status IS DISTINCT FROM new.status OR old.type IS DISTINCT FROM new.type OR old.category_id IS DISTINCT FROM new.category_id OR old.price_amount IS DISTINCT FROM new.price_amount OR old.price_currency IS DISTINCT FROM new.price_currency OR old.sale_price IS DISTINCT FROM new.sale_price OR old.sale_currency IS DISTINCT FROM new.sale_currency OR old.condition IS DISTINCT FROM new.condition OR old.country IS DISTINCT FROM new.country OR old.year IS DISTINCT FROM new.year OR old.length_m IS DISTINCT FROM new.length_m OR (old.attributes ->> 'brand'::text) IS DISTINCT FROM (new.attributes ->> 'brand'::text) OR (old.attributes ->> 'model'::text) IS DISTINCT FROM (new.attributes ->> 'model'::text) OR
        CASE
            WHEN old.status = 'expired'::text THEN old.expires_at
            ELSE NULL::timestamp with time zone
        END IS DISTINCT FROM
        CASE
            WHEN new.status = 'expired'::text THEN new.expires_at
            ELSE NULL::timestamp with time zone
        END)) EXECUTE FUNCTION price_listing();
CREATE TRIGGER listings_suggested_on_delete AFTER DELETE ON listings FOR EACH ROW WHEN (old.status = 'active'::text) EXECUTE FUNCTION suggest_listing();
CREATE TRIGGER listings_suggested_on_insert AFTER INSERT ON listings FOR EACH ROW WHEN (new.status = 'active'::text) EXECUTE FUNCTION suggest_listing();
CREATE TRIGGER listings_suggested_on_update AFTER UPDATE ON listings FOR EACH ROW WHEN ((old.status = 'active'::text OR new.status = 'active'::text) AND (old.status IS DISTINCT FROM new.status OR old.title IS DISTINCT FROM new.title)) EXECUTE FUNCTION suggest_listing();
CREATE TRIGGER listings_words AFTER INSERT OR UPDATE ON listings FOR EACH ROW EXECUTE FUNCTION index_listing_words();

CREATE TRIGGER rentals_of_suspended_inserted BEFORE INSERT ON rentals FOR EACH ROW WHEN (new.status = ANY (ARRAY['active'::text, 'paused'::text])) EXECUTE FUNCTION refuse_suspended_owner('owner_id');
CREATE TRIGGER rentals_of_suspended_updated BEFORE UPDATE OF status ON rentals FOR EACH ROW WHEN ((new.status = ANY (ARRAY['active'::text, 'paused'::text])) AND (old.status <> ALL (ARRAY['active'::text, 'paused'::text]))) EXECUTE FUNCTION refuse_suspended_owner('owner_id');
CREATE TRIGGER rentals_pictures_on_delete AFTER DELETE ON rentals FOR EACH ROW WHEN (old.images <> '[]'::jsonb) EXECUTE FUNCTION forget_picture_uses();
CREATE TRIGGER rentals_pictures_on_insert AFTER INSERT ON rentals FOR EACH ROW WHEN (new.images <> '[]'::jsonb) EXECUTE FUNCTION note_picture_uses('owner_id');
CREATE TRIGGER rentals_pictures_on_update AFTER UPDATE OF images ON rentals FOR EACH ROW WHEN (old.images IS DISTINCT FROM new.images) EXECUTE FUNCTION note_picture_uses('owner_id');

CREATE TRIGGER saved_search_filters_lists BEFORE INSERT ON saved_search_filters FOR EACH ROW EXECUTE FUNCTION list_saved_search_filters();

CREATE TRIGGER users_keep_an_administrator AFTER DELETE OR UPDATE OF role, disabled_at ON users FOR EACH ROW WHEN (old.role = 'admin'::text AND old.disabled_at IS NULL) EXECUTE FUNCTION keep_an_administrator();
