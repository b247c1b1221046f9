import { sql } from 'kysely';
import type { Pool } from 'pg';
import { inTransaction, type Database } from '../../db/client.ts';
import type { Storage } from '../adapters/storage.ts';
import type { Catalog } from '../catalog/tree.ts';
import { blockingKeysOf, MAX_BLOCK_SIZE } from '../dedup/blocking.ts';
import { makeFingerprint, type Fingerprint } from '../dedup/fingerprint.ts';
import { readSubjects } from '../dedup/read-subjects.ts';
import { DAY_MS, HOUR_MS, type Clock } from '../kit/clock.ts';
import { BASE_CURRENCY, rateBetween, type ExchangeRates } from '../rates/exchange-rates.ts';
import { readStoredRates } from '../rates/stored-rates.ts';
import type { ScamRules } from '../profiles/profile.ts';
import type { ScamEvidence } from './evidence.ts';
import { findCopiedImages } from './find-copied-images.ts';
import { readGuidance } from './guidance.ts';
import {
  judgeAccount,
  judgeContacts,
  judgeImages,
  judgePriceGap,
  judgeText,
  judgeVelocity,
  type Elsewhere,
} from './signals.ts';

export type EvidenceServices = {
  db: Database;
  pool: Pool;
  storage: Pick<Storage, 'get'>;
  catalog: Catalog;
  clock: Clock;
  profile: { scamRules: ScamRules };
};

/** A member's listing as it is checked. */
export type CheckedListing = {
  id: string;
  version: number;
  seller_id: string;
  title: string;
  description: string;
  category_id: string;
  type: string;
  condition: string;
  price_amount: number;
  price_currency: string;
  created_at: Date;
  member_since: Date;
};

const MAX_ALIKE = 50;

/**
 * The listing, where it is to be checked: what a member offers here. What the marketplace's scrapers brought in and what
 * administrators and moderators offer is not.
 */
export async function readCheckedListing(db: Database, id: string): Promise<CheckedListing | undefined> {
  const { rows } = await sql<CheckedListing>`
    select l.id, l.version, l.seller_id, l.title, l.description, l.category_id, l.type, l.condition, l.price_amount,
      l.price_currency, l.created_at, u.created_at as member_since
    from listings l join users u on u.id = l.seller_id
    where l.id = ${id} and l.status in ('draft', 'active', 'paused', 'flagged') and u.role = 'user'
      and not exists (select from listing_sources s where s.listing_id = l.id and s.scraper_id is not null)`.execute(
    db,
  );
  return rows[0];
}

/** Everything that speaks for a scam in a listing, the heaviest first. Reads only, and may take seconds. */
export async function gatherEvidence(services: EvidenceServices, listing: CheckedListing): Promise<ScamEvidence[]> {
  const { db, pool, clock, profile } = services;
  const now = clock.now();
  const rates = await readStoredRates(pool);
  const [subject] = await inTransaction(db, (tx) => readSubjects(tx, [listing.id]));
  if (!subject) return [];
  const own = makeFingerprint(subject);
  const images = await findCopiedImages(services, listing);
  const alike = await findAlikeTexts(db, own, listing);
  const newSince = new Date(now.getTime() - profile.scamRules.newAccountDays * DAY_MS);
  const named = [...new Set([...images.map(({ listing_id }) => listing_id), ...alike])];
  const others = await readOthers(db, named, { currency: listing.price_currency, rates, newSince });
  const guidance = await readGuidance(services, listing, subject, rates, now);
  const ageDays = (now.getTime() - listing.member_since.getTime()) / DAY_MS;
  const { price_amount: price, price_currency: currency } = listing;
  const worth = Math.max(price, guidance?.median ?? 0) * (rateBetween(rates, currency, BASE_CURRENCY) ?? 0);
  const rules = profile.scamRules;
  const evidence = [
    judgeImages(
      own,
      price,
      images.flatMap(({ sha256, listing_id, changes }) => {
        const other = others.get(listing_id);
        return other ? [{ sha256, other, changes }] : [];
      }),
    ),
    judgePriceGap(price, guidance),
    judgeText(
      own,
      price,
      alike.flatMap((id) => others.get(id) ?? []),
    ),
    judgeContacts(listing),
    judgeVelocity(await countPublished(db, listing.seller_id, new Date(now.getTime() - HOUR_MS)), ageDays, rules),
    judgeAccount(worth, ageDays, rules),
  ];
  return evidence.filter((each) => each !== undefined).toSorted((a, b) => b.weight - a.weight);
}

/** Older listings of others with a band of the description's MinHash signature in common. */
async function findAlikeTexts(db: Database, own: Fingerprint, listing: CheckedListing): Promise<string[]> {
  const keys = blockingKeysOf(own).filter((key) => /^d\d:/.test(key));
  if (keys.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select distinct l.id from unnest(${keys}::text[]) as k (key)
    cross join lateral (select listing_id from dedup_keys d where d.key = k.key limit ${MAX_BLOCK_SIZE}) as held
    join listings l on l.id = held.listing_id
    where l.id <> ${listing.id} and l.seller_id <> ${listing.seller_id} and l.created_at < ${listing.created_at}
      and l.status <> 'deleted'
    limit ${MAX_ALIKE}`.execute(db);
  return rows.map(({ id }) => id);
}

async function readOthers(
  db: Database,
  ids: readonly string[],
  { currency, rates, newSince }: { currency: string; rates: ExchangeRates; newSince: Date },
): Promise<Map<string, Elsewhere>> {
  if (ids.length === 0) return new Map();
  const subjects = await inTransaction(db, (tx) => readSubjects(tx, ids));
  const { rows } = await sql<{ id: string }>`
    select l.id from listings l join users u on u.id = l.seller_id
    where l.id = any(${[...ids]}::text[]) and u.created_at <= ${newSince}`.execute(db);
  const established = new Set(rows.map(({ id }) => id));
  return new Map(
    subjects.map((subject) => {
      const { amount, currency: from = currency } = subject.price ?? {};
      const rate = rateBetween(rates, from, currency);
      const price = amount === undefined || rate === undefined ? undefined : amount * rate;
      const seller = subject.source ?? subject.id;
      const isEstablished = established.has(subject.id) || seller.startsWith('site:');
      return [subject.id, { print: makeFingerprint(subject), seller, isEstablished, price }];
    }),
  );
}

async function countPublished(db: Database, sellerId: string, since: Date): Promise<number> {
  const { count } = await db
    .selectFrom('listings')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('seller_id', '=', sellerId)
    // For what has been published both are the same; an index of sellers has one of them.
    .where('sort_at', '>', since)
    .where('published_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}
