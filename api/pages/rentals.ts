import { field, onceField, onceKey, problemNote, submit, firstText, type FormProblem } from './forms.ts';
import { fill, formatDay, formatMoney } from './format.ts';
import { gallery } from './gallery.ts';
import { html, type Child, type Markup } from './html.ts';
import { readImageSizes, responsiveImage } from './image-sizes.ts';
import type { Page } from './layout.ts';
import type { PageAnswer, PageHandler } from './page-handler.ts';
import { CARD_WIDTH, formGuard, noPhoto, pageLinks, placeOf, readCardSizes } from './parts.ts';
import { rentalCalendar } from './rental-calendar.ts';
import { requireCaller, type Visit } from './visit.ts';

/** The boats that can be rented. */
export const showRentals: PageHandler = async (visit) => {
  const { words, href, query, locale } = visit;
  const page = typeof query.page === 'string' ? query.page : '1';
  const { body } = await visit.perform('listRentals', { query: { page, limit: '24' } });
  const sizes = await readCardSizes(visit, body.results);
  return {
    tag: 'rentals',
    page: {
      title: words.rental.title,
      canonical: visit.url('rentals', {}),
      content: html`<h1>${words.rental.title}</h1>
${body.results.length === 0 && html`<p class="note">${words.my.none}</p>`}
<ul class="cards">${body.results.map(
        ({ slug, title, price_per_day: price, currency, location, images: [image] }) =>
          html`<li class="card"><div class="photo">${image ? responsiveImage(image, sizes, { shownWidth: CARD_WIDTH, isFirst: false }) : noPhoto(words.listing.noImage)}</div>
<div class="text"><p class="price">${fill(words.rental.perDay, { price: formatMoney(locale, price, currency) })}</p>
<h2><a href="${href('rental', { slug })}">${title}</a></h2><p class="soft">${placeOf(locale, location)}</p></div></li>`,
      )}</ul>
${pageLinks(visit, body.pagination, (number) => href('rentals', { page: String(number) }))}`,
    },
  };
};

/** One rental: photos, price, the calendar of what is free, and asking for a booking. */
export const showRental: PageHandler = async (visit) => rentalAnswer(visit);

/** Asks the owner for a booking. */
export const book: PageHandler = async (visit) => {
  requireCaller(visit);
  const { form, params, href } = visit;
  return submit(
    async () => {
      const { body: rental } = await visit.perform('getRental', { params: { id: params.slug ?? '' } });
      const message = firstText(form.message);
      await visit.perform('createBooking', {
        params: { id: rental.id },
        body: { date_from: firstText(form.date_from), date_to: firstText(form.date_to), ...(message && { message }) },
        idempotencyKey: onceKey(visit),
      });
      return { location: href('bookings', { done: 'asked' }) };
    },
    async (problem) => (await rentalAnswer(visit, problem)).page,
  );
};

async function rentalAnswer(visit: Visit, problem?: FormProblem): Promise<Extract<PageAnswer, { page: Page }>> {
  const { words, locale, href, params, services } = visit;
  const { body: rental, cacheSubject } = await visit.perform('getRental', { params: { id: params.slug ?? '' } });
  const today = services.clock.now().toISOString().slice(0, 10);
  return {
    tag: 'rental',
    subject: cacheSubject,
    page: {
      title: rental.title,
      description: rental.description.replaceAll(/\s+/g, ' ').slice(0, 160),
      canonical: visit.url('rental', { slug: rental.slug }),
      image: rental.images[0],
      content: html`<nav aria-label="${words.rental.title}"><ol class="crumbs"><li><a href="${href('rentals', {})}">${words.rental.title}</a></li></ol></nav>
<article class="listing"><div>
${gallery(visit, rental, await readImageSizes(visit, rental.images))}</div>
<aside><section class="panel"><h1>${rental.title}</h1>
<p class="price">${fill(words.rental.perDay, { price: formatMoney(locale, rental.price_per_day, rental.currency) })}</p>
<p>${placeOf(locale, rental.location)}</p><p class="soft"><a href="${href('seller', { id: rental.owner.id })}">${rental.owner.name}</a></p>
${problemNote(visit, problem)}${bookingForm(visit, problem, { today, ...rental.availability })}</section></aside>
<div><section class="panel"><h2>${words.rental.calendar}</h2>${rentalCalendar(visit, today, rental.availability, rental.unavailable)}</section>
<section class="panel"><h2>${words.listing.description}</h2><div class="prose">${rental.description}</div></section></div></article>`,
    },
  };
}

type Season = { today: string; available_from: string; available_to: string };

function bookingForm(
  visit: Visit,
  problem: FormProblem | undefined,
  { today, available_from: first, available_to: last }: Season,
): Markup {
  const { words, href, caller, params } = visit;
  const here = href('rental', { slug: params.slug ?? '' });
  if (!caller) return html`<a class="button" href="${href('sign_in', { next: here })}">${words.rental.signIn}</a>`;
  const date = { type: 'date', required: true, attributes: ` min="${first > today ? first : today}" max="${last}"` };
  return html`<form method="post" action="${here}">${formGuard(visit)}${onceField()}
<div class="pair">${field(visit, 'date_from', words.rental.from, problem, date)}${field(visit, 'date_to', words.rental.to, problem, date)}</div>
${field(visit, 'message', words.listing.message, problem, { rows: 3, attributes: ' maxlength="2000"' })}
<button>${words.rental.ask}</button></form>`;
}

/** What somebody has booked, and what others ask of the boats they rent out. */
export const showBookings: PageHandler = async (visit) => {
  requireCaller(visit);
  return { page: await bookingsPage(visit) };
};

const answers = {
  confirm: ['confirmBooking', 'confirmed'],
  decline: ['declineBooking', 'declined'],
  cancel: ['cancelBooking', 'cancelled'],
} as const;

/** Confirms, declines or cancels a booking. */
export const answerBooking: PageHandler = async (visit) => {
  requireCaller(visit);
  const { form } = visit;
  const params = { id: firstText(form.rental_id), bookingId: firstText(form.id) };
  return submit(
    async () => {
      const idempotencyKey = onceKey(visit);
      const action = firstText(form.action);
      const [operation, done] = Object.hasOwn(answers, action)
        ? answers[action as keyof typeof answers]
        : answers.cancel;
      await visit.perform(operation, { params, idempotencyKey });
      return { location: visit.href('bookings', { done }) };
    },
    async (problem) => bookingsPage(visit, problem),
  );
};

async function bookingsPage(visit: Visit, problem?: FormProblem): Promise<Page> {
  const { words } = visit;
  const [{ body: own }, { body: rentals }] = await Promise.all([
    visit.perform('listMyBookings', { query: { limit: '50' } }),
    visit.perform('listMyRentals', { query: { limit: '50' } }),
  ]);
  const asked = await Promise.all(
    rentals.results.map(async ({ id }) =>
      visit.perform('listRentalBookings', { params: { id }, query: { limit: '50' } }),
    ),
  );
  const received = asked.flatMap(({ body }) => body.results);
  return {
    title: words.nav.bookings,
    content: html`<div class="narrow"><h1>${words.nav.bookings}</h1>${problemNote(visit, problem)}
${own.results.length + received.length === 0 && html`<p class="note">${words.my.none} <a href="${visit.href('rentals', {})}">${words.rental.title}</a></p>`}
${received.length > 0 && html`<h2>${words.rental.received}</h2><ul class="rows">${received.map((each) => booking(visit, each, true))}</ul>`}
${own.results.length > 0 && html`<h2>${words.rental.own}</h2><ul class="rows">${own.results.map((each) => booking(visit, each, false))}</ul>`}</div>`,
  };
}

type Booking = {
  id: string;
  rental: { id: string; slug: string; title: string };
  renter: { name: string };
  date_from: string;
  date_to: string;
  total_price: number;
  currency: string;
  message: string | null;
  status: 'requested' | 'confirmed' | 'declined' | 'cancelled' | 'lapsed';
};

function booking(visit: Visit, each: Booking, isOwner: boolean): Markup {
  const { words, href, locale } = visit;
  const actions: Child[] = [];
  const button = (action: string, label: string) =>
    html`<form method="post">${formGuard(visit)}${onceField()}<input type="hidden" name="rental_id" value="${each.rental.id}"><input type="hidden" name="id" value="${each.id}"><button class="plain" name="action" value="${action}">${label}</button></form>`;
  if (isOwner && each.status === 'requested')
    actions.push(button('confirm', words.rental.confirm), button('decline', words.rental.decline));
  else if (each.status === 'requested' || each.status === 'confirmed')
    actions.push(
      html`<details><summary>${words.rental.cancel}</summary>${button('cancel', words.rental.cancelYes)}</details>`,
    );
  return html`<li class="panel"><h3><a href="${href('rental', { slug: each.rental.slug })}">${each.rental.title}</a></h3>
<p>${formatDay(locale, each.date_from)} – ${formatDay(locale, each.date_to)} · ${formatMoney(locale, each.total_price, each.currency)} · ${words.bookingStatuses[each.status]}${isOwner && ` · ${each.renter.name}`}</p>
${each.message && html`<p class="prose">${each.message}</p>`}<div class="stack">${actions}</div></li>`;
}
