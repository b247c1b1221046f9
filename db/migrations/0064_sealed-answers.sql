-- Up Migration
-- A key and its answer are written together with what was done, the key as its SHA-256, the answer encrypted: a row without an
-- answer is a claim of an earlier version, which may still be running. Answers of before stay readable until they are purged,
-- but for those that hold a secret in clear.
delete from idempotency_keys where operation like 'createWebhook %' or operation like 'rotateWebhookSecret %';
update idempotency_keys set key = encode(sha256(convert_to(key, 'UTF8')), 'hex') where status is not null;
alter table idempotency_keys
  -- Set by earlier versions alone.
  alter column locked_until drop not null,
  -- Null where the body is in clear, as it was before.
  add column nonce bytea;

-- Down Migration
-- Neither keys nor answers can be brought back in clear.
delete from idempotency_keys;
alter table idempotency_keys
  alter column locked_until set not null,
  drop column nonce;
