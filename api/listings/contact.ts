import { inTransaction } from '../../db/client.ts';
import { notFound } from '../../shared/kit/errors.ts';
import { isId } from '../../shared/kit/ids.ts';
import { forwardContactMessage } from '../../shared/listings/forward-contact-message.ts';
import { eventColumns } from '../../shared/listings/listing-event.ts';
import { consumeQuota } from '../../shared/profiles/quotas.ts';
import type { Handler } from '../handler.ts';
import { mayRead } from './visibility.ts';

/** Mails a stranger's message to the owner of a public listing, a few an hour from one address; whatever fails uses none of them. */
export const contactListingOwner: Handler<'contactListingOwner'> = async (services, { params, body, caller, ip }) => {
  const { db, clock, profile, config } = services;
  await inTransaction(db, async (tx) => {
    const listing = await tx
      .selectFrom('listings')
      .select(eventColumns)
      .where(isId('listing', params.id) ? 'id' : 'slug', '=', params.id)
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('users').whereRef('users.id', '=', 'listings.seller_id').where('disabled_at', 'is', null)),
      )
      .executeTakeFirst();
    if (!listing || !mayRead(listing, undefined, profile)) throw notFound('listing', params.id);
    await forwardContactMessage(tx, services, listing, { ...body, userId: caller?.userId });
    await consumeQuota(
      tx,
      {
        quota: 'contact_owner',
        rules: profile.quotas.contact_owner,
        subjects: { user: '', ip, admin: false },
        multiplier: config.rateLimitMultiplier,
      },
      clock.now(),
    );
  });
  return { status: 201, body: { message: 'Your message is on its way to the seller.' } };
};
