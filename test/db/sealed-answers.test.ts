import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { migrate } from '../../db/migrate.ts';
import { startApp } from '../support/app.ts';
import { createEmptyDatabase } from '../support/database.ts';

const migrations = fileURLToPath(new URL('../../db/migrations/', import.meta.url));
const NAME = '0064_sealed-answers.sql';

test('answers kept before are found under the hash of their key, those with a secret are gone, and earlier versions can still claim', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quayside-migrations-'));
  const { url, pool } = await createEmptyDatabase();
  for (const name of readdirSync(migrations).filter((each) => each < NAME))
    copyFileSync(join(migrations, name), join(folder, name));
  await migrate(url, { folder });
  await pool.query(
    `insert into idempotency_keys (caller, key, operation, fingerprint, status, headers, body, created_at, locked_until) values
       ('user u', 'a message', 'sendMessage /x', '', 201, '{}', 'the answer', now(), now()),
       ('user u', 'a webhook', 'createWebhook /x', '', 201, '{}', 'whsec_', now(), now()),
       ('user u', 'a rotation', 'rotateWebhookSecret /x', '', 200, '{}', 'whsec_', now(), now())`,
  );
  copyFileSync(join(migrations, NAME), join(folder, NAME));
  await migrate(url, { folder });
  const { rows } = await pool.query(`select key, nonce, convert_from(body, 'UTF8') as body from idempotency_keys`);
  const key = createHash('sha256').update('a message').digest('hex');
  expect(rows).toEqual([{ key, nonce: null, body: 'the answer' }]);
  await pool.query(
    `insert into idempotency_keys (caller, key, operation, fingerprint, created_at, locked_until) values ('user u', 'k', 'o', '', now(), now())`,
  );
  rmSync(folder, { recursive: true });
});

test('an answer that an earlier version kept in clear is given again', async () => {
  const app = await startApp();
  const { token } = await app.createUser();
  const headers = { 'Idempotency-Key': 'from-before' };
  const body = { name: 'Sloops', query_params: { q: 'sloop' }, notify: 'daily' };
  const first = await app.as(token).post('/api/me/saved-searches', body, { headers });
  expect(first.status, first.text).toBe(201);
  await app.database.pool.query('update idempotency_keys set nonce = null, body = $1', [Buffer.from(first.text)]);
  const again = await app.as(token).post('/api/me/saved-searches', body, { headers });
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  await app.close();
});
