import { inTransaction } from '../../db/client.ts';
import { notFound } from '../../shared/kit/errors.ts';
import { lockListing, requireOwner } from '../../shared/listings/change.ts';
import { selectListing } from '../../shared/listings/card.ts';
import { requireAccepted } from '../../shared/listings/rules.ts';
import { judgeListing } from '../../shared/moderation/judge.ts';
import { dropText, editText } from '../../shared/rewriting/edit.ts';
import type { Caller } from '../http/authenticate.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { isAdministrator } from '../http/authenticate.ts';
import type { Services } from '../services.ts';

/** Stores a person's text of a listing in a locale, moderated like the listing's own; nothing rewrites it from then on. */
export const editListingRewrite: AuthenticatedHandler<'editListingRewrite'> = async (services, request) => {
  const { params, body, caller } = request;
  requireServed(services, params.locale);
  const listing = await selectListing(services.db, params.id);
  if (!listing || listing.status === 'deleted') throw notFound('listing', params.id);
  requireEntitled(listing, caller);
  const whole = [body.description, body.long_description].filter(Boolean).join('\n\n');
  requireAccepted(await judgeListing(services, { title: body.title, description: whole }));
  const text = await inTransaction(services.db, async (tx) =>
    editText(tx, services, await lockListing(tx, listing.id), params.locale, body),
  );
  return {
    status: 200,
    body: { listing_id: listing.id, ...text, edited_by_human: true, updated_at: text.updated_at.toISOString() },
    effects: { changed: { listings: [listing.id] } },
  };
};

/** Takes the text of a listing in a locale away, so that it may be rewritten again. */
export const deleteListingRewrite: AuthenticatedHandler<'deleteListingRewrite'> = async (services, request) => {
  const { params, caller } = request;
  requireServed(services, params.locale);
  const listing_id = await inTransaction(services.db, async (tx) => {
    const listing = await lockListing(tx, params.id);
    requireEntitled(listing, caller);
    await dropText(tx, services, listing, params.locale);
    return listing.id;
  });
  return {
    status: 200,
    body: { listing_id, locale: params.locale, deleted: true },
    effects: { changed: { listings: [listing_id] } },
  };
};

function requireServed({ profile }: Services, locale: string): void {
  if (!profile.locales.some((served) => served === locale)) throw notFound('locale', locale);
}

function requireEntitled(listing: { seller_id: string }, caller: Caller): void {
  if (!isAdministrator(caller)) requireOwner(listing, caller.userId);
}
