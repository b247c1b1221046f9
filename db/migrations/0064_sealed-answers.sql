-- Up Migration
-- A key and its answer are written together, with what was done; the key as its SHA-256, the answer encrypted. Answers of before
-- stay readable until they are purged, but for those that hold a secret in clear.
delete from idempotency_keys
  where status is null or operation like 'createWebhook %' or operation like 'rotateWebhookSecret %';
update idempotency_keys set key = encode(sha256(convert_to(key, 'UTF8')), 'hex');
alter table idempotency_keys
  drop column locked_until,
  -- Null where the body is in clear, as it was before this migration.
  add column nonce bytea,
  alter column status set not null,
  alter column headers set not null,
  alter column body set not null;

-- Down Migration
-- Neither keys nor answers can be brought back in clear.
delete from idempotency_keys;
alter table idempotency_keys
  add column locked_until timestamptz not null,
  drop column nonce,
  alter column status drop not null,
  alter column headers drop not null,
  alter column body drop not null;
