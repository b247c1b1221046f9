import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
import { inTransaction } from '../../../db/client.ts';
import { signUnsubscribe } from '../../../shared/accounts/unsubscribe-token.ts';
import { saveSearch } from '../../../shared/saved-searches/save.ts';
import { createListing, secretOf, type Person } from '../openapi-cases-things.ts';
import type { Recipe } from './recipe.ts';

type Owner = Pick<Person, 'id'>;

/** A saved search of that person, its name marked as secret. */
export async function createSavedSearch({ db, catalog, clock }: Services, owner: Owner): Promise<string> {
  const wish = {
    userId: owner.id,
    name: secretOf(owner),
    query: { category: 'sailboats', max_price: 50_000 },
    notify: 'daily',
  } as const;
  await makeRoom(db, owner);
  return (await inTransaction(db, (tx) => saveSearch(tx, catalog, clock.now(), wish))).id;
}

/** A user has few saved searches: the oldest make room for new ones. */
async function makeRoom(db: Services['db'], { id }: Owner): Promise<void> {
  const old = db.selectFrom('saved_searches').select('id').where('user_id', '=', id).orderBy('id', 'desc').offset(50);
  await db.deleteFrom('saved_searches').where('id', 'in', old).execute();
}

const ofSavedSearch: Recipe = async ({ services, owner }) => ({
  params: { id: await createSavedSearch(services, owner) },
});

const ofSubscription: Recipe = async ({ services, owner }) => {
  const subscription = { kind: 'saved_search', id: await createSavedSearch(services, owner) } as const;
  return { query: [['token', signUnsubscribe(services.config.jwtSecrets, subscription)]] };
};

/** What requests about favorites, saved searches and the links in their mails need. */
export const savedSearchRecipes: Partial<Record<OperationId, Recipe>> = {
  addFavorite: async ({ services, owner }) => ({
    body: { listing_id: (await createListing(services, owner, 'active')).id },
  }),
  removeFavorite: async ({ services, owner }) => ({
    params: { listingId: (await createListing(services, owner, 'active')).id },
  }),
  createSavedSearch: async ({ services, owner }, example) => {
    await makeRoom(services.db, owner);
    return { body: example };
  },
  updateSavedSearch: ofSavedSearch,
  deleteSavedSearch: ofSavedSearch,
  showUnsubscribe: ofSubscription,
  unsubscribe: ofSubscription,
};
