import type { Listing } from '../listings/present.ts';
import { html, type Child, type Markup } from './html.ts';
import { messageForm, reportForm } from './listing-actions.ts';
import { formGuard } from './parts.ts';
import { addressBelow, type Visit } from './visit.ts';

/** Writing to the seller of a listing that is for sale: a form, or the way to sign in first. */
export function contactPanel(visit: Visit, { slug, status }: Listing): Child {
  const { words, href, caller } = visit;
  if (status !== 'active') return undefined;
  const here = href('listing', { slug });
  if (!caller)
    return html`<p><a class="button wide" href="${href('sign_in', { next: here })}">${words.listing.contactSignIn}</a></p>`;
  return messageForm(visit);
}

/** Favorites, sharing and reporting; of what is one's own, sharing alone. */
export function listingActions(
  visit: Visit,
  { slug }: Listing,
  { isKept, isOwn }: { isKept: boolean; isOwn: boolean },
): Markup {
  const { words } = visit;
  return html`<div class="actions">
${!isOwn && favorite(visit, slug, isKept)}
<button class="plain" type="button" hidden data-share="${words.listing.copied}">${words.listing.share}</button> <span role="status"></span>
</div>
${!isOwn && report(visit, slug)}`;
}

function favorite(visit: Visit, slug: string, isKept: boolean): Markup {
  const { words, href, caller } = visit;
  const here = href('listing', { slug });
  const heart = (isFull: boolean) =>
    html`<svg class="heart${isFull && ' full'}" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 20S4 14.6 4 8.9A4.4 4.4 0 0 1 12 6.5 4.4 4.4 0 0 1 20 8.9C20 14.6 12 20 12 20z"/></svg>`;
  if (!caller)
    return html`<a class="button plain" href="${href('sign_in', { next: here })}">${heart(false)} ${words.listing.favorite}</a>`;
  return html`<form method="post" action="${addressBelow(here, 'favorite')}">${formGuard(visit)}<button class="plain" name="remove" value="${String(isKept)}">${heart(isKept)} ${isKept ? words.listing.unfavorite : words.listing.favorite}</button></form>`;
}

function report(visit: Visit, slug: string): Markup {
  const { words, href, caller } = visit;
  const here = href('listing', { slug });
  if (!caller)
    return html`<p class="small"><a class="soft" href="${href('sign_in', { next: here })}" rel="nofollow">${words.listing.report}</a></p>`;
  return html`<details class="report"><summary>${words.listing.report}</summary>${reportForm(visit)}</details>`;
}
