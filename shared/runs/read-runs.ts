import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { RunKind } from './kinds.ts';

export type RunHistoryRow = {
  id: string;
  kind: string;
  subject: string;
  subject_name: string | null;
  trigger: string;
  status: string;
  total: number | null;
  counters: Record<string, number>;
  paused_reason: string | null;
  error: string | null;
  job_id: string | null;
  started_by: { id: string; name: string } | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  quarantined: boolean;
};

type Filter = { kind?: RunKind | undefined; status?: string | undefined; subject?: string | undefined };

const columns = sql`r.id, r.kind, r.subject, s.name as subject_name, r.trigger, r.status, r.total, r.counters, r.paused_reason,
  coalesce(r.error, r.last_error) as error, r.job_id, r.created_at, r.started_at, r.finished_at,
  case when u.id is not null then jsonb_build_object('id', u.id, 'name', u.name) end as started_by,
  f.quarantine_reasons is not null and f.accepted_at is null as quarantined`;
const joins = sql`left join scrapers s on s.id = r.subject left join users u on u.id = r.started_by
  left join run_findings f on f.run_id = r.id`;

const fits = ({ kind, status, subject }: Filter) => sql`
  (${kind ?? null}::text is null or r.kind = ${kind ?? null}) and (${status ?? null}::text is null or r.status = ${status ?? null})
  and (${subject ?? null}::text is null or r.subject = ${subject ?? null})`;

/** One page of the runs of every kind, the newest first, and how many there are. */
export async function readRunHistory(
  db: Database,
  filter: Filter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: RunHistoryRow[]; total: number }> {
  const [{ rows }, { rows: counts }] = await Promise.all([
    sql<RunHistoryRow>`select ${columns} from runs r ${joins} where ${fits(filter)}
      order by r.created_at desc, r.id desc limit ${limit} offset ${offset}`.execute(db),
    sql<{ total: number }>`select count(*)::int as total from runs r where ${fits(filter)}`.execute(db),
  ]);
  return { rows, total: counts[0]?.total ?? 0 };
}

type RunErrorRow = { url?: string; message: string; at: string };

/** One run of any kind, with its first errors; undefined when there is none. */
export async function readRunWithErrors(
  db: Database,
  id: string,
): Promise<(RunHistoryRow & { errors: RunErrorRow[] }) | undefined> {
  const { rows } = await sql<RunHistoryRow & { errors: RunErrorRow[] }>`
    select ${columns}, r.errors from runs r ${joins} where r.id = ${id}`.execute(db);
  return rows[0];
}
