import { fromKysely } from 'pg-boss';
import { inTransaction } from '../db/client.ts';
import { isRefusedData, prepareRecords } from '../shared/ingest/ingest.ts';
import type { MappedRecord } from '../shared/ingest/map-record.ts';
import { MARKETPLACE } from '../shared/ingest/page-owner.ts';
import { storeRecords, type StoredRecord } from '../shared/ingest/store.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { GiveUp, type Tx } from '../shared/queues/jobs.ts';
import { countRecord, type RecordOutcome } from '../shared/scrapers/runs.ts';
import type { WorkerServices } from './services.ts';

type Payload = { run_id: string; scraper_id: string; user_id: string; record: Record<string, unknown> };
type Settled = { outcome: RecordOutcome; listingId?: string; reason?: string };

/** Another try holds this job, or has done it. */
class AlreadySettled extends Error {}

/**
 * Ingests one record of a crawl as a page of the marketplace that the owner of its scraper sells. What the record did, its count in the run and the completion of
 * the job are one transaction: after a crash or an overlapping try nothing is counted twice and nothing is lost.
 */
export const ingestRecord: JobHandler<WorkerServices, 'ingest-record'> = async (
  services,
  payload,
  { jobId, attempt },
) => {
  const { db, catalog, clock } = services;
  await requireSeller(services, payload.user_id);
  const prepared = await prepareRecords({ check: await services.recordCheck(), catalog, clock }, [payload.record], '');
  const [record] = prepared.ready;
  const settle = async (work: (tx: Tx) => Promise<Settled>): Promise<Settled> =>
    inTransaction(db, async (tx) => {
      const settled = await work(tx);
      await count(tx, services, payload, settled);
      const claim = { id: jobId, retryCount: attempt };
      const completion = await services.jobs.boss.complete('ingest-record', claim, settled, { db: fromKysely(tx) });
      // The type of the answer leaves out what it holds.
      if ((completion as { affected: number }).affected === 0) throw new AlreadySettled();
      return settled;
    });
  try {
    if (!record)
      return await settle(async () => ({
        outcome: 'failed',
        reason: prepared.failed[0]?.reason ?? 'The record cannot be read.',
      }));
    return await settle(async (tx) => store(tx, services, payload, record));
  } catch (error) {
    if (error instanceof AlreadySettled) return { outcome: 'settled by another try' };
    if (!isRefusedData(error)) throw error;
    return settle(async () => ({ outcome: 'failed', reason: 'The record holds a value that cannot be stored.' }));
  }
};

async function requireSeller({ db }: WorkerServices, userId: string): Promise<void> {
  const user = await db.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst();
  if (!user) throw new GiveUp(`the owner ${userId} of the scraper does not exist`);
}

async function store(tx: Tx, services: WorkerServices, payload: Payload, record: MappedRecord): Promise<Settled> {
  const { jobs, clock, config } = services;
  const ingester = { userId: payload.user_id, owner: MARKETPLACE, scraperId: payload.scraper_id };
  const [stored]: StoredRecord[] = await storeRecords(tx, { jobs, clock, staticUrl: config.staticUrl }, ingester, [
    record,
  ]);
  if (!stored) throw new Error('the record was neither stored nor skipped');
  if (stored.outcome === 'skipped') return { outcome: 'skipped', reason: stored.reason };
  return { outcome: stored.outcome, listingId: stored.listingId };
}

async function count(
  tx: Tx,
  { jobs, clock }: WorkerServices,
  payload: Payload,
  { outcome, reason }: Settled,
): Promise<void> {
  const { url } = payload.record;
  const error = outcome === 'failed' && {
    url: typeof url === 'string' ? url.slice(0, 2_048).toWellFormed() : undefined,
    message: reason ?? 'The record cannot be read.',
  };
  await countRecord(tx, jobs, payload.run_id, { outcome, error: error || undefined }, clock.now());
}
