import { isDeepStrictEqual } from 'node:util';
import { addMilliseconds } from '../../shared/kit/clock.ts';
import { conflict } from '../../shared/kit/errors.ts';
import { selectListing } from '../../shared/listings/card.ts';
import { moderatedText, readModerated, setPublished } from '../../shared/listings/publish.ts';
import { requireAccepted } from '../../shared/listings/rules.ts';
import { mailStatus } from '../../shared/listings/status-mail.ts';
import { RevisionSuperseded } from '../../shared/listings/update.ts';
import { judgeListing } from '../../shared/moderation/judge.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import type { Services } from '../services.ts';
import { changeOwnListing } from './change-own.ts';
import { countPublications } from './count-publications.ts';
import { retryRaces } from './update.ts';

/** By then the check for scams has looked at the listing: one that it hides is not called online. */
const CHECKED_AFTER_MS = 5_000;

/**
 * Makes the caller's draft public and mails the owner, where the profile does. Somebody else's listing is 403, what is not
 * a draft 409, and of parallel calls one succeeds. Scraped drafts have not been judged before: moderation may refuse them here.
 */
export const publishListing: AuthenticatedHandler<'publishListing'> = async (services, request) =>
  retryRaces(async () => {
    const judged = await judgeDraft(services, request.params.id, request.caller.userId);
    return changeOwnListing(services, request, async (tx, listing) => {
      const { id, status } = listing;
      if (status !== 'draft') throw conflict(`Only a draft can be published; this listing is ${status}.`);
      if (!judged || !isDeepStrictEqual(moderatedText(await readModerated(tx, id)), judged.text))
        throw new RevisionSuperseded();
      requireAccepted(judged.moderation);
      await countPublications(tx, services, request.caller);
      await setPublished(tx, services, new Map([[id, judged.moderation]]));
      const startAfter = addMilliseconds(services.clock.now(), CHECKED_AFTER_MS);
      await mailStatus(tx, services, listing, 'listing-approved', { startAfter });
    });
  });

/** Judges the text of a draft before any lock is taken; undefined for what the caller cannot publish. */
async function judgeDraft(services: Services, idOrSlug: string, userId: string) {
  const listing = await selectListing(services.db, idOrSlug);
  if (!listing || listing.seller_id !== userId || listing.status !== 'draft') return undefined;
  const text = moderatedText(listing);
  return { text, moderation: await judgeListing(services, text) };
}
