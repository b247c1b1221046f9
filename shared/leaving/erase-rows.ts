import { sql, type RawBuilder } from 'kysely';
import type { Erased, EraseStep } from './erase-step.ts';
import { tracesOf } from './traces.ts';

const BATCH = 5_000;

type Rows = { table: string; of: (step: Pick<EraseStep, 'userId'>) => RawBuilder<unknown> };

const byUser = (...tables: string[]): Rows[] =>
  tables.map((table) => ({ table, of: ({ userId }) => sql`user_id = ${userId}` }));
const bothLeft = (userId: string) => sql`(buyer_id = ${userId} or seller_id = ${userId}) and not exists (
  select from users u where u.id in (buyer_id, seller_id) and u.left_at is null)`;

/** What belongs to the account alone, each table with its rows; deliveries before their webhooks, which may have very many. */
const tables: readonly Rows[] = [
  {
    table: 'webhook_deliveries',
    of: ({ userId }) => sql`webhook_id in (select id from webhooks where user_id = ${userId})`,
  },
  ...byUser('webhooks', 'favorites', 'saved_searches', 'ai_drafts', 'api_keys', 'account_tokens', 'login_networks'),
  ...byUser('tracked_events'),
  { table: 'flags', of: ({ userId }) => sql`reporter_id = ${userId}` },
  { table: 'flags', of: ({ userId }) => sql`user_id = ${userId}` },
  ...byUser('appeals', 'notices'),
  { table: 'moderation_decisions', of: ({ userId }) => sql`subject_id = ${userId}` },
  { table: 'contact_requests', of: ({ userId }) => sql`seller_id = ${userId}` },
  {
    table: 'contact_requests',
    of: ({ userId }) => sql`email = (select email from account_leavings where user_id = ${userId})`,
  },
  { table: 'deleted_sources', of: ({ userId }) => sql`owner = ${userId}` },
  { table: 'sent_emails', of: ({ userId }) => sql`subject_id = ${userId}` },
  { table: 'quota_uses', of: ({ userId }) => sql`subject in ${tracesOf(userId, 'id')}` },
  { table: 'rate_windows', of: ({ userId }) => sql`split_part(bucket, ':', 2) in ${tracesOf(userId, 'id')}` },
  { table: 'idempotency_keys', of: ({ userId }) => sql`caller in ${tracesOf(userId, 'id')}` },
  // Nobody is left who would read them.
  { table: 'conversations', of: ({ userId }) => bothLeft(userId) },
];

/** Deletes the rows that belong to the account alone, table by table and a few thousand at a time; `after` is the number of the table. */
export async function eraseRows({ tx, services, userId, after }: EraseStep): Promise<Erased> {
  const index = Number(after || '0');
  const rows = tables[index];
  if (!rows) {
    await sql`update reviews set reply = null, replied_at = null where seller_id = ${userId} and reply is not null`.execute(
      tx,
    );
    return { erased: await eraseUploads({ tx, services, userId }) };
  }
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(rows.table)} where ctid = any(array(
      select ctid from ${sql.table(rows.table)} where ${rows.of({ userId })} limit ${BATCH}))`.execute(tx);
  const erased = Number(numAffectedRows);
  return { erased, next: String(erased === BATCH ? index : index + 1) };
}

/** Images that were uploaded and shown nowhere: their files go where nobody else has uploaded the same. */
async function eraseUploads({ tx, services, userId }: Pick<EraseStep, 'tx' | 'services' | 'userId'>): Promise<number> {
  const uploads = await tx.deleteFrom('uploads').where('user_id', '=', userId).returning('sha256').execute();
  const sha256 = uploads.map((upload) => upload.sha256);
  for (let start = 0; start < sha256.length; start += 1_000)
    await services.jobs.enqueue(tx, 'delete-pictures', { sha256: sha256.slice(start, start + 1_000) });
  return sha256.length;
}
