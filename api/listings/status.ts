import { moveListing } from '../../shared/listings/lifecycle.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { requireScope } from '../http/authenticate.ts';
import { changeOwnListing } from './change-own.ts';
import { countPublications } from './count-publications.ts';

/** Pauses, resumes or sells the caller's listing; the status it has already is no change. 409 for any other move; to resume it is to publish it. */
export const setListingStatus: AuthenticatedHandler<'setListingStatus'> = async (services, request) =>
  changeOwnListing(services, request, async (tx, listing) => {
    const { caller, body } = request;
    const isPublication = body.status === 'active' && listing.status !== 'active';
    if (isPublication) requireScope(caller, 'publish');
    await moveListing(tx, services, listing, body.status);
    if (isPublication) await countPublications(tx, services, caller);
  });
