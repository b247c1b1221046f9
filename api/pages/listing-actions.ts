import type { Listing } from '../listings/present.ts';
import { field, onceField, onceKey, problemNote, select, submit, firstText, type FormProblem } from './forms.ts';
import { html, type Markup } from './html.ts';
import type { Page } from './layout.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard } from './parts.ts';
import { addressBelow, requireCaller, type Visit } from './visit.ts';

const addressOf = (visit: Visit, values: { done?: string } = {}) =>
  visit.href('listing', { slug: visit.params.slug ?? '', ...values });

async function readListing(visit: Visit): Promise<Listing> {
  const { body } = await visit.perform('getListing', { params: { id: visit.params.slug ?? '' } });
  return body;
}

/** What writes to the seller; the conversation goes on among the messages. */
export function messageForm(visit: Visit, problem?: FormProblem): Markup {
  const { words } = visit;
  return html`<form method="post" action="${addressBelow(addressOf(visit), 'message')}">${formGuard(visit)}${onceField()}
${field(visit, 'message', words.listing.message, problem, { rows: 4, required: true, attributes: ' maxlength="5000"' })}
<button class="wide">${words.listing.contact}</button></form>`;
}

/** Writes to the seller: the conversation goes on among the messages. */
export const writeToSeller: PageHandler = async (visit) => {
  requireCaller(visit);
  const { words, form } = visit;
  const listing = await readListing(visit);
  return submit(
    async () => {
      const body = { listing_id: listing.id, message: firstText(form.message) };
      const started = await visit.perform('startConversation', { body, idempotencyKey: onceKey(visit) });
      return { location: `${visit.href('conversation', { id: started.body.id, done: 'sent' })}#last` };
    },
    (problem) => refusedPage(visit, listing, words.listing.contact, problem, messageForm(visit, problem)),
  );
};

/** Whether the visitor has put the listing aside. */
export async function isFavorite(visit: Visit, { id }: Listing): Promise<boolean> {
  if (!visit.caller) return false;
  const { body } = await visit.perform('listFavorites', { query: { listing_id: id, limit: '1' } });
  return body.results.length > 0;
}

/** Adds the listing to the visitor's favorites, or takes it away. */
export const toggleFavorite: PageHandler = async (visit) => {
  requireCaller(visit);
  const { id } = await readListing(visit);
  if (firstText(visit.form.remove) === 'true') await visit.perform('removeFavorite', { params: { listingId: id } });
  else await visit.perform('addFavorite', { body: { listing_id: id } });
  return { location: addressOf(visit) };
};

/** What tells the moderators that something is wrong with the listing. */
export function reportForm(visit: Visit, problem?: FormProblem): Markup {
  const { words } = visit;
  return html`<form method="post" action="${addressBelow(addressOf(visit), 'report')}">${formGuard(visit)}${onceField()}
${select(visit, 'reason', words.listing.reportReason, Object.entries(words.reasons), problem)}
${field(visit, 'description', words.listing.message, problem, { rows: 3, attributes: ' maxlength="2000"' })}
<button class="plain">${words.listing.send}</button></form>`;
}

/** Tells the moderators what is wrong with the listing. */
export const reportListing: PageHandler = async (visit) => {
  requireCaller(visit);
  const { words, form } = visit;
  const listing = await readListing(visit);
  return submit(
    async () => {
      const description = firstText(form.description).trim();
      const body = { reason: firstText(form.reason), ...(description && { description }) };
      await visit.perform('flagListing', { params: { id: listing.id }, body, idempotencyKey: onceKey(visit) });
      return { location: addressOf(visit, { done: 'reported' }) };
    },
    (problem) => refusedPage(visit, listing, words.listing.report, problem, reportForm(visit, problem)),
  );
};

/** One of the forms of a listing's page, opened by itself. */
export const showListingForm: PageHandler = async (visit) => ({ location: addressOf(visit) });

/** A form of a listing that was refused, with what was typed. */
function refusedPage(visit: Visit, { title }: Listing, heading: string, problem: FormProblem, form: Markup): Page {
  return {
    title: heading,
    content: html`<div class="narrow"><h1>${heading}</h1><p><a href="${addressOf(visit)}">${title}</a></p>
${problemNote(visit, problem)}${form}</div>`,
  };
}
