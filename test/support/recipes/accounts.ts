import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
import { createAccountToken, type Purpose } from '../../../shared/accounts/account-tokens.ts';
import { newId } from '../../../shared/kit/ids.ts';
import type { Recipe } from './recipe.ts';

/** An account whose address nobody has proved, and without a password. */
async function createStranger({ db, clock }: Services): Promise<{ id: string; email: string }> {
  const id = newId('user');
  const email = `${id.toLowerCase()}@example.com`;
  const now = clock.now();
  await db.insertInto('users').values({ id, email, name: 'Stranger', created_at: now, updated_at: now }).execute();
  return { id, email };
}

/** Sends the token of a mail to somebody made for this request alone. */
const withToken =
  (purpose: Purpose): Recipe =>
  async ({ services }, example) => {
    const user = await createStranger(services);
    const token = await createAccountToken(services.db, { purpose, user }, services.clock.now());
    return { body: { ...(example as object), token } };
  };

const toOwner: Recipe = ({ owner }) => ({ body: { email: owner.email } });

/** Recipes of the operations on accounts. */
export const accountRecipes: Partial<Record<OperationId, Recipe>> = {
  requestMagicLink: toOwner,
  verifyMagicLink: withToken('magic_link'),
  requestPasswordReset: toOwner,
  confirmPasswordReset: withToken('password_reset'),
  verifyEmail: withToken('verify_email'),
  getUser: ({ owner }) => ({ params: { id: owner.id } }),
};
