import { signUnsubscribe } from '../../../shared/accounts/unsubscribe-token.ts';
import type { OperationId } from '../../../api/http/contract.ts';
import { fresh, type Recipe } from './recipe.ts';

export const newsletterRecipes: Partial<Record<OperationId, Recipe>> = {
  subscribeNewsletter: () => ({ body: { email: `${fresh()}@example.com` } }),
  unsubscribeNewsletter: async ({ services }) => {
    const { id } = await services.db
      .insertInto('newsletter_subscribers')
      .values({ email: `${fresh()}@example.com`, subscribed_at: services.clock.now(), unsubscribed_at: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { body: { token: signUnsubscribe(services.config.jwtSecrets, { kind: 'newsletter', id }) } };
  },
};
