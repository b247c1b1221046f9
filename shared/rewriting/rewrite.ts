import { sql } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import { AiError } from '../adapters/ai-error.ts';
import type { Ai } from '../adapters/ai.ts';
import type { Clock } from '../kit/clock.ts';
import { recordEvents } from '../journal/events.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { askForTexts, type Rewritten } from './ask.ts';
import { readSource, shownHash, sourceHash, type Source } from './source.ts';
import { MAX_ERROR_LENGTH } from '../kit/errors.ts';

type Dependencies = { db: Database; clock: Clock; ai: Ai | undefined; jobs: Pick<Jobs, 'enqueue'> };
export type Text = { listingId: string; locale: string };
/** `kept`: there was nothing to do. `gone`: there is no such listing any more. */
export type RewriteOutcome = 'completed' | 'failed' | 'skipped' | 'kept' | 'gone';

/** How often a text is begun again that its seller changes meanwhile. */
const TRIES = 3;

/**
 * Brings the rewritten text of a listing in one locale up to date with the listing. One that was made from the listing as it
 * stands, or edited by a person, is kept; the old one is shown until the new one is stored, and no text is stored that the
 * listing has left behind meanwhile. An unusable answer marks the text as failed; a provider in trouble throws its AiError, and
 * leaves the text pending. Without a provider the text is skipped.
 */
export async function rewriteText(services: Dependencies, text: Text, signal: AbortSignal): Promise<RewriteOutcome> {
  const { db, ai } = services;
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const source = await readSource(db, text.listingId);
    if (!source) return 'gone';
    if (!(await begin(services, text, source))) return 'kept';
    if (!ai) return 'skipped';
    try {
      const made = await askForTexts(ai, source, text.locale, signal);
      const outcome = await store(services, text, source, made);
      if (outcome !== 'outdated') return outcome;
    } catch (error) {
      const { status, message } = faultOf(error);
      await settle(services, text, { from: 'processing', to: status, error: message });
      if (status !== 'failed') throw error;
      return 'failed';
    }
  }
  throw new Error('the listing changes faster than it is rewritten');
}

/** Notes a last try that did not succeed; the text waits for the next change of its listing, or for an admin. */
export function giveTextUp(services: Dependencies, text: Text): Promise<void> {
  return settle(services, text, { from: 'pending', to: 'failed' });
}

async function settle(
  { db, clock }: Dependencies,
  { listingId, locale }: Text,
  { from, to, error }: { from: string; to: string; error?: string },
): Promise<void> {
  await db
    .updateTable('listing_rewrites')
    .set({
      status: to,
      updated_at: clock.now(),
      ...(error !== undefined && { error: error.slice(0, MAX_ERROR_LENGTH) }),
    })
    // A text that is out of date and cannot be had anew gives way to the original.
    .$if(to === 'failed', (update) =>
      update.set({ source_hash: sql`case when source_hash = tried_hash then source_hash end` }),
    )
    .where('listing_id', '=', listingId)
    .where('locale', '=', locale)
    .where('status', '=', from)
    .where('edited_by_human', '=', false)
    .execute();
}

function faultOf(error: unknown): { status: 'failed' | 'pending'; message: string } {
  if (error instanceof AiError)
    return { status: error.failure === 'unusable' ? 'failed' : 'pending', message: error.message };
  return { status: 'pending', message: 'The rewriting was interrupted.' };
}

/** Takes the text on; false when it needs nothing. */
async function begin({ db, clock, ai }: Dependencies, { listingId, locale }: Text, { hash }: Source): Promise<boolean> {
  const status = ai ? 'processing' : 'skipped';
  const { rows } = await sql`
    insert into listing_rewrites as r (listing_id, locale, status, attempts, tried_hash, updated_at)
    select id, ${locale}, ${status}, 1, ${hash}, ${clock.now()} from listings where id = ${listingId}
    on conflict (listing_id, locale) do update
      set status = excluded.status, attempts = r.attempts + 1, tried_hash = excluded.tried_hash, error = null,
        updated_at = excluded.updated_at, source_hash = ${shownHash('r')}
      where not r.edited_by_human and (r.status <> 'completed' or r.source_hash is distinct from ${hash})
    returning 1`.execute(db);
  return rows.length > 0;
}

/**
 * `outdated` when the listing says something else by now, `kept` when a person has written the text meanwhile. The event lets
 * every process forget what it has shown.
 */
function store(
  { db, clock, jobs }: Dependencies,
  text: Text,
  source: Source,
  made: Rewritten,
): Promise<'completed' | 'kept' | 'outdated'> {
  return inTransaction(db, async (tx) => {
    if (!(await isCurrent(tx, source))) return 'outdated';
    const now = clock.now();
    const { numUpdatedRows } = await tx
      .updateTable('listing_rewrites')
      .set({
        status: 'completed',
        title: made.title,
        description: made.description,
        long_description: made.longDescription,
        seo: JSON.stringify(made.seo),
        source_hash: source.hash,
        error: null,
        updated_at: now,
      })
      .where('listing_id', '=', text.listingId)
      .where('locale', '=', text.locale)
      .where('edited_by_human', '=', false)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return 'kept';
    const data = { listing_id: source.id, locale: text.locale };
    await recordEvents(tx, now, [{ type: 'listing.rewritten', subject: source.id, ownerId: null, data }]);
    await jobs.enqueue(tx, 'index-listing', { listing_ids: [source.id] });
    return 'completed';
  });
}

async function isCurrent(tx: Tx, { id, hash }: Source): Promise<boolean> {
  const { rows } = await sql<{ hash: Buffer }>`
    select ${sourceHash('l')} as hash from listings l where l.id = ${id} for share`.execute(tx);
  return rows[0]?.hash.equals(hash) ?? false;
}
