import { inTransaction } from '../../db/client.ts';
import { startUnitOfWork } from '../../db/unit-of-work.ts';
import { actAs } from '../../shared/kit/actor.ts';
import type { Handler } from '../handler.ts';
import type { Services } from '../services.ts';
import { openAuditEntry, type PendingEntry } from './audit.ts';
import type { Operation, OperationId } from './contract.ts';
import type { KeyedRequest, Reply } from './idempotency.ts';
import { replyOf, type AnyAnswer } from './send.ts';
import { POSITION_HEADER, type ReadDatabase } from './read-database.ts';
import type { Request } from './types.ts';

/** What has become of a request: the answer of its handler, or the reply that a repetition is given. */
export type Outcome =
  | { replayed: false; answer: AnyAnswer; reply: Reply | undefined }
  | { replayed: true; answer: undefined; reply: Reply };

/**
 * Runs the handler of an operation: with a key once for all its repetitions, in one transaction with the key and the answer, and
 * an act of an administrator or a moderator in one transaction with its entry in the audit log. What anybody may read is read
 * for nobody in particular where `services.reads` says; all else is the primary's.
 */
export async function runOperation(
  services: Services,
  operation: Operation,
  handler: Handler<OperationId>,
  request: Request<OperationId>,
  keyed: KeyedRequest | undefined,
): Promise<Outcome> {
  if (operation.isOpenRead && !request.caller) {
    const position = (request.headers as Record<string, string | undefined>)[POSITION_HEADER];
    const read = async (database: ReadDatabase) => (await handler({ ...services, ...database }, request)) as AnyAnswer;
    return { replayed: false, answer: await services.reads.read(read, position), reply: undefined };
  }
  const outcome = await runOnPrimary(services, operation, handler, request, keyed);
  if (writes(operation)) await services.reads.noteCommit();
  return outcome;
}

/** Whether an operation is there to change something. */
export const writes = ({ method, isOpenRead }: Operation): boolean => method !== 'get' && !isOpenRead;

async function runOnPrimary(
  services: Services,
  operation: Operation,
  handler: Handler<OperationId>,
  request: Request<OperationId>,
  keyed: KeyedRequest | undefined,
): Promise<Outcome> {
  const entry = openAuditEntry(services, operation, request);
  const run = async (db: Services['db']) => {
    const answer = (await actAs(request.caller?.userId, () => handler({ ...services, db }, request))) as AnyAnswer;
    entry?.answered(answer);
    return answer;
  };
  if (!keyed) {
    const answer = entry ? await runAudited(services, run, entry) : await run(services.db);
    return { replayed: false, answer, reply: undefined };
  }
  let answer: AnyAnswer | undefined;
  const { replayed, ...reply } = await services.idempotency(
    keyed,
    async (db) => replyOf((answer = await run(db))),
    entry,
  );
  return replayed || !answer ? { replayed: true, answer: undefined, reply } : { replayed: false, answer, reply };
}

/** As a unit of work, which has a transaction for the entry also where the act has none. */
async function runAudited(
  { pool }: Services,
  run: (db: Services['db']) => Promise<AnyAnswer>,
  entry: PendingEntry,
): Promise<AnyAnswer> {
  const unit = startUnitOfWork(pool, { onCommit: entry });
  try {
    const answer = await run(unit.db);
    await inTransaction(unit.db, () => Promise.resolve());
    await unit.commit();
    return answer;
  } catch (error) {
    await unit.rollback();
    throw error;
  }
}
