import type { Services } from '../../../api/services.ts';
import type { OperationId } from '../../../api/http/contract.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { createListing, secretOf, type Person } from '../openapi-cases-things.ts';
import type { Recipe } from './recipe.ts';

type Party = Pick<Person, 'id'>;

/** An account that nobody logs in with. */
export async function createParty({ db, clock }: Services): Promise<Person> {
  const id = newId('user');
  const now = clock.now();
  const email = `${id.toLowerCase()}@example.com`;
  await db
    .insertInto('users')
    .values({ id, email, name: `Party ${id.slice(-6)}`, created_at: now, updated_at: now })
    .execute();
  return { id, email, token: '' };
}

/** A conversation of these two, in which each has written once; the buyer's message is marked as secret. */
export async function createConversation(services: Services, buyer: Party, seller: Party): Promise<string> {
  const { db, clock } = services;
  const id = newId('conversation');
  const now = clock.now();
  const content = `${secretOf(buyer)} asks for the price`;
  await db
    .insertInto('conversations')
    .values({
      id,
      listing_id: newId('listing'),
      listing_title: 'A sound boat',
      listing_slug: `boat-${id.slice(4).toLowerCase()}`,
      buyer_id: buyer.id,
      seller_id: seller.id,
      last_message: JSON.stringify({ content, sender_id: buyer.id, created_at: now }),
      last_message_at: now,
      created_at: now,
    })
    .execute();
  const messages = [
    { sender_id: seller.id, content: 'What would you like to know?' },
    { sender_id: buyer.id, content },
  ];
  await db
    .insertInto('messages')
    .values(messages.map((each) => ({ ...each, id: newId('message'), conversation_id: id, created_at: now })))
    .execute();
  return id;
}

const ofConversation: Recipe = async ({ services, owner }) => ({
  params: { id: await createConversation(services, owner, await createParty(services)) },
});

/** What requests about conversations need: the owner of what they name is the buyer. */
export const conversationRecipes: Partial<Record<OperationId, Recipe>> = {
  startConversation: async ({ services }, example) => {
    const { id } = await createListing(services, await createParty(services), 'active');
    return { body: { ...(example as object), listing_id: id } };
  },
  getConversation: ofConversation,
  sendMessage: ofConversation,
  markConversationRead: ofConversation,
};
