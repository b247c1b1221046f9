import type { JobHandler } from '../shared/job-runner.ts';
import { addWords } from '../shared/listings/search-words.ts';
import type { WorkerServices } from './services.ts';

/** Adds the words of some listings to those that a mistyped word is corrected to. Repeating it does no harm. */
export const indexListing: JobHandler<WorkerServices, 'index-listing'> = async ({ db }, payload) => {
  await addWords(db, payload.listing_ids);
};
