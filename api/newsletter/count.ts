import { countSubscribers } from '../../shared/newsletter/subscription.ts';
import type { Handler } from '../handler.ts';

/** How many addresses are on the list of the newsletter now. */
export const countNewsletterSubscribers: Handler<'countNewsletterSubscribers'> = async ({ db }) => ({
  status: 200,
  body: { count: await countSubscribers(db) },
});
