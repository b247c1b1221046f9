import { onceField, onceKey, problemNote, submit, firstText, type FormProblem } from './forms.ts';
import { html } from './html.ts';
import type { Page } from './layout.ts';
import { categoryChoice, listingFields, LISTING_FIELDS, readCategory, readListing } from './listing-form.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard } from './parts.ts';
import { requireCaller, type Visit } from './visit.ts';

/** The form of a new listing: its category first, then the fields of the category. */
export const showSell: PageHandler = async (visit) => {
  requireCaller(visit);
  return { page: await sellPage(visit, readCategory(visit)) };
};

/** Stores a new listing as a draft and goes on to its page, where photos are added and it is published. */
export const sell: PageHandler = async (visit) => {
  requireCaller(visit);
  return submit(
    async () => {
      const { body } = await visit.perform('createListing', {
        body: readListing(visit),
        idempotencyKey: onceKey(visit),
      });
      return { location: visit.href('edit_listing', { id: body.id, done: 'created' }) };
    },
    async (problem) => {
      visit.query.category = firstText(visit.form.category_id);
      return sellPage(visit, readCategory(visit), problem);
    },
    LISTING_FIELDS,
  );
};

async function sellPage(
  visit: Visit,
  category: { id: string; name: string } | undefined,
  problem?: FormProblem,
): Promise<Page> {
  const { words, href } = visit;
  const chosen = html`<details class="panel"${!category && html` open`}><summary>${category ? category.name : words.my.whatKind}</summary>
${await categoryChoice(visit, href('sell', {}), category?.id ?? '')}</details>`;
  return {
    title: words.nav.sell,
    content: html`<div class="narrow"><h1>${words.nav.sell}</h1>${problemNote(visit, problem)}
${chosen}
${
  category &&
  html`<form method="post" class="panel" action="${href('sell', {})}">${formGuard(visit)}${onceField()}
${listingFields(visit, category.id, problem)}
<button>${words.my.create}</button></form>`
}</div>`,
  };
}
