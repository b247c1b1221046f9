import { inTransaction } from '../../db/client.ts';
import { requireAccepted } from '../../shared/listings/rules.ts';
import { judgeListing } from '../../shared/moderation/judge.ts';
import { requireRentalRules } from '../../shared/rentals/rules.ts';
import { storeRental } from '../../shared/rentals/store.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { showRental } from './read.ts';

/** Offers a boat for rent; whatever a refused one has touched is undone. */
export const createRental: AuthenticatedHandler<'createRental'> = async (services, request) => {
  const { body, caller, links } = request;
  requireRentalRules(body);
  const { title, description, price_per_day } = body;
  requireAccepted(await judgeListing(services, { title, description, price: { amount: price_per_day } }));
  const row = await inTransaction(services.db, (tx) => storeRental(tx, services, caller.userId, body));
  return {
    status: 201,
    body: await showRental(services, row, links),
    headers: { Location: `${links.base}/api/rentals/${row.id}` },
    effects: { changed: { rentals: [row.id] } },
  };
};
