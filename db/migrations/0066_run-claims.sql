-- Up Migration

-- Runs are taken by one process after the other. `claims` is the fencing token: every take raises it, and whoever holds an
-- older one writes nothing more. `tries` are the takes since the cursor last moved; `last_error` is what went wrong last.
alter table runs add column claims integer not null default 0;
alter table runs add column tries integer not null default 0;
alter table runs add column last_error text;
update runs set last_error = cursor->>'lastError' where cursor->>'lastError' is not null;

-- Down Migration

alter table runs drop column last_error;
alter table runs drop column tries;
alter table runs drop column claims;
