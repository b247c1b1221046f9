import { randomUUID } from 'node:crypto';
import { MAX_IMAGES } from '../../shared/listings/images.ts';
import type { UploadedFile } from '../http/multipart.ts';
import type { Listing } from '../listings/present.ts';
import { onceField, onceKey, submit, firstText, type FormProblem } from './forms.ts';
import { fill } from './format.ts';
import { html, raw, type Child, type Markup } from './html.ts';
import type { Page } from './layout.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard } from './parts.ts';
import { tellFault, tellRefusal } from './refusals.ts';
import { addressBelow, requireCaller, type Visit } from './visit.ts';

type Image = Listing['images'][number];

/** What is wrong with files that were sent, each by its name. */
type UploadProblem = { message: Child; files: readonly Child[] };

/** The photos of a listing: their texts and order, and a form for more of them as long as there is room. */
export function photosPanel(visit: Visit, listing: Listing, problem?: UploadProblem): Markup {
  const { words } = visit;
  const { images } = listing;
  return html`<section class="panel" id="photos"><h2>${words.my.photos} <span class="soft">${images.length} / ${MAX_IMAGES}</span></h2>
${problem && html`<div class="note bad" role="alert"><p>${problem.message}</p>${problem.files.length > 0 && html`<ul>${problem.files.map((file) => html`<li>${file}</li>`)}</ul>`}</div>`}
${images.length > 0 && arrangeForm(visit, listing)}
${images.length < MAX_IMAGES && uploadForm(visit, listing)}</section>`;
}

function arrangeForm(visit: Visit, { id, images }: Listing): Markup {
  const { words, href } = visit;
  // The first button of a form is what the Enter key presses.
  return html`<form method="post" action="${href('edit_listing', { id })}">${formGuard(visit)}${onceField()}<input type="hidden" name="action" value="photos">
<button class="skip" tabindex="-1" aria-hidden="true">${words.my.save}</button>
<ol class="own-photos">${images.map((image, index) => photoRow(visit, image, index, images.length))}</ol>
<button class="plain">${words.my.savePhotos}</button></form>`;
}

function photoRow(
  { words }: Visit,
  { url, thumbnail_url: small, alt = '' }: Image,
  index: number,
  count: number,
): Markup {
  const name = fill(words.listing.photo, { n: index + 1, count });
  return html`<li><img src="${small ?? url}" alt="${name}" width="120" height="90"${raw(index > 3 ? ' loading="lazy"' : '')}>
<div><input type="hidden" name="url" value="${url}"><label>${words.my.alt}<input name="alt" value="${alt}" maxlength="300"></label>
<div class="stack">${index > 0 && html`<button class="link" name="first" value="${url}" aria-label="${words.my.makeFirst}: ${name}">${words.my.makeFirst}</button>`}
<button class="link" name="remove" value="${url}" aria-label="${words.my.remove}: ${name}">${words.my.remove}</button></div></div></li>`;
}

function uploadForm({ words, href, csrfToken }: Visit, { id }: Listing): Markup {
  // The signature is in the address: a form with files is read only once it is known to be one's own.
  const action = addressBelow(href('edit_listing', { id }), 'photos', { _csrf: csrfToken, _once: randomUUID() });
  return html`<form method="post" enctype="multipart/form-data" action="${action}">
<label>${words.my.addPhotos}<input type="file" name="files" accept="image/*" multiple required data-submit="${words.my.uploading}"></label>
<p class="soft">${words.my.photosHint}</p>
<button class="plain">${words.my.upload}</button></form>`;
}

/** Adds the photos of a form to the listing, all of them or none. */
export const uploadPhotos =
  (show: (visit: Visit, problem: UploadProblem) => Promise<Page>): PageHandler =>
  async (visit) => {
    requireCaller(visit);
    const id = visit.params.id ?? '';
    let files: UploadedFile[] = [];
    return submit(
      async () => {
        files = await visit.readFiles();
        const [first, ...others] = files;
        await visit.perform('addListingImages', {
          params: { id },
          body: { files: files.map(() => '(binary)') },
          ...(first && { files: [first, ...others] }),
          idempotencyKey: onceKey(visit),
        });
        return { location: `${visit.href('edit_listing', { id, done: 'photos' })}#photos` };
      },
      (problem) => show(visit, { message: tellRefusal(visit, problem), files: namesOf(visit, problem, files) }),
    );
  };

/** `files.2` of the API's body as the name of the third file. */
const namesOf = (visit: Visit, { fields }: FormProblem, files: readonly UploadedFile[]): Child[] =>
  [...fields].map(([place, fault]) => {
    const file = files[Number(/^files\.(\d+)$/.exec(place)?.[1] ?? (place === 'files' && files.length === 1 ? 0 : -1))];
    const told = tellFault(visit, fault);
    return file ? html`${file.name}: ${told}` : told;
  });

/** Saves the texts of the photos, and takes one away or puts one first. What was added meanwhile stays. */
export async function arrangePhotos(visit: Visit, id: string): Promise<void> {
  const { form } = visit;
  const { body } = await visit.perform('getListing', { params: { id } });
  const [urls, alts] = [[form.url ?? []].flat(), [form.alt ?? []].flat()];
  const texts = new Map(urls.map((url, index) => [url, alts[index]?.trim() ?? '']));
  const [first, removed] = [firstText(form.first), firstText(form.remove)];
  const images = body.images
    .filter(({ url }) => url !== removed)
    .map((image) => ({ ...image, ...(texts.has(image.url) && { alt: texts.get(image.url) }) }))
    .toSorted((a, b) => Number(b.url === first) - Number(a.url === first));
  await visit.perform('updateListing', { params: { id }, body: { images }, idempotencyKey: onceKey(visit) });
}
