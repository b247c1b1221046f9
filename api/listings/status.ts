import { moveListing } from '../../shared/listings/lifecycle.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { changeOwnListing } from './change-own.ts';

/** Pauses, resumes or sells the caller's listing; the status it has already is no change. 409 for any other move. */
export const setListingStatus: AuthenticatedHandler<'setListingStatus'> = async (services, request) =>
  changeOwnListing(services, request, (tx, listing) => moveListing(tx, services, listing, request.body.status));
