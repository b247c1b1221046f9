import { inTransaction } from '../../db/client.ts';
import { readAuditEntries, recordAct, type AuditEntry, type AuditFilter } from '../../shared/admin/audit-log.ts';
import { csvLine } from '../../shared/kit/csv.ts';
import { readKeyset, writeKeyset } from '../http/keyset.ts';
import type { Stream } from '../http/types.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import type { Services } from '../services.ts';

const EXPORT_PAGE = 1_000;
const columns = ['id', 'created_at', 'actor', 'action', 'subject', 'data'] as const;

/** One page of the audit log, newest first; all of it that fits as CSV. */
export const listAuditEntries: AuthenticatedHandler<'listAuditEntries'> = async (services, request) => {
  const { db, clock } = services;
  const { cursor, limit = 20, ...filter } = request.query;
  if (request.wantsCsv) {
    const act = { actor: request.caller.userId, action: 'listAuditEntries', subject: null, data: { query: filter } };
    await inTransaction(db, (tx) => recordAct(tx, act, clock.now()));
    return {
      status: 200,
      body: exportEntries(services, filter),
      headers: { 'Content-Disposition': 'attachment; filename="audit.csv"' },
    };
  }
  const before = cursor === undefined ? undefined : readKeyset(cursor, isNumber)[0];
  const rows = await readAuditEntries(db, filter, { before, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    status: 200,
    body: {
      results: shown.map(presentEntry),
      next_cursor: last ? writeKeyset([last.seq]) : null,
    },
  };
};

const presentEntry = ({ id, actor, action, subject, data, created_at }: AuditEntry) => ({
  id,
  actor,
  action,
  subject,
  data,
  created_at: created_at.toISOString(),
});

const isNumber = (value: unknown): value is readonly [number] =>
  Array.isArray(value) && value.length === 1 && Number.isSafeInteger(value[0]);

function exportEntries({ db }: Services, filter: AuditFilter): Stream {
  let isClosed = false;
  async function* chunks() {
    yield csvLine(columns);
    let before: number | undefined;
    do {
      const rows = await readAuditEntries(db, filter, { before, limit: EXPORT_PAGE });
      before = rows.length === EXPORT_PAGE ? rows.at(-1)?.seq : undefined;
      yield rows.map(lineOf).join('');
    } while (before !== undefined && !isClosed);
  }
  return { type: 'text/csv; charset=utf-8; header=present', chunks, close: () => (isClosed = true) };
}

const lineOf = ({ id, created_at, actor, action, subject, data }: AuditEntry): string =>
  csvLine([id, created_at.toISOString(), actor, action, subject ?? '', JSON.stringify(data)]);
