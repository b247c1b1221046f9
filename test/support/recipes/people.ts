import type { OperationId } from '../../../api/http/contract.ts';
import { inTransaction } from '../../../db/client.ts';
import { suspendUser } from '../../../shared/accounts/suspension.ts';
import { createPerson } from '../openapi-cases-things.ts';
import { createPasskeyOf } from './sign-in.ts';
import type { Recipe } from './recipe.ts';

const ofPerson: Recipe = async ({ services }) => ({ params: { id: (await createPerson(services, 'user')).id } });

/** What requests about people need: somebody who may be suspended, promoted or blocked without harm to the others. */
export const peopleRecipes: Partial<Record<OperationId, Recipe>> = {
  getUserDetail: ofPerson,
  suspendUser: ofPerson,
  setUserRole: ofPerson,
  logoutUser: ofPerson,
  verifyUserEmail: ofPerson,
  resetSecondFactors: async ({ services }) => {
    const { id } = await createPerson(services, 'user');
    await createPasskeyOf(services, { id });
    return { params: { id } };
  },
  sendSignInLink: ofPerson,
  unsuspendUser: async ({ services, admin }) => {
    const { id } = await createPerson(services, 'user');
    const suspension = { reason: 'For the tests.', until: null, by: admin.id };
    await inTransaction(services.db, (tx) => suspendUser(tx, services, id, suspension));
    return { params: { id } };
  },
  unblockUser: async ({ services }) => ({ params: { userId: (await createPerson(services, 'user')).id } }),
  blockUser: async ({ services }) => ({ body: { user_id: (await createPerson(services, 'user')).id } }),
};
