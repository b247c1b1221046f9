import type { Listing } from '../listings/present.ts';
import { fill } from './format.ts';
import { html, type Markup } from './html.ts';
import { responsiveImage, type ImageSizes } from './image-sizes.ts';
import { noPhoto } from './parts.ts';
import type { Visit } from './visit.ts';

const PHOTO_WIDTH = '(min-width: 76rem) 52rem, (min-width: 56rem) 62vw, 100vw';
const THUMBNAIL_WIDTH = '6rem';

/**
 * The photos of a listing or a rental in a row that snaps to one at a time: swiped, scrolled, or moved by the links of the small ones below, all
 * without script; with it there are buttons for the previous and the next one.
 */
export function gallery(
  { words }: Visit,
  { images, title }: Pick<Listing, 'images' | 'title'>,
  sizes: ImageSizes,
): Markup {
  if (images.length === 0)
    return html`<div class="gallery empty"><div class="photo">${noPhoto(words.listing.noImage)}</div></div>`;
  const count = images.length;
  const alts = images.map(({ alt }, index) => alt || fill(words.listing.photo, { n: index + 1, count }));
  return html`<div class="gallery">
<div class="frame">
<div class="photos" tabindex="0" role="group" aria-label="${title}">
${images.map(
  (image, index) =>
    html`<figure id="photo-${index + 1}">${responsiveImage(image, sizes, { shownWidth: PHOTO_WIDTH, isFirst: index === 0, alt: alts[index] ?? '' })}</figure>
`,
)}</div>
${count > 1 && html`<button class="turn back" type="button" hidden aria-label="${words.listing.previousPhoto}">‹</button><button class="turn on" type="button" hidden aria-label="${words.listing.nextPhoto}">›</button><span class="place" aria-hidden="true">1 / ${count}</span>`}
</div>
${
  count > 1 &&
  html`<ul class="small-photos">${images.map(
    ({ url, thumbnail_url: small }, index) =>
      html`<li><a href="#photo-${index + 1}" aria-label="${fill(words.listing.photo, { n: index + 1, count })}">${responsiveImage({ url: small ?? url }, sizes, { shownWidth: THUMBNAIL_WIDTH, isFirst: false })}</a></li>`,
  )}</ul>`
}
</div>`;
}
