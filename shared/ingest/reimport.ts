import { sql } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import type { Catalog } from '../catalog/tree.ts';
import type { Tx } from '../queues/jobs.ts';
import { replaceBoat } from '../listings/boat.ts';
import { yieldOften } from '../kit/turns.ts';
import type { CheckRecord } from './check-record.ts';
import { diffListing, type NextListing, type StandingListing } from './diff.ts';
import { isRefusedData } from './ingest.ts';
import { columnsAfterReimport, remapRecord, type Origin, type Remapped } from './remap.ts';
import { lockListings } from './store-columns.ts';
import { planImages } from '../listings/store-images.ts';
import { runStatement } from '../listings/statements.ts';
import { type StoreDependencies } from './store-rows.ts';
import { writePlans, type UpdatePlan } from './store-updates.ts';

export type ReimportServices = StoreDependencies & { db: Database; catalog: Catalog; check: CheckRecord };

/** Listings of one seller, or of everybody when undefined; of one site, or of all. */
export type ReimportScope = { sellerId: string | undefined; site?: string | undefined };

export type ReimportRequest = {
  sellerId: string | undefined;
  /** All scraped listings when undefined. */
  ids: readonly string[] | undefined;
  /** Only tells what would change. */
  isDry: boolean;
};

/** ReimportResponse of openapi.yaml. */
export type Reimported = {
  reimported: number;
  changed: number;
  skipped: { id: string; reason: string }[];
  errors: { id: string; error: string }[];
  changes: { id: string; previous: Record<string, unknown> }[];
};

/** What is done with the plans of some listings, in the transaction that writes them. */
export type KeepPlans = (tx: Tx, plans: readonly UpdatePlan[]) => Promise<void>;
/** `autonomous`: as inTransaction has it; of several chunks all but the last. */
type How = { isDry: boolean; keep?: KeepPlans; autonomous?: boolean };

type Row = Origin & { listing_id: string; status: string };

/** Listings that are mapped and written at a time. */
const CHUNK = 200;
const MAX_TOLD = 1_000;

/**
 * Maps the raw records of scraped listings with today's rules and writes what comes out differently, 200 in a transaction, each
 * with its event; a listing that its raw record says nothing new about is left alone. What the raw record does not tell stays,
 * and so do status, earlier prices and the time of the last reading. Repeating it changes nothing.
 */
export async function reimportListings(services: ReimportServices, request: ReimportRequest): Promise<Reimported> {
  const outcome = nothingYet();
  const { ids } = request;
  if (ids) {
    const named = [...new Set(ids)];
    for (let from = 0; from < named.length; from += CHUNK) {
      const names = named.slice(from, from + CHUNK);
      const rows = await findNamed(services.db, names, request.sellerId);
      const found = new Set(rows.flatMap(({ listing_id: id, slug }) => [id, slug]));
      const missing = names.filter((name) => !found.has(name));
      outcome.errors.push(...missing.map((id) => ({ id, error: 'There is no such scraped listing of yours.' })));
      const autonomous = from + CHUNK < named.length;
      await reimportChunk(services, rows, { isDry: request.isDry, autonomous }, outcome);
    }
    return outcome;
  }
  for (let after: string | undefined = ''; after !== undefined;)
    after = await reimportAfter(services, after, request, outcome);
  return outcome;
}

/** What a reimport begins with. */
export const nothingYet = (): Reimported => ({ reimported: 0, changed: 0, skipped: [], errors: [], changes: [] });

/** Reimports the next listings after an id, all that there are of the scope; answers the last of them, undefined when none follows. */
export async function reimportAfter(
  services: ReimportServices,
  after: string,
  scope: ReimportScope & How,
  outcome: Reimported,
): Promise<string | undefined> {
  const rows = await findAfter(services.db, after, scope);
  const isLast = rows.length < CHUNK;
  await reimportChunk(services, rows, { ...scope, autonomous: !isLast }, outcome);
  return isLast ? undefined : rows.at(-1)?.listing_id;
}

/** How many listings a reimport of the scope goes through. */
export async function countReimportable(tx: Tx, scope: ReimportScope): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from listing_sources s join listings l on l.id = s.listing_id
    where l.status <> 'deleted' and ${isOurs(scope)}`.execute(tx);
  return rows[0]?.n ?? 0;
}

const columns = sql`s.listing_id, l.slug, l.status, s.url, s.normalized_url, s.site, s.raw_record, s.scraped_at, sc.category_id
  from listing_sources s join listings l on l.id = s.listing_id left join scrapers sc on sc.id = s.scraper_id`;
const isOurs = ({
  sellerId,
  site,
}: ReimportScope) => sql<boolean>`(l.source = 'scraped' and (${sellerId ?? null}::text is null or l.seller_id = ${sellerId ?? null})
  and (${site ?? null}::text is null or s.site = ${site ?? null}))`;

async function findNamed(db: Database, names: readonly string[], sellerId: string | undefined) {
  const { rows } = await sql<Row & { slug: string }>`
    select ${columns} where (l.id = any(${names}::text[]) or l.slug = any(${names}::text[])) and ${isOurs({ sellerId })}
    order by s.listing_id`.execute(db);
  return rows;
}

async function findAfter(db: Database, after: string, scope: ReimportScope): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select ${columns} where s.listing_id > ${after} and l.status <> 'deleted' and ${isOurs(scope)}
    order by s.listing_id limit ${CHUNK}`.execute(db);
  return rows;
}

async function reimportChunk(
  services: ReimportServices,
  rows: readonly Row[],
  how: How,
  outcome: Reimported,
): Promise<void> {
  const remapped = new Map<string, Remapped>();
  const goOn = yieldOften();
  for (const row of rows) {
    await goOn();
    const { listing_id: id, status } = row;
    const made = status === 'deleted' ? { reason: 'The listing was deleted.' } : await remapRecord(row, services);
    if ('reason' in made) outcome.skipped.push({ id, reason: made.reason });
    else remapped.set(id, made);
  }
  await storeInHalves(services, [...remapped], how, outcome);
}

/** One transaction for all; when PostgreSQL refuses some value, one for each half, until the listing at fault stands alone. */
async function storeInHalves(
  services: ReimportServices,
  remapped: readonly [string, Remapped][],
  how: How,
  outcome: Reimported,
): Promise<void> {
  const [only] = remapped;
  if (!only) return;
  try {
    const plans = await inTransaction(services.db, (tx) => storeChunk(tx, services, new Map(remapped), how), how);
    const changed = plans.filter(({ previous }) => Object.keys(previous).length > 0);
    outcome.reimported += plans.length;
    outcome.changed += changed.length;
    const told = changed.slice(0, MAX_TOLD - outcome.changes.length);
    outcome.changes.push(...told.map(({ listing, previous }) => ({ id: listing.id, previous })));
  } catch (error) {
    if (!isRefusedData(error)) throw error;
    if (remapped.length === 1) {
      outcome.errors.push({ id: only[0], error: 'The listing would hold a value that cannot be stored.' });
      return;
    }
    const middle = Math.ceil(remapped.length / 2);
    await storeInHalves(services, remapped.slice(0, middle), how, outcome);
    await storeInHalves(services, remapped.slice(middle), how, outcome);
  }
}

async function storeChunk(
  tx: Tx,
  services: ReimportServices,
  remapped: ReadonlyMap<string, Remapped>,
  { isDry, keep }: How,
): Promise<UpdatePlan[]> {
  const listings = await runStatement<StandingListing>(tx, lockListings, [[...remapped.keys()]]);
  const pairs = listings.flatMap((listing) => {
    const made = remapped.get(listing.id);
    return made && listing.status !== 'deleted' ? [{ listing, record: made.mapped, made }] : [];
  });
  const images = await planImages(tx, services.staticUrl, pairs);
  const goOn = yieldOften();
  const plans: UpdatePlan[] = [];
  for (const { listing, record, made } of pairs) {
    await goOn();
    const plan = images.get(listing.id);
    const next: NextListing = {
      columns: columnsAfterReimport(made, listing),
      boat: replaceBoat(listing.boat, record.boat),
      images: plan?.images ?? null,
      status: listing.status,
    };
    const previous = diffListing(listing, next);
    if (plan) previous['images'] ??= listing.images.length;
    const transition = { status: null, expires_at: null, withdrawn_from: null };
    plans.push({ listing, next, images: plan, transition, previous });
  }
  await keep?.(tx, plans);
  if (!isDry) await writePlans(tx, services, plans, services.clock.now());
  return plans;
}
