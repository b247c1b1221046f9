import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { conflict } from '../kit/errors.ts';
import type { IngestRecord } from '../normalize/record-type.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { advanceRun, endRun } from '../runs/runs.ts';
import { readFindings, type Findings } from './findings.ts';
import { recordGonePages } from './gone.ts';
import { mailQuarantine } from './mail-quarantine.ts';
import { hasBaseline, oddFields, oddLayout, oddPages, oddVolume } from './oddities.ts';
import { describeOddity, type Oddity } from './oddity.ts';
import { finishCrawl, settleRun } from './runs.ts';

/** Whose records are let go: the run that counts them, the scraper they come from and the user who owns what they become. */
export type RecordsOwner = { id: string; scraperId: string; ownerId: string };

/** How many earlier runs a run is compared with. */
const COMPARED_RUNS = 10;
const RELEASED_AT_ONCE = 500;

/** What a run must share with an earlier one for their findings to be comparable. */
const comparable = [
  'site',
  'kind',
  'start_urls',
  'link_pattern',
  'pagination_pattern',
  'extract',
  'max_pages',
  'feed',
] as const;

/** A setting that nothing was said of is as one that is null: older runs do not have all of them. */
const settingOf = (run: string, name: string) =>
  sql`nullif(${sql.ref(`${run}.params`)}->${sql.lit(name)}, 'null'::jsonb)`;

/**
 * The findings of the good runs before this one that crawled by the same settings, newest first. A run that an admin has
 * accepted out of quarantine is the new measure: what came before it no longer counts.
 */
export async function readHistory(db: Database | Tx, runId: string, scraperId: string): Promise<Findings[]> {
  const { rows } = await sql<{ counts: unknown; accepted: boolean }>`
    select f.counts, f.accepted_at is not null as accepted
    from runs now join runs r on r.kind = 'scraper' and r.subject = now.subject and r.id <> now.id
    join run_findings f on f.run_id = r.id
    where now.id = ${runId} and now.subject = ${scraperId} and r.status = 'succeeded'
      and ${sql.join(
        comparable.map((name) => sql`${settingOf('r', name)} is not distinct from ${settingOf('now', name)}`),
        sql` and `,
      )}
    order by r.created_at desc, r.id desc limit ${COMPARED_RUNS}`.execute(db);
  const accepted = rows.findIndex((row) => row.accepted);
  return rows.slice(0, accepted === -1 ? rows.length : accepted + 1).map(({ counts }) => readFindings(counts));
}

/** Adds to the findings of a run and answers their sum. */
export async function addFindings(tx: Tx, runId: string, findings: Findings): Promise<Findings> {
  const added = JSON.stringify(findings);
  const { rows } = await sql<{ counts: unknown }>`
    insert into run_findings as f (run_id, counts) values (${runId}, ${added}::jsonb)
    on conflict (run_id) do update set counts = (
      select jsonb_object_agg(key, coalesce((f.counts->>key)::bigint, 0) + value::bigint) from jsonb_each_text(excluded.counts))
    returning counts`.execute(tx);
  return readFindings(rows[0]?.counts);
}

/** Puts the findings of a run back to what they were. */
export async function replaceFindings(tx: Tx, runId: string, findings: Findings): Promise<void> {
  const counts = JSON.stringify(findings);
  await tx.updateTable('run_findings').set({ counts }).where('run_id', '=', runId).execute();
}

/** Keeps records of a run back until it has shown that it reads its site as ever. */
async function holdRecords(tx: Tx, runId: string, records: readonly IngestRecord[]): Promise<void> {
  if (records.length === 0) return;
  const rows = records.map((record) => ({ run_id: runId, record: JSON.stringify(record) }));
  await tx.insertInto('run_held').values(rows).execute();
}

/** Keeps in mind which pages a run found gone, until it is over: only a run that is as ever may tell. */
export async function holdGonePages(tx: Tx, runId: string, urls: readonly string[]): Promise<void> {
  if (urls.length === 0) return;
  await tx
    .insertInto('run_held')
    .values(urls.map((gone_url) => ({ run_id: runId, gone_url })))
    .execute();
}

/** Sends the records on that a run holds back, in the order in which it found them. */
async function releaseRecords(tx: Tx, jobs: Pick<Jobs, 'enqueueAll'>, run: RecordsOwner): Promise<void> {
  for (let more = true; more;) {
    const { rows } = await sql<{ record: Record<string, unknown> }>`
      delete from run_held where seq in (
        select seq from run_held where run_id = ${run.id} and record is not null order by seq limit ${RELEASED_AT_ONCE})
      returning record`.execute(tx);
    await enqueueRecords(
      tx,
      jobs,
      run,
      rows.map(({ record }) => record),
    );
    more = rows.length === RELEASED_AT_ONCE;
  }
}

/** Records of a scraper with a history go on once so many of them are like those before. */
const PROVEN_BY = 20;

/** Queues records of a run for ingestion, or keeps them back while what the run has found is odd, or too little to tell. */
export async function passRecords(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueueAll'>,
  run: RecordsOwner & { history: readonly Findings[] },
  { records, found }: { records: readonly IngestRecord[]; found: Findings },
): Promise<void> {
  const mustWait = hasBaseline(run.history) && (found.read < PROVEN_BY || oddFields(run.history, found).length > 0);
  if (mustWait) return holdRecords(tx, run.id, records);
  await releaseRecords(tx, jobs, run);
  await enqueueRecords(tx, jobs, run, records);
}

/** Queues records of a run for ingestion. */
async function enqueueRecords(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueueAll'>,
  { id, scraperId, ownerId }: RecordsOwner,
  records: readonly Record<string, unknown>[],
): Promise<void> {
  const payloads = records.map((record) => ({
    payload: { run_id: id, scraper_id: scraperId, user_id: ownerId, record },
  }));
  await jobs.enqueueAll(tx, 'ingest-record', payloads);
}

/** Ends the crawl of a run: as it should when its findings are like those of earlier runs, in quarantine when they are odd. */
export async function judgeCrawl(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>,
  run: RecordsOwner,
  now: Date,
): Promise<{ quarantined: string[] }> {
  return judgeRun(tx, jobs, run, now, (history, found) => [
    ...oddPages(history, found),
    ...oddVolume(history, found),
    ...oddLayout(history, found),
    ...oddFields(history, found),
  ]);
}

/** Ends the reading of a run: as it should, or in quarantine when `findOddities` names reasons, which administrators are told. */
export async function judgeRun(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>,
  run: RecordsOwner,
  now: Date,
  findOddities: (history: readonly Findings[], found: Findings) => Oddity[],
): Promise<{ quarantined: string[] }> {
  const { rows } = await sql<{ counts: unknown }>`
    select f.counts from runs r left join run_findings f on f.run_id = r.id
    where r.id = ${run.id} and r.status = 'running' for update of r`.execute(tx);
  if (!rows[0]) return { quarantined: [] };
  const oddities = findOddities(await readHistory(tx, run.id, run.scraperId), readFindings(rows[0].counts));
  const reasons = oddities.map(describeOddity);
  if (reasons.length > 0) {
    // Once for each quarantine, however many runs it lasts.
    if (!(await isInQuarantine(tx, run.scraperId))) await mailQuarantine(tx, jobs, run.id, oddities);
    await quarantine(tx, run, reasons, now);
  } else {
    await letGo(tx, jobs, run, now);
    await finishCrawl(tx, jobs, run.id, now);
  }
  return { quarantined: reasons };
}

async function quarantine(tx: Tx, run: RecordsOwner, reasons: string[], now: Date): Promise<void> {
  await sql`insert into run_findings (run_id, quarantine_reasons, quarantined_at) values (${run.id}, ${reasons}, ${now})
            on conflict (run_id) do update set quarantine_reasons = excluded.quarantine_reasons, quarantined_at = excluded.quarantined_at`.execute(
    tx,
  );
  const error = `In quarantine: ${reasons.join(' ')} It publishes and ends nothing unless an admin accepts it.`;
  await endRun(tx, run.id, { status: 'failed', error }, now);
}

async function letGo(tx: Tx, jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>, run: RecordsOwner, now: Date): Promise<void> {
  await releaseRecords(tx, jobs, run);
  let withdrawn = 0;
  for (let more = true; more;) {
    const { rows } = await sql<{ gone_url: string; is_declared: boolean }>`
      delete from run_held where seq in (
        select seq from run_held where run_id = ${run.id} and gone_url is not null order by seq limit ${RELEASED_AT_ONCE})
      returning gone_url, is_declared`.execute(tx);
    const urlsOf = (isDeclared: boolean) =>
      rows.filter((row) => row.is_declared === isDeclared).map(({ gone_url: url }) => url);
    withdrawn += await recordGonePages(tx, jobs, run.scraperId, { missed: urlsOf(false), declared: urlsOf(true) }, now);
    more = rows.length === RELEASED_AT_ONCE;
  }
  if (withdrawn > 0) await advanceRun(tx, run.id, { count: { withdrawn } }, now);
}

/**
 * Takes a run out of quarantine: what it holds back is sent on, pages that it found gone count as such, and it is the measure
 * for later runs. 409 when it is not in quarantine, or another run has begun since.
 */
export async function acceptRun(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>,
  run: RecordsOwner,
  acceptedBy: string,
  now: Date,
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('run_findings')
    .set({ accepted_at: now, accepted_by: acceptedBy })
    .where('run_id', '=', run.id)
    .where('quarantined_at', 'is not', null)
    .where('accepted_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw conflict('This run is not in quarantine.');
  const newest = await tx
    .selectFrom('runs')
    .select('id')
    .where('kind', '=', 'scraper')
    .where('subject', '=', run.scraperId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest?.id !== run.id) throw conflict('Another run has begun since; what this one found is out of date.');
  await letGo(tx, jobs, run, now);
  await tx
    .updateTable('runs')
    .set({
      status: 'succeeded',
      error: null,
      total: sql`coalesce((counters->>'records_found')::int, 0)`,
      updated_at: now,
    })
    .where('id', '=', run.id)
    .execute();
  await settleRun(tx, jobs, run.id, now);
}

/** True while the last run of a scraper that has ended is in quarantine. */
export async function isInQuarantine(db: Database | Tx, scraperId: string): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select coalesce(f.quarantined_at is not null and f.accepted_at is null, false) as held
    from runs r left join run_findings f on f.run_id = r.id
    where r.kind = 'scraper' and r.subject = ${scraperId} and r.status in ('succeeded', 'failed')
      and (r.status = 'succeeded' or f.quarantined_at is not null)
    order by r.created_at desc, r.id desc limit 1`.execute(db);
  return rows[0]?.held ?? false;
}

/** Forgets what ended runs hold back that nobody can accept any more; safe to repeat. */
export async function dropHeld(db: Database): Promise<void> {
  await sql`
    delete from run_held h using runs r left join run_findings f on f.run_id = r.id
    where r.id = h.run_id and r.status not in ('queued', 'running')
      and (f.quarantined_at is null or f.accepted_at is not null
           or exists (select from runs later where later.kind = r.kind and later.subject = r.subject
                      and (later.created_at, later.id) > (r.created_at, r.id)))`.execute(db);
}
