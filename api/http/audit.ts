import type { OnCommit } from '../../db/unit-of-work.ts';
import { recordAct, type AuditAct } from '../../shared/admin/audit-log.ts';
import type { Clock } from '../../shared/kit/clock.ts';
import { withoutSecrets } from '../../shared/kit/without-secrets.ts';
import { isModerator } from './authenticate.ts';
import type { Operation, OperationId } from './contract.ts';
import type { AnyAnswer } from './send.ts';
import type { Request } from './types.ts';

/** A body that is larger as JSON is not kept: its size says so. */
const MAX_DATA_LENGTH = 10_000;

/** The entry of one act: it goes with the first transaction that the act commits. */
export type PendingEntry = OnCommit & { answered: (answer: AnyAnswer) => void };

/**
 * Opens the entry of the audit log for an operation, which a moderator or an administrator is about to perform; undefined for
 * operations and callers that leave none.
 */
export function openAuditEntry(
  { clock }: { clock: Clock },
  operation: Operation,
  request: Request<OperationId>,
): PendingEntry | undefined {
  const { caller } = request;
  if (!operation.audited || !caller || !isModerator(caller)) return undefined;
  const act: AuditAct = {
    actor: caller.userId,
    action: operation.id,
    subject: subjectOf(request),
    data: dataOf(request),
  };
  let isWritten = false;
  return {
    answered: ({ body, effects }) => (act.subject = subjectOf(request, body, effects)),
    before: async (connection) => {
      if (!isWritten) await recordAct(connection, act, clock.now());
    },
    after: () => (isWritten = true),
  };
}

/** What the act is about: the one thing that it changed, what its path names, what it has made, or what its body names. */
function subjectOf(
  { params, body }: Request<OperationId>,
  answer?: AnyAnswer['body'],
  effects?: AnyAnswer['effects'],
): string | null {
  const changed = Object.values(effects?.changed ?? {}).flat();
  const named = params as Record<string, unknown>;
  const made = answer as { id?: unknown; job_id?: unknown } | undefined;
  const asked = Object.entries(body ?? {}).find(([name]) => name.endsWith('_id'))?.[1] as unknown;
  const subject =
    (changed.length === 1 && changed[0] !== 'all' ? changed[0] : undefined) ??
    named.id ??
    Object.values(named)[0] ??
    made?.id ??
    made?.job_id ??
    asked;
  return typeof subject === 'string' ? subject : null;
}

/** What was asked for, without secrets. */
function dataOf({ params, query, body, files, caller }: Request<OperationId>): Record<string, unknown> {
  const { id: _, ...otherParams } = params as Record<string, unknown>;
  const sent = withoutSecrets(body);
  const length = JSON.stringify(sent ?? null).length;
  return {
    ...otherParams,
    ...(Object.keys(query).length > 0 && { query: withoutSecrets(query) }),
    ...(sent !== undefined && { body: length > MAX_DATA_LENGTH ? { omitted_characters: length } : sent }),
    ...(files.length > 0 && { files: (files as readonly { sha256: string }[]).map(({ sha256 }) => sha256) }),
    ...(caller?.via === 'api_key' && { api_key_id: caller.bucket }),
  };
}
