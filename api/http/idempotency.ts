import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Clock } from '../../shared/clock.ts';
import { addMilliseconds, DAY_MS, MINUTE_MS } from '../../shared/clock.ts';
import { conflict, ServiceError } from '../../shared/errors.ts';

export type Reply = { status: number; headers: Record<string, string>; body: string | Buffer };
type Stored = {
  operation: string;
  fingerprint: Buffer;
  status: number | null;
  headers: Record<string, string> | null;
  body: Buffer | null;
};

const KEPT_MS = DAY_MS;
/** A request that has not answered by then died with its process; its key may be used again. */
const LOCK_MS = MINUTE_MS;

/**
 * Gives one answer to every repetition of a request with the same Idempotency-Key for 24 hours: 409 while the first is
 * under way, 422 when operation or body differ. An answer of 5xx or 429 is not kept, so the caller can try again.
 */
export function createIdempotency(pool: Pool, clock: Clock) {
  return async (
    request: { caller: string; key: string; operation: string; body: unknown },
    run: () => Promise<Reply>,
  ): Promise<Reply & { replayed: boolean }> => {
    const fingerprint = createHash('sha256')
      .update(request.operation)
      .update('\n')
      .update(JSON.stringify(request.body ?? null))
      .digest();
    const known = await claim(pool, request, fingerprint, clock.now());
    if (known) return { ...replay(known, request.operation, fingerprint), replayed: true };
    try {
      const reply = await run();
      await store(pool, request, reply);
      return { ...reply, replayed: false };
    } catch (error) {
      await release(pool, request);
      throw error;
    }
  };
}

export type Idempotency = ReturnType<typeof createIdempotency>;

type Key = { caller: string; key: string };

/** Takes the key for this request, or answers what is stored under it. */
async function claim(
  pool: Pool,
  request: Key & { operation: string },
  fingerprint: Buffer,
  now: Date,
): Promise<Stored | undefined> {
  const { rowCount } = await pool.query({
    name: 'idempotency-claim',
    text: `insert into idempotency_keys as k (caller, key, operation, fingerprint, created_at, locked_until) values ($1, $2, $3, $4, $5, $6)
           on conflict (caller, key) do update
             set (operation, fingerprint, status, headers, body, created_at, locked_until)
               = (excluded.operation, excluded.fingerprint, null, null, null, excluded.created_at, excluded.locked_until)
             where k.created_at < $7 or (k.status is null and k.locked_until < excluded.created_at)`,
    values: [
      request.caller,
      request.key,
      request.operation,
      fingerprint,
      now,
      addMilliseconds(now, LOCK_MS),
      addMilliseconds(now, -KEPT_MS),
    ],
  });
  if (rowCount === 1) return undefined;
  const { rows } = await pool.query<Stored>({
    name: 'idempotency-read',
    text: 'select operation, fingerprint, status, headers, body from idempotency_keys where caller = $1 and key = $2',
    values: [request.caller, request.key],
  });
  if (!rows[0]) throw conflict('A request with this Idempotency-Key has just ended; try again.');
  return rows[0];
}

function replay(stored: Stored, operation: string, fingerprint: Buffer): Reply {
  if (stored.operation !== operation || !stored.fingerprint.equals(fingerprint)) {
    throw new ServiceError('idempotency_mismatch', 'This Idempotency-Key was used for another request.');
  }
  if (stored.status === null || !stored.body) throw conflict('A request with this Idempotency-Key is still under way.');
  return { status: stored.status, headers: stored.headers ?? {}, body: stored.body };
}

async function store(pool: Pool, request: Key, reply: Reply): Promise<void> {
  if (reply.status >= 500 || reply.status === 429) return release(pool, request);
  await pool.query({
    name: 'idempotency-store',
    text: 'update idempotency_keys set status = $3, headers = $4, body = $5 where caller = $1 and key = $2',
    values: [request.caller, request.key, reply.status, JSON.stringify(reply.headers), Buffer.from(reply.body)],
  });
}

async function release(pool: Pool, request: Key): Promise<void> {
  await pool.query({
    name: 'idempotency-release',
    text: 'delete from idempotency_keys where caller = $1 and key = $2 and status is null',
    values: [request.caller, request.key],
  });
}
