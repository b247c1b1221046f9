import { changeBlock, personActions } from './blocks.ts';
import { field, onceField, onceKey, problemNote, submit, firstText, type FormProblem } from './forms.ts';
import { formatDay } from './format.ts';
import { html, raw } from './html.ts';
import type { Page } from './layout.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard, pageLinks } from './parts.ts';
import { reviewForm, sendReview } from './reviews.ts';
import { requireCaller, type Visit } from './visit.ts';

const MESSAGES = '50';

/** One's conversations, those with something new first told. */
export const showInbox: PageHandler = async (visit) => {
  const me = requireCaller(visit).userId;
  const { words, href, locale, query } = visit;
  const page = typeof query.page === 'string' ? query.page : '1';
  const { body } = await visit.perform('listConversations', { query: { page, limit: '20' } });
  return {
    page: {
      title: words.nav.inbox,
      content: html`<h1>${words.nav.inbox}</h1>
${body.results.length === 0 && html`<p class="note">${words.inbox.none}</p>`}
<ul class="rows">${body.results.map(
        ({ id, listing, buyer, seller, last_message: last, unread_count: unread, last_message_at: at }) => {
          const other = buyer.id === me ? seller : buyer;
          return html`<li class="panel"><h2><a href="${href('conversation', { id })}">${other.name}: ${listing.title}</a>${unread > 0 && html` <span class="count">${unread}</span>`}</h2>
<p class="soft">${formatDay(locale, at)}${last && html` · ${last.content.slice(0, 160)}`}</p></li>`;
        },
      )}</ul>
${pageLinks(visit, body.pagination, (number) => href('inbox', { page: String(number) }))}`,
    },
  };
};

/** One conversation; reading it marks it as read. */
export const showConversation: PageHandler = async (visit) => {
  requireCaller(visit);
  const page = await conversationPage(visit);
  await visit.perform('markConversationRead', { params: { id: visit.params.id ?? '' } });
  return { page };
};

/** Sends a message, or a review of the seller, then shows the conversation with it. */
export const reply: PageHandler = async (visit) => {
  requireCaller(visit);
  const id = visit.params.id ?? '';
  return submit(
    async () => {
      if (firstText(visit.form.action) === 'review') {
        await sendReview(visit);
        return { location: visit.href('conversation', { id, done: 'reviewed' }) };
      }
      const done = await changeBlock(visit);
      if (done) return { location: visit.href('conversation', { id, done }) };
      const content = firstText(visit.form.content);
      await visit.perform('sendMessage', { params: { id }, body: { content }, idempotencyKey: onceKey(visit) });
      return { location: `${visit.href('conversation', { id })}#last` };
    },
    async (problem) => conversationPage(visit, problem),
  );
};

async function conversationPage(visit: Visit, problem?: FormProblem): Promise<Page> {
  const { words, href, locale, caller, query, params } = visit;
  const page = typeof query.page === 'string' ? query.page : '1';
  const { body } = await visit.perform('getConversation', {
    params: { id: params.id ?? '' },
    query: { sort: 'newest', limit: MESSAGES, page },
  });
  const other = body.buyer.id === caller?.userId ? body.seller : body.buyer;
  const messages = body.messages.results.toReversed();
  const isReview = firstText(visit.form.action) === 'review';
  return {
    title: `${other.name}: ${body.listing.title}`,
    content: html`<div class="narrow"><h1>${other.name}</h1>
<p><a href="${href('listing', { slug: body.listing.slug })}">${body.listing.title}</a></p>
${pageLinks(visit, body.messages.pagination, (number) => href('conversation', { id: body.id, page: String(number) }))}
<ol class="messages">${messages.map(
      ({ id, sender_id: from, content, created_at: at, removed: isRemoved }, index) =>
        html`<li class="panel${from === caller?.userId && raw(' own')}"${index === messages.length - 1 && raw(' id="last"')}>${isRemoved ? html`<p class="soft">${words.reports.removed}</p>` : html`<p class="prose">${content}</p>`}<p class="soft">${from === caller?.userId ? words.inbox.you : other.name} · <time datetime="${at}" data-time>${formatDay(locale, at)}</time>${from !== caller?.userId && !isRemoved && html` · <a class="soft" href="${href('report', { type: 'message', id })}" rel="nofollow">${words.reports.ask}</a>`}</p></li>`,
    )}</ol>
${problemNote(visit, problem)}
<form method="post">${formGuard(visit)}${onceField()}
${field(visit, 'content', words.listing.message, isReview ? undefined : problem, { rows: 4, required: true, attributes: ' maxlength="5000"' })}
<button>${words.listing.send}</button></form>
${await reviewForm(visit, body, isReview ? problem : undefined)}
${await personActions(visit, other.id)}</div>`,
  };
}
