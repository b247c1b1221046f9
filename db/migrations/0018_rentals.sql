-- Up Migration
-- `place` is what a rental is looked up by: the words of city, region and country in small letters without accents, a space
-- before each.
alter table rentals add column region text, add column place text not null default '';
create index rentals_place on rentals using gin (place gin_trgm_ops) where status = 'active';
create index rentals_country on rentals (country, created_at desc, id desc) where status = 'active';
create index rentals_boat_type on rentals (lower(boat_type), created_at desc, id desc) where status = 'active';

-- Who is booked when, for those who look for a boat that is free.
create index bookings_confirmed on bookings (date_from, date_to, rental_id) where status = 'confirmed';

-- Requests that wait for an answer, the oldest first: they lapse by their age.
create index bookings_waiting on bookings (created_at) where status = 'requested';

-- Down Migration
