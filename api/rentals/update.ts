import { inTransaction } from '../../db/client.ts';
import { conflict } from '../../shared/kit/errors.ts';
import { RevisionSuperseded } from '../../shared/listings/update.ts';
import { lockRental, requireRentalOwner, type RentalRow } from '../../shared/rentals/rental.ts';
import { judgeRentalRevision } from '../../shared/rentals/revision.ts';
import { reviseRental } from '../../shared/rentals/store.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { showRental } from './read.ts';

const TRIES = 5;

/** Changes what is sent of the caller's rental, by the rules of create; nothing of it when any rule is broken. */
export const updateRental: AuthenticatedHandler<'updateRental'> = async (services, request) => {
  const { params, body, caller, links } = request;
  const row = await retrySuperseded(async () => {
    const judged = await judgeRentalRevision(services, params.id, caller.userId, body);
    return inTransaction(services.db, async (tx) => {
      const rental = await lockRental(tx, params.id, { lock: 'change' });
      requireRentalOwner(rental, caller.userId);
      judged.requireSameText(rental);
      return reviseRental(tx, services, rental, body);
    });
  });
  const rental = await showRental(services, row, links);
  return { status: 200, body: rental, effects: { changed: { rentals: [row.id] } } };
};

async function retrySuperseded(change: () => Promise<RentalRow>): Promise<RentalRow> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof RevisionSuperseded)) throw error;
    }
  }
  throw conflict('The rental is being changed elsewhere at the same time; try again.');
}
