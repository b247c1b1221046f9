import { addMilliseconds, type Clock } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';
import { conflict, notFound } from '../kit/errors.ts';
import { isId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { Profile } from '../profiles/profile.ts';
import { changeListing } from './change.ts';
import { LISTING_LIFE_MS } from './create.ts';
import { notSold } from './lifecycle.ts';
import { eventColumns, type EventListing } from './listing-event.ts';
import { mailStatus } from './status-mail.ts';

type Dependencies = {
  jobs: Pick<Jobs, 'enqueue'>;
  clock: Clock;
  profile: Pick<Profile, 'sendsStatusEmails'>;
  config: Pick<Config, 'site'>;
};

const undecided = new Set(['flagged', 'draft']);

/**
 * Makes a flagged listing or a draft public, settles the doubts about it, and mails its owner where the profile does. Its
 * first date of publication stays, and its expiry while that lies ahead. 404 for an unknown one, 409 in any other status.
 */
export async function approveListing(tx: Tx, services: Dependencies, idOrSlug: string): Promise<EventListing> {
  const { jobs, clock } = services;
  const listing = await lockUndecided(tx, idOrSlug);
  const now = clock.now();
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
  await mailStatus(tx, services, listing, 'listing-approved', now);
  return approved;
}

/**
 * Deletes a flagged listing or a draft softly, whatever the profile, keeps the reason with it for administrators and mails it
 * to the owner. 404 for an unknown one, 409 in any other status.
 */
export async function rejectListing(
  tx: Tx,
  services: Dependencies,
  idOrSlug: string,
  reason?: string,
): Promise<EventListing> {
  const { jobs, clock } = services;
  const listing = await lockUndecided(tx, idOrSlug);
  const now = clock.now();
  const reasons = [{ code: 'rejected', message: reason ?? 'An administrator has rejected the listing.' }];
  const rejected = await changeListing(tx, { jobs, clock: { now: () => now } }, listing, {
    event: 'listing.deleted',
    set: { status: 'deleted', deleted_at: now, moderation: JSON.stringify({ verdict: 'reject', reasons }) },
  });
  await jobs.enqueue(tx, 'send-email', {
    message_id: `listing-rejected.${listing.id}`,
    template: 'listing-rejected',
    user_id: listing.seller_id,
    data: { title: listing.title, ...(reason !== undefined && { reason }) },
  });
  return rejected;
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
  if (!undecided.has(listing.status))
    throw conflict(`Only flagged listings and drafts are approved or rejected; this one is ${listing.status}.`);
  return listing;
}
