import { inTransaction } from '../../db/client.ts';
import { conflict, notFound } from '../../shared/kit/errors.ts';
import { isId } from '../../shared/kit/ids.ts';
import { requireOwner } from '../../shared/listings/change.ts';
import * as appeals from '../../shared/reports/appeal.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** Asks for another look at what a notice of the caller's tells of. */
export const appealNotice: AuthenticatedHandler<'appealNotice'> = async (services, { params, body, caller }) => {
  const appeal = await inTransaction(services.db, (tx) =>
    appeals.appealNotice(tx, services, { noticeId: params.id, userId: caller.userId, text: body.text.trim() }),
  );
  return { status: 202, body: presentStoredAppeal(appeal) };
};

/** The same for a listing of the caller's that was hidden or removed; one that is gone for good is known by its id. */
export const appealListing: AuthenticatedHandler<'appealListing'> = async (services, { params, body, caller }) => {
  const appeal = await inTransaction(services.db, async (tx) => {
    const listing = await tx
      .selectFrom('listings')
      .select(['id', 'seller_id'])
      .where(isId('listing', params.id) ? 'id' : 'slug', '=', params.id)
      .executeTakeFirst();
    if (listing) requireOwner(listing, caller.userId);
    const noticeId = await appeals.findListingNotice(tx, listing?.id ?? params.id, caller.userId);
    if (!noticeId && !listing) throw notFound('listing', params.id);
    if (!noticeId) throw conflict('Moderation restricts nothing of this listing.', { reason: 'appeal_over' });
    return appeals.appealNotice(tx, services, { noticeId, userId: caller.userId, text: body.text.trim() });
  });
  return { status: 202, body: presentStoredAppeal(appeal) };
};

const presentStoredAppeal = ({ created_at, ...appeal }: appeals.StoredAppeal) => ({
  ...appeal,
  status: 'open' as const,
  created_at: created_at.toISOString(),
});
