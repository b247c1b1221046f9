import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';
import { isOtherModel, findContradiction } from './agreement.ts';
import { sharedImages, SAME_BITS } from './image-hashes.ts';
import { makeFingerprint, type Fingerprint, type Traits } from './fingerprint.ts';
import { isOtherObject, MIN_PROVING_IMAGES, findProofs, type Proof } from './proof.ts';
import { readSubjects } from './read-subjects.ts';

/** How many other listings are asked whether a number, a text or an image is theirs too. */
const MAX_OTHERS = 200;

type Pair = readonly [Fingerprint, Fingerprint];

/**
 * The listings that nothing proves to be one object with the kept one: the gate of every automatic merge, whatever the
 * score. Reads them as they are in this transaction, each against the kept one alone.
 */
export async function findUnproven(tx: Tx, keptId: string, otherIds: readonly string[]): Promise<string[]> {
  const prints = await readPrints(tx, [keptId, ...otherIds]);
  const kept = prints.get(keptId);
  const unproven: string[] = [];
  for (const id of otherIds) {
    const other = prints.get(id);
    if (!kept || !other || !(await isProven(tx, [kept, other]))) unproven.push(id);
  }
  return unproven;
}

async function isProven(tx: Tx, pair: Pair): Promise<boolean> {
  const [a, b] = pair;
  for (const proof of findProofs(a, b, sharedImages(a.images ?? [], b.images ?? []).length))
    if (await holds[proof](tx, pair)) return true;
  return false;
}

const holds: Record<Proof, (tx: Tx, pair: Pair) => Promise<boolean>> = {
  same_hull_id: isOneNumber,
  same_text: isOwnText,
  same_images: areOwnImages,
};

/** A number that stands in listings of clearly different makes, models, years or lengths is none of an object. */
async function isOneNumber(tx: Tx, pair: Pair): Promise<boolean> {
  const holders = await readOthers(tx, pair, sql`select listing_id from dedup_prints where serial = ${pair[0].serial}`);
  return !holders.some((holder) =>
    pair.some((one) => isOtherModel(holder, one) || findContradiction(holder, one) !== undefined),
  );
}

/** Particulars that the seller tells of other objects too are a banner's; at least one has to be left. */
async function isOwnText(tx: Tx, pair: Pair): Promise<boolean> {
  const sellers = pair[0].sellers ?? [];
  const others = await readOthers(
    tx,
    pair,
    sql`select listing_id from dedup_prints where print -> 'sellers' ?| ${sellers}::text[]`,
  );
  const common = new Set(
    others.filter((other) => isOtherObject(other, pair)).flatMap((other) => other.particulars ?? []),
  );
  return (pair[0].particulars ?? []).some((each) => !common.has(each));
}

/** Images that stand in listings of other objects are a maker's, a dealer's or a portal's; enough others have to be left. */
async function areOwnImages(tx: Tx, pair: Pair): Promise<boolean> {
  const [a, b] = pair;
  let own = 0;
  for (const hash of sharedImages(a.images ?? [], b.images ?? [])) {
    const others = await readOthers(tx, pair, showing(hash));
    if (!others.some((other) => isOtherObject(other, pair))) own += 1;
  }
  return own >= MIN_PROVING_IMAGES;
}

const showing = (hash: string) => sql`
  select u.subject as listing_id from images i join picture_uses u using (sha256),
    (select ('x' || ${hash}::text)::bit(64)::bigint as dhash) as wanted
  where dhash_quarters(i.dhash) && dhash_quarters(wanted.dhash)
    and bit_count((i.dhash # wanted.dhash)::bit(64)) <= ${SAME_BITS}`;

/** Other listings than the two that a query names, as they are now; those that were deleted count for nothing. */
async function readOthers(tx: Tx, pair: Pair, query: ReturnType<typeof sql>): Promise<Traits[]> {
  const own = pair.map(({ id }) => id);
  const { rows } = await sql<{ id: string }>`
    select l.id from (select distinct listing_id from (${query}) as found) as named join listings l on l.id = named.listing_id
    where l.id <> all(${own}::text[]) and l.status <> 'deleted' order by l.id limit ${MAX_OTHERS}`.execute(tx);
  const prints = await readPrints(
    tx,
    rows.map(({ id }) => id),
  );
  return [...prints.values()];
}

async function readPrints(tx: Tx, ids: readonly string[]): Promise<Map<string, Fingerprint>> {
  return new Map((await readSubjects(tx, ids)).map((subject) => [subject.id, makeFingerprint(subject)]));
}
