-- Up Migration
-- The row of a delivery is the truth about it, a job only wakes a worker: `claimed_until` is set while it is being posted, and
-- one that is `parked` waits for its webhook to have fewer in flight.
alter table webhook_deliveries
  add column claimed_until timestamptz,
  add column parked boolean not null default false;
create index webhook_deliveries_in_flight on webhook_deliveries (webhook_id, claimed_until) where claimed_until is not null;
create index webhook_deliveries_parked on webhook_deliveries (webhook_id, id) where parked;
create index webhook_deliveries_pending on webhook_deliveries (webhook_id, created_at) where status = 'pending';
create index webhook_deliveries_by_status on webhook_deliveries (webhook_id, status, created_at desc, id desc);
create index webhook_deliveries_age on webhook_deliveries (created_at);
create index webhooks_of_everything on webhooks (id) where scope = 'all' and active;

-- The order of the list of a user's webhooks, and the count that creating one is held against.
create index webhooks_newest on webhooks (user_id, id desc);
drop index webhooks_user;

-- Down Migration
