import { sql } from 'kysely';
import type { Clock } from '../kit/clock.ts';
import { notFound } from '../kit/errors.ts';
import { recordEvents } from '../journal/events.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { Seo } from './ask.ts';
import { queueTexts } from './queue.ts';
import { sourceHash } from './source.ts';

type Listing = { id: string };
/** What a person writes; what is left out stays as it is. */
export type Edit = {
  title: string;
  description: string;
  long_description?: string | null;
  seo?: Seo;
};
export type EditedText = {
  locale: string;
  title: string;
  description: string;
  long_description: string | null;
  seo: Seo | null;
  updated_at: Date;
};

/**
 * Stores the text that a person has written for a locked listing in a locale. No rewriting touches it from then on, also none
 * that is under way, and it stays when the listing changes.
 */
export async function editText(
  tx: Tx,
  { jobs, clock }: { jobs: Pick<Jobs, 'enqueue'>; clock: Clock },
  { id }: Listing,
  locale: string,
  edit: Edit,
): Promise<EditedText> {
  const now = clock.now();
  const { title, description, long_description: long, seo } = edit;
  const { rows } = await sql<EditedText>`
    insert into listing_rewrites as r
      (listing_id, locale, status, title, description, long_description, seo, source_hash, tried_hash, edited_by_human, updated_at)
    select l.id, ${locale}, 'completed', ${title}, ${description}, ${long ?? null}, ${seo ? JSON.stringify(seo) : null}::jsonb,
      ${sourceHash('l')}, ${sourceHash('l')}, true, ${now}
    from listings l where l.id = ${id}
    on conflict (listing_id, locale) do update
      set status = excluded.status, title = excluded.title, description = excluded.description,
        long_description = case when ${long === undefined} then r.long_description else excluded.long_description end,
        seo = coalesce(excluded.seo, r.seo), source_hash = excluded.source_hash, tried_hash = excluded.tried_hash,
        edited_by_human = true, error = null, updated_at = excluded.updated_at
    returning locale, title, description, long_description, seo, updated_at`.execute(tx);
  await recordChange(tx, jobs, id, locale, now);
  return rows[0]!;
}

/**
 * Takes the text of a locked listing in a locale away, whoever wrote it: readers get the original again, until it is rewritten
 * anew, which is queued where a provider is there for it. A text that does not exist is 404.
 */
export async function dropText(
  tx: Tx,
  { ai, jobs, clock }: { ai: unknown; jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>; clock: Clock },
  { id }: Listing,
  locale: string,
): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('listing_rewrites')
    .where('listing_id', '=', id)
    .where('locale', '=', locale)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound('text', locale);
  const now = clock.now();
  await recordChange(tx, jobs, id, locale, now);
  if (ai !== undefined) await queueTexts(tx, jobs, { listingIds: [id], locales: [locale], onlyMissing: true }, now);
}

/** The event lets every process forget what it has shown; the search index learns the text. */
async function recordChange(tx: Tx, jobs: Pick<Jobs, 'enqueue'>, id: string, locale: string, now: Date): Promise<void> {
  const data = { listing_id: id, locale };
  await recordEvents(tx, now, [{ type: 'listing.rewritten', subject: id, ownerId: null, data }]);
  await jobs.enqueue(tx, 'index-listing', { listing_ids: [id] });
}
