-- Up Migration
-- What is compared is read in another way from now on (amounts with their units are one word): all of it is made anew, by the
-- next search for duplicates or when a listing changes.
truncate dedup_prints, dedup_keys, dedup_words, dedup_pairs;

-- A search goes along the shelves: listings that read alike stand side by side, so that a batch meets its candidates within.
-- Copies of one ad have the same `copy`; an ad that says too little to be told apart has none.
alter table dedup_prints
  add column shelf text collate "C" not null,
  add column copy text collate "C";
create index dedup_prints_shelf on dedup_prints (shelf, listing_id);
create index dedup_prints_copy on dedup_prints (copy, listing_id) where copy is not null;

-- Pairs go with the prints that they were compared by, as keys do.
alter table dedup_pairs drop constraint dedup_pairs_first_id_fkey, drop constraint dedup_pairs_second_id_fkey;
create or replace function drop_dedup_keys() returns trigger language plpgsql as $$
begin
  delete from dedup_keys where listing_id = old.listing_id;
  delete from dedup_pairs where first_id = old.listing_id or second_id = old.listing_id;
  return null;
end $$;

-- Down Migration
create or replace function drop_dedup_keys() returns trigger language plpgsql as $$
begin
  delete from dedup_keys where listing_id = old.listing_id;
  return null;
end $$;
alter table dedup_pairs
  add constraint dedup_pairs_first_id_fkey foreign key (first_id) references listings on delete cascade not valid,
  add constraint dedup_pairs_second_id_fkey foreign key (second_id) references listings on delete cascade not valid;
drop index dedup_prints_copy, dedup_prints_shelf;
alter table dedup_prints drop column shelf, drop column copy;
