-- Up Migration
-- What is compared of a listing tells more from now on (who sells, the particulars of the object, its serial number without
-- placeholders): all of it is made anew, by the next search for duplicates or when a listing changes. What waits for a decision
-- was found by what proved nothing, and is found again where it still stands; what somebody has unmerged stays.
truncate dedup_prints, dedup_keys, dedup_words, dedup_pairs;
delete from dedup_groups where status = 'detected' and unmerged_at is null;

-- The other listings of a seller, and those with one serial number.
create index dedup_prints_sellers on dedup_prints using gin ((print -> 'sellers'));
create index dedup_prints_serial on dedup_prints (serial) where serial is not null;

-- The four quarters of a difference hash, each with its place: two hashes that differ in up to three bits have one in common.
create function dhash_quarters(dhash bigint) returns integer[] language sql immutable strict parallel safe as $$
  select array[
    (dhash >> 48 & 65535)::int, 65536 + (dhash >> 32 & 65535)::int, 131072 + (dhash >> 16 & 65535)::int, 196608 + (dhash & 65535)::int]
$$;
create index images_dhash_quarters on images using gin (dhash_quarters(dhash));

-- Down Migration
drop index images_dhash_quarters;
drop function dhash_quarters;
drop index dedup_prints_serial, dedup_prints_sellers;
