import type { Done } from './done-note.ts';
import { forbidden } from '../../shared/kit/errors.ts';
import type { Listing } from '../listings/present.ts';
import { onceField, onceKey, problemNote, select, submit, firstText, type FormProblem } from './forms.ts';
import { fill, formatDay } from './format.ts';
import { html, type Child, type Markup } from './html.ts';
import type { Page } from './layout.ts';
import { categoryChoice, listingFields, LISTING_FIELDS, readCategory, readListing } from './listing-form.ts';
import { arrangePhotos, photosPanel, uploadPhotos } from './listing-photos.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard } from './parts.ts';
import { requireCaller, type Visit } from './visit.ts';

/** Everything about one's own listing: photos, texts, and its way from draft to sold. */
export const showEditListing: PageHandler = async (visit) => {
  requireCaller(visit);
  return { page: await editPage(visit) };
};

/** Adds photos, and shows the same page with what was refused of them. */
export const addPhotos: PageHandler = uploadPhotos(async (visit, uploads) => editPage(visit, undefined, uploads));

/** The address that photos are sent to, opened by hand. */
export const showAddPhotos: PageHandler = async (visit) => ({
  location: visit.href('edit_listing', { id: visit.params.id ?? '' }),
});

/** Does what one of the forms of the page asks for. */
export const editListing: PageHandler = async (visit) => {
  requireCaller(visit);
  const id = visit.params.id ?? '';
  return submit(
    async () => {
      const action = firstText(visit.form.action);
      const done = await (actions[action] ?? save)(visit, id, onceKey(visit));
      if (action === 'delete') return { location: visit.href('my_listings', { done }) };
      const place = action === 'photos' ? '#photos' : '';
      return { location: visit.href('edit_listing', { id, done }) + place };
    },
    async (problem) => {
      if (visit.form.category_id !== undefined) visit.query.category = firstText(visit.form.category_id);
      return editPage(visit, problem);
    },
    LISTING_FIELDS,
  );
};

type Action = (visit: Visit, id: string, idempotencyKey: string | undefined) => Promise<Done>;

const actions: Readonly<Record<string, Action | undefined>> = {
  async publish(visit, id, idempotencyKey) {
    await visit.perform('publishListing', { params: { id }, idempotencyKey });
    return 'published';
  },
  async pause(visit, id, idempotencyKey) {
    await visit.perform('setListingStatus', { params: { id }, body: { status: 'paused' }, idempotencyKey });
    return 'paused';
  },
  async resume(visit, id, idempotencyKey) {
    await visit.perform('setListingStatus', { params: { id }, body: { status: 'active' }, idempotencyKey });
    return 'published';
  },
  async sold(visit, id, idempotencyKey) {
    const buyer = firstText(visit.form.buyer_id);
    const body = buyer === '' ? {} : { buyer_id: buyer };
    await visit.perform('markListingSold', { params: { id }, body, idempotencyKey });
    return 'sold';
  },
  async renew(visit, id, idempotencyKey) {
    await visit.perform('renewListing', { params: { id }, idempotencyKey });
    return 'renewed';
  },
  async delete(visit, id, idempotencyKey) {
    await visit.perform('deleteListing', { params: { id }, idempotencyKey });
    return 'deleted';
  },
  async photos(visit, id) {
    await arrangePhotos(visit, id);
    return 'saved';
  },
};

const save: Action = async (visit, id, idempotencyKey) => {
  const listing = await readOwnListing(visit, id);
  await visit.perform('updateListing', { params: { id }, body: readListing(visit, listing), idempotencyKey });
  return 'saved';
};

async function editPage(
  visit: Visit,
  problem?: FormProblem,
  uploads?: Parameters<typeof photosPanel>[2],
): Promise<Page> {
  const { words, href, params } = visit;
  const id = params.id ?? '';
  const listing = await readOwnListing(visit, id);
  const isDraft = listing.status === 'draft';
  const category = readCategory(visit) ?? { id: listing.category.id, name: listing.category.name };
  const ofText = visit.form.action === undefined ? problem : undefined;
  const panels = [photosPanel(visit, listing, uploads), await stepsPanel(visit, listing)];
  return {
    title: listing.title,
    content: html`<div class="narrow"><h1>${listing.title}</h1>
<p class="soft">${statusOf(visit, listing)} · <a href="${href('listing', { slug: listing.slug })}">${words.my.view}</a></p>
${problemNote(visit, problem)}
${isDraft && html`<p class="note">${words.my.draftHint}</p>`}
${isDraft ? panels : panels.toReversed()}
<section class="panel"><h2>${words.my.text}</h2>
<details class="more"><summary>${category.name}</summary>${await categoryChoice(visit, href('edit_listing', { id }), category.id)}</details>
<form method="post" action="${href('edit_listing', { id })}">${formGuard(visit)}${onceField()}
${listingFields(visit, category.id, ofText, listing)}
<button>${words.my.save}</button></form></section>
</div>`,
  };
}

/** A listing of the visitor's own; 403 for somebody else's. */
export async function readOwnListing(visit: Visit, id: string): Promise<Listing> {
  const { body } = await visit.perform('getListing', { params: { id } });
  if (body.seller.id !== requireCaller(visit).userId) throw forbidden('This listing belongs to somebody else.');
  return body;
}

/** The status of a listing in words, with the day it ends while it is public. */
export function statusOf(
  { words, locale }: Pick<Visit, 'words' | 'locale'>,
  { status, expires_at: end }: Pick<Listing, 'status' | 'expires_at'>,
): string {
  const text = words.statuses[status as keyof typeof words.statuses] ?? status;
  return status === 'active' ? `${text}, ${fill(words.my.until, { date: formatDay(locale, end) })}` : text;
}

/** The next steps of a listing by its status, each a form of one button. What cannot be undone is asked once more. */
async function stepsPanel(visit: Visit, listing: Listing): Promise<Markup> {
  const { words, href } = visit;
  const { status, id } = listing;
  const form = (action: string, label: string, isPlain = true, fields?: Child) =>
    html`<form method="post" action="${href('edit_listing', { id })}">${formGuard(visit)}${onceField()}<input type="hidden" name="action" value="${action}">${fields}<button${isPlain && html` class="plain"`}>${label}</button></form>`;
  const isPublic = status === 'active' || status === 'paused';
  return html`<section class="panel steps"><h2>${words.my.next}</h2><div class="stack">
${status === 'draft' && form('publish', words.my.publish, false)}
${status === 'active' && html`<a class="button" href="${href('promote', { id })}">${words.my.promote}</a>`}
${(status === 'paused' || status === 'sold') && form('resume', words.my.resume, false)}
${status === 'active' && form('pause', words.my.pause)}
${(isPublic || status === 'expired') && form('renew', words.my.renew)}
</div>
${isPublic && html`<details><summary>${words.my.sold}</summary>${form('sold', words.my.sold, false, await buyers(visit, id))}</details>`}
<details><summary>${words.my.delete}</summary><p>${words.my.deleteAsk}</p>${form('delete', words.my.deleteYes)}</details>
</section>`;
}

/** Who has bought it, among those who have written about it. */
async function buyers(visit: Visit, id: string): Promise<Child> {
  const { words } = visit;
  const { body } = await visit.perform('listConversations', { query: { listing_id: id, limit: '100' } });
  const names = new Map(body.results.map(({ buyer }) => [buyer.id, buyer.name]));
  return names.size > 0 && select(visit, 'buyer_id', words.my.buyer, [['', words.my.someoneElse], ...names], undefined);
}
