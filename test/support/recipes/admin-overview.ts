import type { OperationId } from '../../../api/http/contract.ts';
import { createListing } from '../openapi-cases-things.ts';
import type { Recipe } from './recipe.ts';

/** No run is live but the one that the request starts. */
const ofNoRun: Recipe = async ({ services }) => {
  await services.db.updateTable('runs').set({ status: 'cancelled' }).where('kind', '=', 'images').execute();
  return {};
};

/** Nobody else has flagged listings: what the other requests need stays. */
const ofFlagged: Recipe = async ({ services, owner }) => {
  await createListing(services, owner, 'flagged');
  return { query: [['status', 'flagged']] };
};

/** What the operations of the overview, on images and on expiry need. */
export const adminOverviewRecipes: Partial<Record<OperationId, Recipe>> = {
  localizeImages: ofNoRun,
  deleteZeroImageListings: ofFlagged,
};
