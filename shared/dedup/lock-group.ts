import { sql } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import type { Clock } from '../kit/clock.ts';
import { conflict, notFound } from '../kit/errors.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { eventColumns, type EventListing } from '../listings/listing-event.ts';
import { isUniqueViolation } from '../kit/postgres-errors.ts';

export type DecideServices = { db: Database; jobs: Pick<Jobs, 'enqueue'>; clock: Clock };

/** A group with its listings, all of them locked; one that is gone for good is not among them. */
export type LockedGroup = {
  id: string;
  status: string;
  canonicalId: string | null;
  resolvedBy: string | null;
  undo: unknown;
  isUnmerged: boolean;
  members: string[];
  listings: Map<string, EventListing>;
};

/** The group grew while its listings were being locked: try again. */
class GroupGrown extends Error {}

const MAX_TRIES = 5;
/** Unique constraints that a concurrent insert may violate while rows are moved: try again. */
const racing = ['conversations_one_per_parties', 'reviews_one_per_listing', 'listings_one_per_content'];

/**
 * Runs a decision about a group in one transaction that locks its listings in the order of their ids, then the group, so
 * that decisions about overlapping groups and changes of its listings cannot deadlock. 404 for a group that does not exist,
 * or that its listings have left.
 */
export async function withLockedGroup<T>(
  { db }: Pick<DecideServices, 'db'>,
  groupId: string,
  work: (tx: Tx, group: LockedGroup) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await inTransaction(db, async (tx) => work(tx, await lockGroup(tx, groupId)));
    } catch (error) {
      const isRace = error instanceof GroupGrown || racing.some((index) => isUniqueViolation(error, index));
      if (!isRace || tries === MAX_TRIES) throw error;
    }
  }
}

async function lockGroup(tx: Tx, groupId: string): Promise<LockedGroup> {
  const before = await readGroup(tx, groupId);
  const wanted = [...before.members, ...(before.canonicalId === null ? [] : [before.canonicalId])];
  const listings: EventListing[] = await tx
    .selectFrom('listings')
    .select(eventColumns)
    .where('id', '=', sql<string>`any(${wanted}::text[])`)
    .orderBy('id')
    .forUpdate()
    .execute();
  const group = await readGroup(tx, groupId, true);
  if (group.members.some((id) => !before.members.includes(id))) throw new GroupGrown();
  return { ...group, listings: new Map(listings.map((listing) => [listing.id, listing])) };
}

async function readGroup(tx: Tx, groupId: string, isLocking = false) {
  const found = tx
    .selectFrom('dedup_groups')
    .select(['id', 'status', 'canonical_id', 'resolved_by', 'undo', 'unmerged_at'])
    .where('id', '=', groupId);
  const group = await (isLocking ? found.forUpdate() : found).executeTakeFirst();
  if (!group) throw notFound('group of duplicates', groupId);
  const members = await tx
    .selectFrom('dedup_members')
    .select('listing_id')
    .where('group_id', '=', groupId)
    .orderBy('listing_id')
    .execute();
  return {
    id: group.id,
    status: group.status,
    canonicalId: group.canonical_id,
    resolvedBy: group.resolved_by,
    undo: group.undo as unknown,
    isUnmerged: group.unmerged_at !== null,
    members: members.map(({ listing_id }) => listing_id),
  };
}

/** 409 unless the group waits for a decision. */
export function requireUndecided({ status }: LockedGroup): void {
  if (status !== 'detected') throw conflict(`The group is ${status} already.`);
}
