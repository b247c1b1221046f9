import { inTransaction } from '../../db/client.ts';
import { conflict, forbidden, notFound } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';
import { selectListing } from '../../shared/listings/card.ts';
import { moderateListing, setPublished } from '../../shared/listings/publish.ts';
import { requireAccepted } from '../../shared/listings/rules.ts';
import type { AuthenticatedHandler } from '../http/types.ts';
import { presentListing, viewOf } from './present.ts';

/**
 * Makes the caller's draft public and mails the owner, where the profile does. Somebody else's listing is 403, what is not
 * a draft 409, and of parallel calls one succeeds. Scraped drafts have not been judged before: moderation may refuse them here.
 */
export const publishListing: AuthenticatedHandler<'publishListing'> = async (services, request) => {
  const { params, caller } = request;
  const { db, jobs, profile, config } = services;
  const row = await inTransaction(db, async (tx) => {
    const listing = await tx
      .selectFrom('listings')
      .select(['id', 'seller_id', 'status', 'title', 'description', 'tags', 'category_id', 'price_amount', 'slug'])
      .where(isId('listing', params.id) ? 'id' : 'slug', '=', params.id)
      .where('status', '<>', 'deleted')
      .executeTakeFirst();
    if (!listing) throw notFound('listing', params.id);
    if (listing.seller_id !== caller.userId) throw forbidden('Only the owner can publish a listing.');
    if (listing.status !== 'draft') throw notADraft(listing.status);
    requireAccepted(moderateListing(listing));
    const [published] = await setPublished(tx, services, [listing.id]);
    if (!published) throw notADraft('published');
    if (profile.sendsStatusEmails) {
      const data = { title: listing.title, url: `${config.baseUrl}/api/listings/${listing.slug}` };
      await jobs.enqueue(tx, 'send-email', {
        message_id: `listing-approved.${listing.id}`,
        template: 'listing-approved',
        user_id: caller.userId,
        data,
      });
    }
    return selectListing(tx, listing.id, request.locale);
  });
  if (!row) throw notFound('listing', params.id);
  return { status: 200, body: presentListing(row, viewOf(services, request)) };
};

const notADraft = (status: string) => conflict(`Only a draft can be published; this listing is ${status}.`);
