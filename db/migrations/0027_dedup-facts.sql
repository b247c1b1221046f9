-- Up Migration
-- What rules a pair out at a glance, so that the rest of a print is read only of listings that may be one thing. Empty for
-- prints made before: they are compared in full.
alter table dedup_prints
  add column type text,
  add column serial text,
  add column year integer,
  add column length_m double precision;

-- As which versions two listings were compared: as long as neither is another, they need not be again.
alter table dedup_pairs
  add column first_version integer,
  add column second_version integer;

-- Keys go with the print that they are made from. A look at the listing for each of them would be most of what writing them costs.
alter table dedup_keys drop constraint dedup_keys_listing_id_fkey;
create function drop_dedup_keys() returns trigger language plpgsql as $$
begin
  delete from dedup_keys where listing_id = old.listing_id;
  return null;
end $$;
create trigger dedup_prints_drop_keys after delete on dedup_prints for each row execute function drop_dedup_keys();

-- Down Migration
drop trigger dedup_prints_drop_keys on dedup_prints;
drop function drop_dedup_keys;
alter table dedup_keys add constraint dedup_keys_listing_id_fkey foreign key (listing_id) references listings on delete cascade not valid;
alter table dedup_pairs drop column first_version, drop column second_version;
alter table dedup_prints drop column type, drop column serial, drop column year, drop column length_m;
