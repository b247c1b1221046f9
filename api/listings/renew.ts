import { renewListing as renew } from '../../shared/listings/lifecycle.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { changeOwnListing } from './change-own.ts';
import { countPublications } from './count-publications.ts';

/** Gives the caller's expired, active or paused listing 30 days from now; it is active then and keeps its place in lists. */
export const renewListing: AuthenticatedHandler<'renewListing'> = async (services, request) =>
  changeOwnListing(services, request, async (tx, listing) => {
    await renew(tx, services, listing);
    await countPublications(tx, services, request.caller);
  });
