import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { inTransaction } from '../../db/client.ts';
import { addMilliseconds, type Clock } from '../kit/clock.ts';
import { recordEvents } from '../journal/events.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { moderate, type ModeratedText, type Moderation, type ModerationRules } from '../moderation/moderate.ts';
import { yieldOften } from '../kit/turns.ts';
import { LISTING_LIFE_MS } from './create.ts';
import { eventColumns, listingEvent, type EventListing } from './listing-event.ts';

export type Unpublished = { id: string; reason: string };
export type PublishOutcome = { published: number; failed: Unpublished[]; skipped: Unpublished[] };

type Publisher = { jobs: Pick<Jobs, 'enqueue'>; clock: Clock };
type JudgingPublisher = Publisher & { profile: { moderation: ModerationRules } };
/** Whose drafts may be published: one seller's, or everybody's; `countPublications` may refuse a transaction by what it publishes. */
export type PublishScope = {
  sellerId: string | undefined;
  countPublications?: (tx: Tx, count: number) => Promise<void>;
};

type Candidate = {
  id: string;
  slug: string;
  seller_id: string;
  status: string;
  title: string;
  description: string;
  tags: string[];
  category_id: string;
  price_amount: number;
  images: number;
  require_images: boolean;
  withdrawn: boolean;
  owner_suspended: boolean;
};

const CHUNK = 1_000;

/** What moderation reads of a stored listing. */
export function moderatedText(
  listing: Pick<Candidate, 'title' | 'description' | 'tags' | 'category_id' | 'price_amount'>,
): ModeratedText {
  const { title, description, tags, category_id: category, price_amount: amount } = listing;
  return { title, description, tags, category, price: { amount } };
}

/** The judgement by rules that a listing needs before it becomes public. */
export function moderateListing(listing: Parameters<typeof moderatedText>[0], rules: ModerationRules): Moderation {
  return moderate(moderatedText(listing), rules);
}

/** What moderation reads of a listing, and when it was first public. */
export function readModerated(tx: Tx, id: string) {
  return tx
    .selectFrom('listings')
    .select(['title', 'description', 'tags', 'category_id', 'price_amount', 'published_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/**
 * Publishes those of the listings that are drafts, with their events and index jobs, in the caller's transaction; answers
 * what it changed. The guard on the status lets one of several parallel calls have a draft. `published_at` is set once,
 * `expires_at` anew, and the judgements that come with the ids take the place of earlier ones.
 */
export async function setPublished(
  tx: Tx,
  { jobs, clock }: Publisher,
  judged: ReadonlyMap<string, Moderation>,
): Promise<EventListing[]> {
  if (judged.size === 0) return [];
  const now = clock.now();
  const doubtful = [...judged].filter(([, { verdict }]) => verdict !== 'accept');
  const doubts = JSON.stringify(Object.fromEntries(doubtful));
  const published = await tx
    .updateTable('listings')
    .set((eb) => ({
      status: 'active',
      published_at: eb.fn.coalesce('published_at', eb.val(now)),
      expires_at: addMilliseconds(now, LISTING_LIFE_MS),
      updated_at: now,
      version: sql`version + 1`,
      moderation: sql<string | null>`${doubts}::jsonb -> id`,
    }))
    .where('id', '=', sql<string>`any(${[...judged.keys()]}::text[])`)
    .where('status', '=', 'draft')
    .returning(eventColumns)
    .execute();
  await recordEvents(
    tx,
    now,
    published.map((listing) => listingEvent('listing.published', listing, { status: 'draft' })),
  );
  if (published.length > 0) await jobs.enqueue(tx, 'index-listing', { listing_ids: published.map(({ id }) => id) });
  return published;
}

/**
 * Publishes the drafts among these ids (or slugs), a thousand per transaction and none of them row by row. What is not a
 * draft is skipped, and so is what its page has withdrawn; what does not exist in the scope, what moderation rejects and what
 * lacks the images that its scraper demands has failed. Neither stops the others. An interrupted call is completed by repeating
 * it. In a unit of work the last thousand are part of the unit.
 */
export async function publishDrafts(
  services: JudgingPublisher & { db: Database },
  ids: readonly string[],
  scope: PublishScope,
  signal?: AbortSignal,
): Promise<PublishOutcome> {
  const outcome: PublishOutcome = { published: 0, failed: [], skipped: [] };
  const wanted = [...new Set(ids)];
  for (let start = 0; start < wanted.length; start += CHUNK) {
    signal?.throwIfAborted();
    const chunk = wanted.slice(start, start + CHUNK);
    const autonomous = start + CHUNK < wanted.length;
    const part = await inTransaction(services.db, (tx) => publishChunk(tx, services, chunk, scope), { autonomous });
    outcome.published += part.published;
    outcome.failed.push(...part.failed);
    outcome.skipped.push(...part.skipped);
  }
  return outcome;
}

async function publishChunk(
  tx: Tx,
  publisher: JudgingPublisher,
  wanted: readonly string[],
  { sellerId, countPublications }: PublishScope,
): Promise<PublishOutcome> {
  const found = await lockCandidates(tx, wanted);
  const byName = new Map(
    found.flatMap((listing) => [[listing.id, listing] as const, [listing.slug, listing] as const]),
  );
  const failed: Unpublished[] = [];
  const skipped: Unpublished[] = [];
  const ready = new Map<string, Moderation>();
  const judged_at = publisher.clock.now().toISOString();
  const goOn = yieldOften();
  for (const name of wanted) {
    await goOn();
    const listing = byName.get(name);
    const isHidden =
      !listing || listing.status === 'deleted' || (sellerId !== undefined && listing.seller_id !== sellerId);
    if (isHidden) failed.push({ id: name, reason: 'There is no such listing of yours.' });
    else if (listing.status !== 'draft')
      skipped.push({ id: name, reason: `The listing is not a draft, it is ${listing.status}.` });
    else if (listing.withdrawn)
      skipped.push({ id: name, reason: 'Its page is gone, or says that its thing cannot be had.' });
    else {
      const moderation = moderateListing(listing, publisher.profile.moderation);
      const objection = findObjection(listing, moderation);
      if (objection === undefined) ready.set(listing.id, { ...moderation, judged_at });
      else failed.push({ id: name, reason: objection });
    }
  }
  const published = await setPublished(tx, publisher, ready);
  await countPublications?.(tx, published.length);
  return { published: published.length, failed, skipped };
}

function findObjection(listing: Candidate, { verdict, reasons }: Moderation): string | undefined {
  if (listing.owner_suspended) return 'Its seller is suspended.';
  if (listing.require_images && listing.images === 0) return 'The listing has no images, and its scraper demands some.';
  return verdict === 'reject' ? `Moderation: ${reasons.map(({ message }) => message).join(' ')}` : undefined;
}

/** In the order of their ids, so that two overlapping calls wait for each other rather than deadlock. */
async function lockCandidates(tx: Tx, names: readonly string[]): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select l.id, l.slug, l.seller_id, l.status, l.title, l.description, l.tags, l.category_id, l.price_amount,
           jsonb_array_length(l.images) as images, coalesce(sc.require_images, false) as require_images,
           s.withdrawn_at is not null as withdrawn,
           u.disabled_at is not null and s.scraper_id is null as owner_suspended
    from listings l join users u on u.id = l.seller_id
    left join listing_sources s on s.listing_id = l.id
    left join scrapers sc on sc.id = s.scraper_id
    where l.id = any(${names}::text[]) or l.slug = any(${names}::text[])
    order by l.id
    for update of l`.execute(tx);
  return rows;
}
