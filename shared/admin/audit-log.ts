import { CompiledQuery, sql } from 'kysely';
import { prepared } from '../../db/prepared.ts';
import type { Database } from '../../db/client.ts';
import { newId } from '../kit/ids.ts';

/** An act of an administrator or a moderator. */
export type AuditAct = {
  /** The id of who did it. */
  actor: string;
  /** The operationId. */
  action: string;
  /** What it was done to. */
  subject: string | null;
  data: Record<string, unknown>;
};
export type AuditEntry = AuditAct & { id: string; created_at: Date };
export type AuditFilter = { actor?: string | undefined; action?: string | undefined; subject?: string | undefined };

/** Appends an act to the audit log, in the transaction that the connection is in. */
export async function recordAct(
  connection: { executeQuery: (query: CompiledQuery) => Promise<unknown> },
  { actor, action, subject, data }: AuditAct,
  now: Date,
): Promise<void> {
  const insert = CompiledQuery.raw(
    `insert into audit_entries (id, actor, action, subject, data, created_at) values ($1, $2, $3, $4, $5::jsonb, $6)`,
    [newId('audit_entry'), actor, action, subject, JSON.stringify(data), now],
  );
  await connection.executeQuery(prepared(insert));
}

/** Up to `limit` entries that fit the filter, the newest first, by keyset: those before the entry of that number. */
export async function readAuditEntries(
  db: Database,
  { actor, action, subject }: AuditFilter,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<(AuditEntry & { seq: number })[]> {
  const rows = await db
    .selectFrom('audit_entries')
    .select(['seq', 'id', 'actor', 'action', 'subject', 'created_at', sql<Record<string, unknown>>`data`.as('data')])
    .$if(actor !== undefined, (query) => query.where('actor', '=', actor!))
    .$if(action !== undefined, (query) => query.where('action', '=', action!))
    .$if(subject !== undefined, (query) => query.where('subject', '=', subject!))
    .$if(before !== undefined, (query) => query.where('seq', '<', before!))
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}
