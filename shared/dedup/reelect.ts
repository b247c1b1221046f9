import { sql } from 'kysely';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { JournalEntry } from '../journal/reader.ts';
import { readCandidates } from './canonical.ts';
import { withLockedGroup, type DecideServices } from './lock-group.ts';
import { mergeLocked, Unproven } from './merge.ts';
import { reopen, undoMerge } from './unmerge.ts';

const endings = new Set(['listing.deleted', 'listing.expired']);

/** Queues, in the reader's transaction, a new election for groups whose kept listing these events have ended. */
export async function queueReelections(
  { jobs }: { jobs: Pick<Jobs, 'enqueueAll'> },
  tx: Tx,
  events: readonly JournalEntry[],
): Promise<void> {
  const ended = events.filter(({ type }) => endings.has(type)).map(({ subject }) => subject);
  if (ended.length === 0) return;
  const { rows } = await sql<{ id: string }>`
    select id from dedup_groups where canonical_id = any(${ended}::text[]) and status = 'merged'`.execute(tx);
  await jobs.enqueueAll(
    tx,
    'dedup-reelect',
    rows.map(({ id }) => ({ payload: { group_id: id } })),
  );
}

/**
 * Where the kept listing of a merged group was deleted or has expired, keeps the best of the others in its place, and the rest
 * merged into that; a group of one is no group any more, and its listing is back. One that nobody has decided about waits for
 * a decision with all of its listings back, where nothing proves the others to be one with the best. Anything else is left alone.
 */
export async function reelectCanonical(
  services: DecideServices,
  groupId: string,
): Promise<{ canonical_id: string | null }> {
  return withLockedGroup(services, groupId, async (tx, group) => {
    if (group.status !== 'merged' || !(await isEnded(tx, group.canonicalId)))
      return { canonical_id: group.canonicalId };
    const notRestored = await undoMerge(tx, services, group);
    const members = group.members.filter(
      (id) => id !== group.canonicalId && !notRestored.some(({ listing_id }) => listing_id === id),
    );
    const left = (await readCandidates(tx, members, services.clock.now())).map(({ id }) => id);
    if (left.length < 2) {
      await tx.deleteFrom('dedup_groups').where('id', '=', groupId).execute();
      return { canonical_id: left[0] ?? null };
    }
    await sql`delete from dedup_members where group_id = ${groupId} and listing_id <> all(${left}::text[])`.execute(tx);
    try {
      await mergeLocked(tx, services, { ...group, members: left }, { canonicalId: undefined, by: group.resolvedBy });
    } catch (error) {
      if (!(error instanceof Unproven)) throw error;
      await reopen(tx, { ...group, members: left }, [], services.clock.now());
    }
    const { canonical_id } = await tx
      .selectFrom('dedup_groups')
      .select('canonical_id')
      .where('id', '=', groupId)
      .executeTakeFirstOrThrow();
    return { canonical_id };
  });
}

async function isEnded(tx: Tx, id: string | null): Promise<boolean> {
  const kept = await tx
    .selectFrom('listings')
    .select(['status', 'merged_into'])
    .where('id', '=', id)
    .executeTakeFirst();
  return !kept || kept.status === 'expired' || (kept.status === 'deleted' && kept.merged_into === null);
}
