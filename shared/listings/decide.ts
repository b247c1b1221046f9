import { sql } from 'kysely';
import { addMilliseconds, type Clock } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';
import { conflict, notFound } from '../kit/errors.ts';
import { isId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { Profile } from '../profiles/profile.ts';
import { findOpenReports, recordDecision } from '../notices/decisions.ts';
import { liftNotices } from '../notices/notices.ts';
import { changeListing } from './change.ts';
import { LISTING_LIFE_MS } from './create.ts';
import { notSold } from './lifecycle.ts';
import { eventColumns, type EventListing } from './listing-event.ts';
import { mailStatus } from './status-mail.ts';
import { removeSoftly } from './take-down.ts';

type Dependencies = {
  jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>;
  clock: Clock;
  profile: Pick<Profile, 'sendsStatusEmails'>;
  config: Pick<Config, 'site'>;
};

const undecided = new Set(['flagged', 'draft']);

/**
 * Makes a flagged listing or a draft public, settles the doubts and reports about it, and mails its owner where the profile does. Its
 * first date of publication stays, and its expiry while that lies ahead. One that is public although it was reported stays so.
 * 404 for an unknown one, 409 in any other status.
 */
export async function approveListing(tx: Tx, services: Dependencies, idOrSlug: string): Promise<EventListing> {
  const { jobs, clock } = services;
  const listing = await lockUndecided(tx, idOrSlug);
  const now = clock.now();
  if (listing.status !== 'draft')
    await recordDecision(tx, services, { type: 'listing', id: listing.id }, { action: 'dismiss' });
  await liftNotices(tx, listing.id, now, ['listing_hidden']);
  if (!undecided.has(listing.status)) return listing;
  const isKnown = listing.published_at !== null;
  const approved = await changeListing(tx, { jobs, clock: { now: () => now } }, listing, {
    event: isKnown ? 'listing.updated' : 'listing.published',
    set: {
      status: 'active',
      published_at: listing.published_at ?? now,
      expires_at: isKnown && listing.expires_at > now ? listing.expires_at : addMilliseconds(now, LISTING_LIFE_MS),
      ...notSold,
      moderation: null,
    },
  });
  await clearScamEvidence(tx, listing.id);
  await mailStatus(tx, services, listing, 'listing-approved', { occasion: now });
  return approved;
}

/**
 * Deletes a flagged or reported listing or a draft softly, whatever the profile, keeps the reason with it for administrators and mails it
 * to the owner. 404 for an unknown one, 409 in any other status.
 */
export async function rejectListing(
  tx: Tx,
  services: Dependencies,
  idOrSlug: string,
  reason?: string,
): Promise<EventListing> {
  return removeSoftly(tx, services, await lockUndecided(tx, idOrSlug), {
    reason,
    messageId: ({ id }) => `listing-rejected.${id}`,
    tells: true,
  });
}

/** What spoke for a scam when somebody approved the listing counts no more. */
async function clearScamEvidence(tx: Tx, listingId: string): Promise<void> {
  await sql`
    update scam_checks set score = 0, cleared = array(
      select distinct key from (
        select unnest(cleared) as key
        union all select jsonb_array_elements_text(each -> 'keys') from jsonb_array_elements(evidence) as e (each)) as keys)
    where listing_id = ${listingId}`.execute(tx);
}

/** The lock lets the first of several decisions find the listing undecided, and the others what it has become. */
async function lockUndecided(tx: Tx, idOrSlug: string) {
  const listing = await tx
    .selectFrom('listings')
    .select([...eventColumns, 'published_at', 'expires_at'])
    .where(isId('listing', idOrSlug) ? 'id' : 'slug', '=', idOrSlug)
    .forUpdate()
    .executeTakeFirst();
  if (!listing) throw notFound('listing', idOrSlug);
  if (undecided.has(listing.status)) return listing;
  const reports = listing.status === 'deleted' ? [] : await findOpenReports(tx, { type: 'listing', id: listing.id });
  if (reports.length === 0)
    throw conflict(
      `Only drafts and what is flagged or reported are approved or rejected; this one is ${listing.status}.`,
    );
  return listing;
}
