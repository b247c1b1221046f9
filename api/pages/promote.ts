import { readOwnListing } from './edit-listing.ts';
import { onceField, onceKey, problemNote, submit, firstText, type FormProblem } from './forms.ts';
import { fill, formatDay, formatMoney } from './format.ts';
import { html } from './html.ts';
import type { Page } from './layout.ts';
import type { PageAnswer, PageHandler } from './page-handler.ts';
import { formGuard } from './parts.ts';
import { requireCaller, type Visit } from './visit.ts';

/** What a promotion of one's listing costs. */
export const showPromote: PageHandler = async (visit) => {
  requireCaller(visit);
  return { page: await promotePage(visit) };
};

/** Goes on to the checkout of the payment provider, or the page that stands in for it. */
export const promote: PageHandler = async (visit) => {
  requireCaller(visit);
  const [plan, duration] = firstText(visit.form.offer).split('-');
  return submit(
    async () => {
      const { body } = await visit.perform('createPremiumCheckout', {
        params: { id: visit.params.id ?? '' },
        body: { plan, duration: Number(duration) },
        idempotencyKey: onceKey(visit),
      });
      return checkoutAnswer(visit, body.checkout_url);
    },
    async (problem) => promotePage(visit, problem),
  );
};

/**
 * The way to the checkout. The policy of the pages lets a form lead to this site alone, also by a redirect: to a provider's own
 * site a page leads on, by itself or by its link.
 */
function checkoutAnswer({ words, links }: Visit, checkout: string): PageAnswer {
  if (new URL(checkout).origin === new URL(links.base).origin) return { location: checkout };
  return {
    headers: { Refresh: `0; url=${checkout}` },
    page: {
      title: words.promote.goOn,
      content: html`<div class="narrow"><h1>${words.promote.goOn}</h1><p>${words.promote.goOnText}</p>
<p><a class="button" href="${checkout}">${words.promote.goOn}</a></p></div>`,
    },
  };
}

async function promotePage(visit: Visit, problem?: FormProblem): Promise<Page> {
  const { words, params, services, locale } = visit;
  const id = params.id ?? '';
  const [listing, { body: status }] = await Promise.all([
    readOwnListing(visit, id),
    visit.perform('getPremiumStatus', { params: { id } }),
  ]);
  const { pricesInCents, currency } = services.config.payments;
  const offers = (['featured', 'urgent'] as const).flatMap((plan) =>
    ([7, 30] as const).map((days) => ({ plan, days, amount: pricesInCents[plan][days] / 100 })),
  );
  return {
    title: words.my.promote,
    content: html`<div class="narrow"><h1>${words.my.promote}</h1><p>${listing.title}</p>${problemNote(visit, problem)}
${status.active && status.until && html`<p class="note">${words.listing[status.type === 'urgent' ? 'urgent' : 'featured']} · ${fill(words.my.until, { date: formatDay(locale, status.until) })}</p>`}
${offers.map(
  ({ plan, days, amount }) =>
    html`<form method="post" class="panel">${formGuard(visit)}${onceField()}<h2>${words.listing[plan]}, ${fill(words.promote.days, { days })}</h2><p class="soft">${words.promote[plan]}</p>
<button name="offer" value="${plan}-${days}">${formatMoney(locale, amount, currency)}</button></form>`,
)}</div>`,
  };
}
