import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';
import type { EventListing } from '../listings/listing-event.ts';

/** What users have attached to a listing and a merge has moved, as it was; times as PostgreSQL writes them. */
export type Attachments = {
  /** `moved` is false where the user kept the other listing, too. */
  favorites: { user_id: string; created_at: string; moved: boolean }[];
  conversations: { id: string; title: string; slug: string }[];
  reviews: string[];
};

/**
 * Moves favorites, conversations and reviews of one listing to another. Where the other one has its own already (a favorite
 * of that user, a review by them, a conversation of the same two), a favorite is dropped, and anything else stays.
 */
export async function moveAttachments(tx: Tx, from: EventListing, to: EventListing): Promise<Attachments> {
  const { rows: favorites } = await sql<Attachments['favorites'][number]>`
    with gone as (delete from favorites where listing_id = ${from.id} returning user_id, created_at),
    kept as (
      insert into favorites (user_id, listing_id, created_at) select user_id, ${to.id}, created_at from gone order by user_id
      on conflict do nothing returning user_id)
    select gone.user_id, gone.created_at::text, kept.user_id is not null as moved
    from gone left join kept on kept.user_id = gone.user_id order by gone.user_id`.execute(tx);
  const { rows: conversations } = await sql<Attachments['conversations'][number]>`
    with before as (
      select c.id, c.listing_title as title, c.listing_slug as slug from conversations c
      where c.listing_id = ${from.id} and c.buyer_id <> ${to.seller_id} and not exists (
        select from conversations o where o.listing_id = ${to.id} and o.buyer_id = c.buyer_id and o.seller_id = c.seller_id)
      order by c.id for update)
    update conversations c set listing_id = ${to.id}, listing_title = ${to.title}, listing_slug = ${to.slug}
    from before where c.id = before.id returning before.id, before.title, before.slug`.execute(tx);
  const { rows: reviews } = await sql<{ id: string }>`
    update reviews r set listing_id = ${to.id}
    where r.listing_id = ${from.id} and r.reviewer_id <> ${to.seller_id}
      and not exists (select from reviews o where o.listing_id = ${to.id} and o.reviewer_id = r.reviewer_id)
    returning r.id`.execute(tx);
  return { favorites, conversations, reviews: reviews.map(({ id }) => id) };
}

/**
 * Gives a listing back what was moved from it, to `from`. What is no longer there stays gone: a favorite that its user has
 * dropped meanwhile, unless it went with the whole listing.
 */
export async function returnAttachments(
  tx: Tx,
  { favorites, conversations, reviews }: Attachments,
  { from, to, isGone }: { from: string; to: string; isGone: boolean },
): Promise<void> {
  await sql`
    with before as (
      select * from jsonb_to_recordset(${JSON.stringify(favorites)}::jsonb) as b (user_id text, created_at timestamptz, moved boolean)),
    still as (
      select b.* from before b where exists (select from users u where u.id = b.user_id)
        and (${isGone} or exists (select from favorites f where f.user_id = b.user_id and f.listing_id = ${from}))),
    gone as (
      delete from favorites f using still s where f.user_id = s.user_id and f.listing_id = ${from} and s.moved)
    insert into favorites (user_id, listing_id, created_at) select user_id, ${to}, created_at from still order by user_id
    on conflict do nothing`.execute(tx);
  await sql`
    update conversations c set listing_id = ${to}, listing_title = b.title, listing_slug = b.slug
    from jsonb_to_recordset(${JSON.stringify(conversations)}::jsonb) as b (id text, title text, slug text)
    where c.id = b.id and c.listing_id = ${from}`.execute(tx);
  await sql`
    update reviews set listing_id = ${to} where id = any(${reviews}::text[]) and listing_id = ${from}`.execute(tx);
}
