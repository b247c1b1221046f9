import { textOf } from './forms.ts';
import type { PageHandler } from './page-handler.ts';
import { requireCaller, type Visit } from './visit.ts';

const here = (visit: Visit) => visit.href('listing', { slug: visit.params.slug ?? '' });

async function readId(visit: Visit): Promise<string> {
  const { body } = await visit.perform('getListing', { params: { id: visit.params.slug ?? '' } });
  return body.id;
}

/** Writes to the seller: the conversation goes on in the inbox. */
export const writeToSeller: PageHandler = async (visit) => {
  requireCaller(visit);
  const body = { listing_id: await readId(visit), message: textOf(visit.form.message) };
  const conversation = await visit.perform('startConversation', { body });
  return { location: visit.href('conversation', { id: conversation.body.id }) };
};

/** Adds the listing to the visitor's favorites, or takes it away. */
export const toggleFavorite: PageHandler = async (visit) => {
  requireCaller(visit);
  const id = await readId(visit);
  const isRemoved = textOf(visit.form.remove) === 'true';
  if (isRemoved) await visit.perform('removeFavorite', { params: { listingId: id } });
  else await visit.perform('addFavorite', { body: { listing_id: id } });
  const isFromList = isRemoved && textOf(visit.form.back) !== 'listing';
  return { location: isFromList ? visit.href('favorites', {}) : here(visit) };
};

/** Tells the moderators what is wrong with the listing. */
export const reportListing: PageHandler = async (visit) => {
  requireCaller(visit);
  const body = { reason: textOf(visit.form.reason), description: textOf(visit.form.description) };
  await visit.perform('flagListing', { params: { id: await readId(visit) }, body });
  return { location: `${here(visit)}?reported=true` };
};
