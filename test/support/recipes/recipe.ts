import { newId } from '../../../shared/kit/ids.ts';
import { createListing } from '../openapi-cases-things.ts';
import type { World } from '../openapi-cases-world.ts';
import type { Parts } from '../openapi-cases.ts';

/** What a request needs besides the first example of the contract: rows that it names, texts of its own. */
export type Recipe = (world: World, example: unknown) => Promise<Partial<Parts>> | Partial<Parts>;

/** A text that no other request holds. */
export const fresh = () => newId('listing').toLowerCase();

/** Names a listing of the owner in that status. */
export const ofListing =
  (status: string): Recipe =>
  async ({ services, owner }) => ({ params: { id: (await createListing(services, owner, status)).id } });
