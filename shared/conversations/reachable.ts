import { sql } from 'kysely';
import { conflict, forbidden } from '../kit/errors.ts';
import type { Tx } from '../queues/jobs.ts';

/** Who writes: an account, somebody who names an address without proving it, or both. */
type Writer = { id?: string | undefined; email?: string };

/** 403 when the recipient has blocked the writer, or the account that has the writer's address; 409 when the recipient is suspended. */
export async function assertReachable(tx: Tx, { id, email }: Writer, recipientId: string): Promise<void> {
  const { rows } = await sql<{ is_blocked: boolean; is_suspended: boolean }>`
    select exists (
        select from user_blocks b join users w on w.id = b.blocked_id
        where b.blocker_id = u.id and (w.id = ${id ?? null}::text or w.email = ${email ?? null}::text)) as is_blocked,
      u.disabled_at is not null as is_suspended
    from users u where u.id = ${recipientId}`.execute(tx);
  if (rows[0]?.is_blocked) throw forbidden('This person does not want to hear from you.');
  if (rows[0]?.is_suspended) throw conflict('This person cannot be reached at present.');
}
