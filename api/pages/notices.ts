import type { Performed } from '../http/perform.ts';
import { field, onceField, onceKey, problemNote, submit, firstText, type FormProblem } from './forms.ts';
import { fill, formatDay } from './format.ts';
import { html, type Child, type Markup } from './html.ts';
import type { Page } from './layout.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard, pageLinks } from './parts.ts';
import { requireCaller, type Visit } from './visit.ts';

type Notice = Performed<'listMyNotices'>['body']['results'][number];

/** What moderation has restricted of somebody's, each with its reasons and the way to appeal. */
export const showNotices: PageHandler = async (visit) => {
  requireCaller(visit);
  return { page: await noticesPage(visit) };
};

/** Appeals against one of them. */
export const appealByForm: PageHandler = async (visit) => {
  requireCaller(visit);
  const { form, href } = visit;
  return submit(
    async () => {
      await visit.perform('appealNotice', {
        params: { id: firstText(form.id) },
        body: { text: firstText(form.text) },
        idempotencyKey: onceKey(visit),
      });
      return { location: href('notices', { done: 'appealed' }) };
    },
    (problem) => noticesPage(visit, problem),
  );
};

async function noticesPage(visit: Visit, problem?: FormProblem): Promise<Page> {
  const { words, href, query, form } = visit;
  const page = typeof query.page === 'string' ? query.page : '1';
  const { body } = await visit.perform('listMyNotices', { query: { page, limit: '20' } });
  const appealed = firstText(form.id);
  return {
    title: words.notices.title,
    content: html`<div class="narrow"><h1>${words.notices.title}</h1>${problemNote(visit, problem)}
${body.results.length === 0 && html`<p class="note">${words.notices.none}</p>`}
<ul class="rows">${body.results.map((each) => row(visit, each, each.id === appealed ? problem : undefined))}</ul>
${pageLinks(visit, body.pagination, (number) => href('notices', { page: String(number) }))}</div>`,
  };
}

function row(visit: Visit, notice: Notice, problem?: FormProblem): Markup {
  const { words, locale } = visit;
  const { restriction, duration, facts, basis, automation, ground, explanation, redress } = notice.statement;
  const { lifted_at: liftedAt } = notice;
  return html`<li class="panel" id="${notice.id}"><h2 dir="auto">${restriction}</h2>
<p class="soft">${formatDay(locale, notice.created_at)}${liftedAt && html` · <strong>${fill(words.notices.lifted, { date: formatDay(locale, liftedAt) })}</strong>`}</p>
${!liftedAt && html`<p>${duration}</p>`}
<blockquote dir="auto">${facts}${explanation && html`<br>${explanation}`}</blockquote>
<p>${ground}</p><p>${basis} ${automation}</p>
${!liftedAt && html`<p class="soft">${redress}</p>`}
${appealOf(visit, notice, problem)}</li>`;
}

function appealOf(visit: Visit, { id, appeal, can_appeal: isPossible }: Notice, problem?: FormProblem): Child {
  const { words, locale } = visit;
  if (appeal) {
    const { outcome, answer, created_at: at, decided_at: decidedAt } = appeal;
    const told = outcome === null ? words.notices.pending : words.notices[outcome];
    return html`<p class="note">${fill(told, { date: formatDay(locale, decidedAt ?? at) })}${answer && html`<br><span dir="auto">${answer}</span>`}</p>`;
  }
  if (!isPossible) return undefined;
  return html`<details${problem && html` open`}><summary>${words.notices.appeal}</summary>
<form method="post">${formGuard(visit)}${onceField()}<input type="hidden" name="id" value="${id}">
${field(visit, 'text', words.notices.why, problem, { rows: 4, required: true, attributes: ' maxlength="5000"' })}
<button>${words.notices.appeal}</button></form></details>`;
}
