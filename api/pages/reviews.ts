import type { Performed } from '../http/perform.ts';
import { isRefusedRequest } from '../http/perform.ts';
import { field, onceField, onceKey, problemNote, select, submit, firstText, type FormProblem } from './forms.ts';
import { formatDay } from './format.ts';
import { html, type Child, type Markup } from './html.ts';
import type { Page } from './layout.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard, pageLinks } from './parts.ts';
import { requireCaller, type Visit } from './visit.ts';

type Review = Performed<'listUserReviews'>['body']['results'][number];
type Conversation = Performed<'getConversation'>['body'];

const STARS = ['5', '4', '3', '2', '1'] as const;

/**
 * Reviewing the seller, for a buyer whom the seller has answered and who has not reviewed the listing yet; nothing for others,
 * nor where the listing is gone.
 */
export async function reviewForm(
  visit: Visit,
  { listing, buyer, seller, messages }: Conversation,
  problem?: FormProblem,
) {
  const { words, caller } = visit;
  const isAnswered = messages.results.some(({ sender_id: sender }) => sender === seller.id);
  if (caller?.userId !== buyer.id || !isAnswered) return undefined;
  const reviews = await visit
    .perform('listListingReviews', { params: { id: listing.id }, query: { limit: '100' } })
    .catch((error: unknown) => {
      if (isRefusedRequest(error)) return undefined;
      throw error;
    });
  if (!reviews || reviews.body.results.some(({ reviewer }) => reviewer.id === buyer.id)) return undefined;
  return html`<details class="panel"${problem && html` open`}><summary>${words.reviews.write}</summary>
<form method="post">${formGuard(visit)}${onceField()}<input type="hidden" name="action" value="review"><input type="hidden" name="listing" value="${listing.id}">
${select(
  visit,
  'rating',
  words.reviews.rating,
  STARS.map((stars) => [stars, '★'.repeat(Number(stars))]),
  problem,
)}
${field(visit, 'comment', words.reviews.comment, problem, { rows: 3, attributes: ' maxlength="2000"' })}
<button class="plain">${words.listing.send}</button></form></details>`;
}

/** Stores the review that the form of a conversation has sent. */
export async function sendReview(visit: Visit): Promise<void> {
  const { form } = visit;
  const comment = firstText(form.comment).trim();
  await visit.perform('createReview', {
    params: { id: firstText(form.listing) },
    body: { rating: Number(firstText(form.rating)), ...(comment && { comment }) },
    idempotencyKey: onceKey(visit),
  });
}

/** What buyers have written about somebody as a seller, each to be answered once. */
export const showReviews: PageHandler = async (visit) => ({ page: await reviewsPage(visit) });

/** Answers a review. */
export const answerReview: PageHandler = async (visit) => {
  requireCaller(visit);
  const { form } = visit;
  return submit(
    async () => {
      await visit.perform('replyToReview', {
        params: { id: firstText(form.listing), reviewId: firstText(form.id) },
        body: { reply: firstText(form.reply) },
        idempotencyKey: onceKey(visit),
      });
      return { location: visit.href('reviews', { done: 'saved' }) };
    },
    async (problem) => reviewsPage(visit, problem),
  );
};

async function reviewsPage(visit: Visit, problem?: FormProblem): Promise<Page> {
  const { words, href, query } = visit;
  const params = { id: requireCaller(visit).userId };
  const page = typeof query.page === 'string' ? query.page : '1';
  const { body } = await visit.perform('listUserReviews', { params, query: { page, limit: '20' } });
  const answered = firstText(visit.form.id);
  return {
    title: words.nav.reviews,
    content: html`<div class="narrow"><h1>${words.nav.reviews}</h1>${problemNote(visit, problem)}
${body.results.length === 0 && html`<p class="note">${words.seller.noReviews}</p>`}
<ul class="rows">${body.results.map((each) => row(visit, each, each.id === answered ? problem : undefined))}</ul>
${pageLinks(visit, body.pagination, (number) => href('reviews', { page: String(number) }))}</div>`,
  };
}

function row(visit: Visit, review: Review, problem?: FormProblem): Markup {
  const { words, locale } = visit;
  const { id, listing_id: listing, rating, reviewer, created_at: at, comment, reply } = review;
  const answer: Child = reply
    ? html`<p class="note"><strong>${words.seller.reply}</strong> ${reply.text}</p>`
    : html`<form method="post">${formGuard(visit)}${onceField()}<input type="hidden" name="id" value="${id}"><input type="hidden" name="listing" value="${listing}">
${field(visit, 'reply', words.reviews.answer, problem, { rows: 2, required: true, attributes: ' maxlength="2000"' })}<button class="plain">${words.listing.send}</button></form>`;
  return html`<li class="panel"><p><span aria-label="${rating} / 5" role="img">${'★'.repeat(rating)}<span class="soft">${'★'.repeat(5 - rating)}</span></span> ${reviewer.name} · ${formatDay(locale, at)}</p>
${comment && html`<p class="prose">${comment}</p>`}${answer}</li>`;
}
