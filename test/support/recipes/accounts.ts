import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
import { createAccountToken, type Purpose } from '../../../shared/accounts/account-tokens.ts';
import { createPrivateStorage } from '../../../shared/adapters/create-storage.ts';
import { addMilliseconds, DAY_MS } from '../../../shared/kit/clock.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { exportKeyOf, signExport } from '../../../shared/leaving/export-file.ts';
import { password } from '../openapi-cases-things.ts';
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

/** An archive that is ready, of somebody made for this request alone. */
const withArchive: Recipe = async ({ services }) => {
  const { db, clock, config } = services;
  const { id: user_id } = await createStranger(services);
  const [id, now] = [newId('export'), clock.now()];
  const storage = await createPrivateStorage(config);
  const archive = { format: 'quayside-person-1', user_id, exported_at: now.toISOString(), profile: [] };
  const meta = { contentType: 'application/json', cacheControl: 'no-store' };
  await storage.put(exportKeyOf(user_id, id), Buffer.from(JSON.stringify(archive)), meta);
  const times = { created_at: now, finished_at: now, expires_at: addMilliseconds(now, DAY_MS) };
  await db
    .insertInto('account_exports')
    .values({ user_id, id, run_id: newId('run'), ...times })
    .execute();
  return { params: { token: signExport(config.jwtSecrets, id) } };
};

/** Nobody's archive is being made. */
const withoutExport: Recipe = async ({ services }) => {
  await services.pool.query(`delete from runs where kind = 'export'`);
  return {};
};

/** Recipes of the operations on accounts. */
export const accountRecipes: Partial<Record<OperationId, Recipe>> = {
  requestMagicLink: toOwner,
  verifyMagicLink: withToken('magic_link'),
  requestPasswordReset: toOwner,
  confirmPasswordReset: withToken('password_reset'),
  verifyEmail: withToken('verify_email'),
  deleteMe: () => ({ body: { password } }),
  downloadExport: withArchive,
  requestExport: withoutExport,
  getUser: ({ owner }) => ({ params: { id: owner.id } }),
};
