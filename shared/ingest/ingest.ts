import { inTransaction, sqlState, type Database } from '../../db/client.ts';
import type { Catalog } from '../catalog/tree.ts';
import type { Clock } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { Profile } from '../profiles/profile.ts';
import { consumeQuota } from '../profiles/quotas.ts';
import { yieldOften } from '../kit/turns.ts';
import type { CheckRecord, RecordFailure } from './check-record.ts';
import { mapRecord, type MappedRecord } from './map-record.ts';
import { MARKETPLACE } from './page-owner.ts';
import type { IngestRecord } from '../normalize/record-type.ts';
import { storeRecords, type Ingester, type StoredRecord } from './store.ts';

export type IngestServices = {
  db: Database;
  jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>;
  clock: Clock;
  catalog: Catalog;
  profile: Profile;
  staticUrl: string;
  quotaMultiplier: number;
  check: CheckRecord;
};

/** What became of each record of a batch: IngestResponse of openapi.yaml. */
export type IngestOutcome = {
  created: number;
  updated: number;
  unchanged: number;
  skipped: { url: string; reason: string }[];
  failed: RecordFailure[];
  ids: Record<string, string>;
};

export type Prepared = { ready: MappedRecord[]; skipped: { url: string; reason: string }[]; failed: RecordFailure[] };

/** Data that PostgreSQL refuses: wrong values, broken constraints, rows that are too big. Another try would end the same. */
const refusedData = /^(?:22|23|54)/;

/**
 * Ingests a batch: each record is created, updated, unchanged, skipped or failed with a reason, and none fails the others.
 * What can be stored is stored in one transaction. Idempotent. Throws 429 beyond the caller's daily quota (`quota: true`;
 * administrators are exempt), with nothing stored.
 */
export async function ingestBatch(
  services: IngestServices,
  ingester: Ingester,
  records: readonly unknown[],
  { quota }: { quota: boolean },
): Promise<IngestOutcome> {
  const prepared = await prepareRecords(services, records, '/body/records');
  const { stored, failed } = await storeInHalves(services, ingester, prepared.ready, quota);
  const outcome: IngestOutcome = {
    created: 0,
    updated: 0,
    unchanged: 0,
    skipped: prepared.skipped,
    failed: [...prepared.failed, ...failed],
    ids: {},
  };
  for (const item of stored) {
    if (item.outcome === 'skipped') {
      outcome.skipped.push({ url: item.record.url, reason: item.reason });
      continue;
    }
    outcome[item.outcome] += 1;
    outcome.ids[item.record.url] = item.listingId;
  }
  return outcome;
}

/** Validates and maps each record. Of several for one page the last is used, the others are skipped. */
export async function prepareRecords(
  { check, catalog, clock }: Pick<IngestServices, 'check' | 'catalog' | 'clock'>,
  records: readonly unknown[],
  pointer: string,
): Promise<Prepared> {
  const now = clock.now();
  const failed: RecordFailure[] = [];
  const skipped: Prepared['skipped'] = [];
  const byUrl = new Map<string, MappedRecord>();
  const goOn = yieldOften();
  for (const [index, value] of records.entries()) {
    await goOn();
    const checked = check(value, `${pointer}/${index}`);
    if (!checked.ok) {
      failed.push(checked.failure);
      continue;
    }
    const unknown = findUnknownCategory(checked.record, `${pointer}/${index}`, catalog);
    if (unknown) {
      failed.push(unknown);
      continue;
    }
    await goOn();
    const mapped = await mapRecord(checked.record, checked.normalizedUrl, { catalog, now });
    if ('reason' in mapped) {
      failed.push({ url: checked.record.url, reason: mapped.reason });
      continue;
    }
    const earlier = byUrl.get(mapped.normalizedUrl);
    if (earlier) skipped.push({ url: earlier.url, reason: 'The same page comes again later in this batch.' });
    byUrl.set(mapped.normalizedUrl, mapped);
  }
  return { ready: [...byUrl.values()], skipped, failed };
}

/** A category that is named by an id must exist; free text belongs into the hint, where it is mapped. */
function findUnknownCategory(
  { url, category_id: id }: IngestRecord,
  pointer: string,
  catalog: Catalog,
): RecordFailure | undefined {
  if (id === undefined || id.trim() === '' || catalog.find(id)) return undefined;
  const message = 'must be the id of a category; free text belongs into category_hint';
  const errors = [{ path: `${pointer}/category_id`, message }];
  return {
    url,
    reason: `There is no category '${id}'.`,
    details: { errors, valid_categories: [...catalog.validIds()] },
  };
}

type Attempt = { stored: StoredRecord[]; failed: RecordFailure[] };

/** Stores all in one transaction; when PostgreSQL refuses a value, bisects until the record that holds it stands alone. */
async function storeInHalves(
  services: IngestServices,
  ingester: Ingester,
  records: readonly MappedRecord[],
  quota: boolean,
): Promise<Attempt> {
  if (records.length === 0) return { stored: [], failed: [] };
  try {
    const stored = await inTransaction(services.db, async (tx) => {
      const items = await storeRecords(tx, services, ingester, records);
      if (quota) await useRecordQuota(tx, services, ingester, items);
      return items;
    });
    return { stored, failed: [] };
  } catch (error) {
    if (!isRefusedData(error)) throw error;
    const [only] = records;
    if (records.length === 1 && only)
      return { stored: [], failed: [{ url: only.url, reason: 'The record holds a value that cannot be stored.' }] };
    const middle = Math.ceil(records.length / 2);
    const first = await storeInHalves(services, ingester, records.slice(0, middle), quota);
    const second = await storeInHalves(services, ingester, records.slice(middle), quota);
    return { stored: [...first.stored, ...second.stored], failed: [...first.failed, ...second.failed] };
  }
}

/**
 * Whether PostgreSQL refused the values of a record (data exception, constraint, limit), so that another try would fail
 * too.
 */
export function isRefusedData(error: unknown): boolean {
  return refusedData.test(sqlState(error) ?? '');
}

/** Uses the quota for new and changed records; last, so that a failure uses none. */
async function useRecordQuota(
  tx: Tx,
  services: IngestServices,
  { userId, owner }: Ingester,
  items: readonly StoredRecord[],
): Promise<void> {
  const count = items.filter(({ outcome }) => outcome === 'created' || outcome === 'updated').length;
  if (count === 0) return;
  const subjects = { user: userId, ip: '', admin: owner === MARKETPLACE };
  const rules = services.profile.quotas.ingest_records;
  await consumeQuota(
    tx,
    { quota: 'ingest_records', rules, subjects, count, multiplier: services.quotaMultiplier },
    services.clock.now(),
  );
}
