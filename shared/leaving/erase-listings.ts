import { sql } from 'kysely';
import { withLockedGroup } from '../dedup/lock-group.ts';
import { removeFromGroups } from '../dedup/remove-from-groups.ts';
import { reopen, undoMerge } from '../dedup/unmerge.ts';
import { recordEvents } from '../journal/events.ts';
import { ServiceError } from '../kit/errors.ts';
import { eventColumns, listingEvent } from '../listings/listing-event.ts';
import { imageHashesOf } from '../listings/replace-images.ts';
import { forgetUnusedWords, readVocabulary } from '../search/query/vocabulary.ts';
import type { Tx } from '../queues/jobs.ts';
import type { Erased, EraseServices, EraseStep } from './erase-step.ts';

const BATCH = 20;
/** What is shown of a listing whose seller has left. */
export const DELETED_LISTING = 'Deleted listing';

/** Tables that name a listing without a foreign key. */
const loose = [
  'listing_view_days',
  'listing_visits',
  'search_backlog',
  'search_refusals',
  'refresh_looks',
  'reimport_changes',
  'contact_requests',
  'tracked_events',
] as const;

/**
 * Undoes the merges that listings of the account took part in: the others get back what is theirs, and lose what they were given.
 * Those groups wait for a decision again, without the listings that go.
 */
export async function undoMerges({ db, jobs, clock }: EraseServices, userId: string): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ id: string }>`
      select g.id from dedup_groups g join dedup_members m on m.group_id = g.id join listings l on l.id = m.listing_id
        left join listings kept on kept.id = g.canonical_id
      where l.seller_id = ${userId} and g.status = 'merged'
      order by kept.merged_into is not null, g.id limit 1`.execute(db);
    const [found] = rows;
    if (!found) return;
    try {
      await withLockedGroup({ db }, found.id, async (tx, group) => {
        if (group.status !== 'merged') return;
        const lost = await undoMerge(tx, { db, jobs, clock }, group);
        const own = [...group.listings.values()].filter(({ seller_id }) => seller_id === userId).map(({ id }) => id);
        await reopen(tx, group, [...own, ...lost.map(({ listing_id }) => listing_id)], clock.now());
        await sql`delete from dedup_groups where id = ${group.id}
          and (select count(*) from dedup_members where group_id = ${group.id}) < 2`.execute(tx);
      });
    } catch (error) {
      // Somebody else has dissolved it meanwhile.
      if (!(error instanceof ServiceError && error.code === 'not_found')) throw error;
    }
  }
}

/**
 * Deletes some listings for good, in whatever status, with all that hangs on them; images that nobody else shows follow. Their
 * last event says that they are gone, and nothing else.
 */
export async function eraseListings({ tx, services, userId, after, now }: EraseStep): Promise<Erased> {
  const listings = await tx
    .selectFrom('listings')
    .select(eventColumns)
    .where('seller_id', '=', userId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(BATCH)
    .forUpdate()
    .execute();
  if (listings.length === 0) return { erased: 0 };
  const ids = listings.map(({ id }) => id);
  const sha256 = new Set<string>();
  for (const id of ids) for (const hash of await imageHashesOf(tx, id)) sha256.add(hash);
  const words = await readVocabulary(tx, ids);
  // The triggers of a change of status take them out of counts, suggestions and groups that wait for a decision.
  await tx.updateTable('listings').set({ status: 'deleted', deleted_at: now }).where('id', 'in', ids).execute();
  await removeFromGroups(tx, ids);
  for (const table of loose) await tx.deleteFrom(table).where('listing_id', 'in', ids).execute();
  await sql`delete from tracked_days where event = 'listing_view' and key = any(${ids}::text[])`.execute(tx);
  await sql`delete from analytics_days where event = 'listing_view' and key = any(${ids}::text[])`.execute(tx);
  await sql`delete from suggestion_heads where kind = 'titles' and subjects && ${ids}::text[]`.execute(tx);
  await sql`update conversations set listing_title = ${DELETED_LISTING}, listing_slug = listing_id
    where listing_id = any(${ids}::text[])`.execute(tx);
  await sql`update payments set listing_title = '', listing_slug = '' where listing_id = any(${ids}::text[])`.execute(
    tx,
  );
  await tx.updateTable('listings').set({ merged_into: null }).where('merged_into', 'in', ids).execute();
  await tx.deleteFrom('listings').where('id', 'in', ids).execute();
  await sql`insert into account_leaving_traces (user_id, kind, trace)
    select ${userId}, 'candidate', word from unnest(${words}::text[]) as word on conflict do nothing`.execute(tx);
  const gone = listings.filter(({ status }) => status !== 'deleted');
  const nobodys = { title: DELETED_LISTING, status: 'deleted', price_amount: 0 };
  const events = gone.map((each) => listingEvent('listing.deleted', { ...each, ...nobodys, slug: each.id }));
  await recordEvents(tx, now, events);
  await services.jobs.enqueue(tx, 'index-listing', { listing_ids: ids });
  if (sha256.size > 0) await services.jobs.enqueue(tx, 'delete-pictures', { sha256: [...sha256] });
  return { erased: ids.length, next: ids.at(-1) };
}

const WORDS = 200;

/**
 * Forgets the words that only the listings of the account had, and at last their brands; digests of them tell which searches were
 * for these.
 */
export async function eraseWords({ tx, userId }: EraseStep): Promise<Erased> {
  const { rows } = await sql<{ word: string }>`
    delete from account_leaving_traces where user_id = ${userId} and kind = 'candidate' and trace in (
      select trace from account_leaving_traces where user_id = ${userId} and kind = 'candidate' limit ${WORDS})
    returning trace as word`.execute(tx);
  if (rows.length === 0) {
    await forgetUnusedBrands(tx);
    return { erased: 0 };
  }
  const unused = await forgetUnusedWords(
    tx,
    rows.map(({ word }) => word),
  );
  await sql`insert into account_leaving_traces (user_id, kind, trace)
    select ${userId}, 'word', md5(lower(unaccent(word))) from unnest(${unused}::text[]) as word on conflict do nothing`.execute(
    tx,
  );
  return { erased: unused.length, next: 'more' };
}

/** Forgets all words that no listing has any more: nothing tells which of them earlier texts of the account's listings had. */
export async function sweepVocabulary({ tx, after }: EraseStep): Promise<Erased> {
  const { rows } = await sql<{ word: string }>`
    select word from search_words where word > ${after} order by word limit ${WORDS}`.execute(tx);
  const words = rows.map(({ word }) => word);
  if (words.length === 0) return { erased: 0 };
  return { erased: (await forgetUnusedWords(tx, words)).length, next: words.at(-1) };
}

/** All that no price has: of listings that were hidden, or had another brand, nothing tells any more which brands were theirs. */
const forgetUnusedBrands = (tx: Tx) =>
  sql`delete from listing_price_brands b where not exists (select from listing_prices p where p.brand = b.brand)`.execute(
    tx,
  );
