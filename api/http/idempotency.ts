import { createHash } from 'node:crypto';
import { CompiledQuery, sql, type DatabaseConnection } from 'kysely';
import type { Pool } from 'pg';
import { inTransaction, type Database } from '../../db/client.ts';
import { prepared } from '../../db/prepared.ts';
import { startUnitOfWork, type OnCommit } from '../../db/unit-of-work.ts';
import type { Clock } from '../../shared/kit/clock.ts';
import { addMilliseconds, DAY_MS } from '../../shared/kit/clock.ts';
import { conflict, ServiceError } from '../../shared/kit/errors.ts';
import { seal, unseal } from '../../shared/kit/seal.ts';
import type { Tx } from '../../shared/queues/jobs.ts';

export type Reply = { status: number; headers: Record<string, string>; body: string | Buffer };

/** A request with an Idempotency-Key. */
export type KeyedRequest = {
  caller: string;
  key: string;
  operation: string;
  body: unknown;
};

/** What a repetition is compared by: the body, of a form its texts and the hashes of its files. */
export function keyedBodyOf(
  { form }: { form?: unknown },
  { body, files }: { body: unknown; files: readonly { sha256: string }[] },
): unknown {
  return form === undefined ? body : { ...(body as object), files: files.map(({ sha256 }) => sha256) };
}

type Named = KeyedRequest & { hash: string; fingerprint: Buffer };
type Stored = {
  operation: string;
  fingerprint: Buffer;
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  nonce: Buffer | null;
};
type Dependencies = { pool: Pool; clock: Clock; secrets: readonly string[] };

const RETENTION_MS = DAY_MS;

/** Another request with this key is in its transaction. */
class KeyInUse extends Error {}
/** Another request with this key was answered while this one was on its way. */
class KeyAnswered extends Error {}

/**
 * Gives one answer to every repetition of a request with the same Idempotency-Key for 24 hours: 409 while the first is
 * under way, 422 when operation or body differ. What `run` does with its database, the key and the answer are one unit of
 * work: a process that is lost at any instant leaves all of it or nothing, and then the key is free. Of what throws no answer is stored.
 */
export function createIdempotency(dependencies: Dependencies) {
  /** What this process is at, before and in the transaction. */
  const running = new Map<string, Named>();
  return async (
    request: KeyedRequest,
    run: (db: Database) => Promise<Reply>,
    onCommit?: OnCommit,
  ): Promise<Reply & { replayed: boolean }> => {
    const named = nameOf(request);
    const known = await findAnswer(dependencies, named);
    if (known) return known;
    const name = `${named.caller} ${named.hash}`;
    const first = running.get(name);
    if (first) {
      requireSameRequest(first, named);
      throw stillRunning();
    }
    running.set(name, named);
    const unit = startUnitOfWork(dependencies.pool, {
      onBegin: (connection) => lockKey(connection, named),
      onCommit,
    });
    try {
      const reply = await run(unit.db);
      await inTransaction(unit.db, (tx) => storeAnswer(tx, dependencies, named, reply));
      await unit.commit();
      return { ...reply, replayed: false };
    } catch (error) {
      await unit.rollback();
      // It may have failed because another process was faster with the very same request.
      const answered = await findAnswer(dependencies, named);
      if (answered) return answered;
      throw error instanceof KeyInUse || error instanceof KeyAnswered ? stillRunning() : error;
    } finally {
      running.delete(name);
    }
  };
}

export type Idempotency = ReturnType<typeof createIdempotency>;

const stillRunning = () => conflict('A request with this Idempotency-Key is still under way.');

/** The key is stored as its SHA-256: who reads the table cannot send it, nor derive from it what opens the answer. */
function nameOf(request: KeyedRequest): Named {
  const hash = createHash('sha256').update(request.key).digest('hex');
  const fingerprint = createHash('sha256')
    .update(request.operation)
    .update('\n')
    .update(JSON.stringify(request.body ?? null))
    .digest();
  return { ...request, hash, fingerprint };
}

function requireSameRequest(first: Pick<Stored, 'operation' | 'fingerprint'>, { operation, fingerprint }: Named): void {
  if (first.operation !== operation || !first.fingerprint.equals(fingerprint))
    throw new ServiceError('idempotency_mismatch', 'This Idempotency-Key was used for another request.');
}

/** One transaction at a time per key, of whatever process; the lock goes with the transaction. */
async function lockKey(connection: Pick<DatabaseConnection, 'executeQuery'>, { caller, hash }: Named): Promise<void> {
  const id = createHash('sha256').update(`${caller}\n${hash}`).digest().readBigInt64BE();
  const query = CompiledQuery.raw('select pg_try_advisory_xact_lock($1) as locked', [String(id)]);
  const { rows } = await connection.executeQuery<{ locked: boolean }>(
    prepared(query as CompiledQuery<{ locked: boolean }>),
  );
  if (rows[0]?.locked !== true) throw new KeyInUse();
}

/** The answer that is stored for the request, if there is one; 422 when it is the answer to another. */
async function findAnswer(
  { pool, clock, secrets }: Dependencies,
  request: Named,
): Promise<(Reply & { replayed: true }) | undefined> {
  const { rows } = await pool.query<Stored>({
    name: 'idempotency-read',
    text: `select operation, fingerprint, status, headers, body, nonce from idempotency_keys
           where caller = $1 and key = $2 and created_at >= $3`,
    values: [request.caller, request.hash, addMilliseconds(clock.now(), -RETENTION_MS)],
  });
  const [stored] = rows;
  if (!stored) return undefined;
  requireSameRequest(stored, request);
  const { status, headers, nonce } = stored;
  const body = nonce ? unseal(secrets, contextOf(request), { nonce, body: stored.body }) : stored.body;
  if (!body)
    throw conflict('The answer under this Idempotency-Key cannot be read any more; what it asked for was done.');
  return { status, headers, body, replayed: true };
}

/** Of the caller and the Idempotency-Key the database holds neither: what is stored there tells nobody the answer. */
const contextOf = ({ caller, key }: Named): string => `idempotent answer\n${caller}\n${key}`;

/** Takes the key and stores its answer, in the transaction of what was done. */
async function storeAnswer(tx: Tx, { clock, secrets }: Dependencies, request: Named, reply: Reply): Promise<void> {
  const { caller, hash, operation, fingerprint } = request;
  const now = clock.now();
  const { nonce, body } = seal(secrets[0] ?? '', contextOf(request), reply.body);
  const insert = sql`
    insert into idempotency_keys as k (caller, key, operation, fingerprint, status, headers, body, nonce, created_at)
    values (${caller}, ${hash}, ${operation}, ${fingerprint}, ${reply.status}, ${JSON.stringify(reply.headers)}, ${body}, ${nonce}, ${now})
    on conflict (caller, key) do update
      set (operation, fingerprint, status, headers, body, nonce, created_at)
        = (excluded.operation, excluded.fingerprint, excluded.status, excluded.headers, excluded.body, excluded.nonce, excluded.created_at)
      where k.created_at < ${addMilliseconds(now, -RETENTION_MS)}`.compile(tx);
  const { numAffectedRows } = await tx.executeQuery(prepared(insert));
  if (numAffectedRows !== 1n) throw new KeyAnswered();
}
