-- Up Migration
-- What is compared of a listing, made anew when its version is another, beside its keys in dedup_keys.
create table dedup_prints (
  listing_id text collate "C" primary key references listings on delete cascade,
  version integer not null,
  print jsonb not null
);

-- How many prints use a word, about: one that most use tells little, and is no key. Common words are counted no further.
create table dedup_words (
  word text collate "C" primary key,
  listings integer not null
);

-- Pairs of listings that may be one thing, by what speaks for each alone: how they agree on others is judged from here.
create table dedup_pairs (
  first_id text collate "C" not null references listings on delete cascade,
  second_id text collate "C" not null references listings on delete cascade,
  score real not null,
  evidence jsonb not null,
  primary key (first_id, second_id),
  check (first_id < second_id)
);
create index dedup_pairs_second on dedup_pairs (second_id);

-- Down Migration
