import { sellListing } from '../../shared/listings/lifecycle.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { changeOwnListing } from './change-own.ts';

/** Marks the caller's active or paused listing as sold and mails the owner, where the profile does. Of parallel calls one succeeds. */
export const markListingSold: AuthenticatedHandler<'markListingSold'> = async (services, request) =>
  changeOwnListing(services, request, (tx, listing) => sellListing(tx, services, listing, request.body));
