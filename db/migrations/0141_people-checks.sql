-- Up Migration

-- In a transaction of its own: reading every row stops no writer.
alter table users validate constraint users_role_check;
alter table listings validate constraint listings_status_check;
alter table rentals validate constraint rentals_status_check;

create trigger listings_of_suspended_inserted before insert on listings
  for each row when (new.status in ('active', 'paused')) execute function refuse_suspended_owner('seller_id');
create trigger listings_of_suspended_updated before update of status on listings
  for each row when (new.status in ('active', 'paused') and old.status not in ('active', 'paused'))
  execute function refuse_suspended_owner('seller_id');
create trigger rentals_of_suspended_inserted before insert on rentals
  for each row when (new.status in ('active', 'paused')) execute function refuse_suspended_owner('owner_id');
create trigger rentals_of_suspended_updated before update of status on rentals
  for each row when (new.status in ('active', 'paused') and old.status not in ('active', 'paused'))
  execute function refuse_suspended_owner('owner_id');

-- Down Migration

drop trigger rentals_of_suspended_updated on rentals;
drop trigger rentals_of_suspended_inserted on rentals;
drop trigger listings_of_suspended_updated on listings;
drop trigger listings_of_suspended_inserted on listings;
