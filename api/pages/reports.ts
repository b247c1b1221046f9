import { subjectTypes, type SubjectType } from '../../shared/notices/subject.ts';
import type { Performed } from '../http/perform.ts';
import { field, onceField, onceKey, problemNote, select, submit, firstText, type FormProblem } from './forms.ts';
import { formatDay } from './format.ts';
import { html, type Markup } from './html.ts';
import type { Page } from './layout.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard, pageLinks } from './parts.ts';
import { requireCaller, type Visit } from './visit.ts';

type OwnReport = Performed<'listMyReports'>['body']['results'][number];

/** What somebody has reported, each with what came of it. */
export const showReports: PageHandler = async (visit) => {
  requireCaller(visit);
  const { words, href, query } = visit;
  const page = typeof query.page === 'string' ? query.page : '1';
  const { body } = await visit.perform('listMyReports', { query: { page, limit: '20' } });
  return {
    page: {
      title: words.reports.title,
      content: html`<div class="narrow"><h1>${words.reports.title}</h1>
${body.results.length === 0 && html`<p class="note">${words.reports.none}</p>`}
<ul class="rows">${body.results.map((each) => row(visit, each))}</ul>
${pageLinks(visit, body.pagination, (number) => href('reports', { page: String(number) }))}</div>`,
    },
  };
};

function row({ words, locale, href }: Visit, report: OwnReport): Markup {
  const { subject, reason, text, outcome, created_at: at, decided_at: decidedAt } = report;
  const name = subject.title ?? words.reports.subjects[subject.type];
  const title = subject.slug
    ? html`<a href="${href('listing', { slug: subject.slug })}" dir="auto">${name}</a>`
    : html`<span dir="auto">${name}</span>`;
  return html`<li class="panel"><h2>${title}</h2>
<p class="soft">${words.reports.subjects[subject.type]} · ${words.reasons[reason]} · ${formatDay(locale, at)}</p>
${text && html`<p class="prose" dir="auto">${text}</p>`}
<p>${words.reports.outcomes[outcome]}${decidedAt && html` <span class="soft">${formatDay(locale, decidedAt)}</span>`}</p></li>`;
}

/** The form that reports a person, a review or a message, as the address names it. */
export const showReport: PageHandler = async (visit) => {
  requireCaller(visit);
  return { page: reportPage(visit) };
};

/** Sends the report, and shows it among the others. */
export const sendReport: PageHandler = async (visit) => {
  requireCaller(visit);
  const { form, href } = visit;
  return submit(
    async () => {
      const text = firstText(form.text).trim();
      await visit.perform('createReport', {
        body: { ...subjectOfVisit(visit), reason: firstText(form.reason), ...(text && { text }) },
        idempotencyKey: onceKey(visit),
      });
      return { location: href('reports', { done: 'reported' }) };
    },
    (problem) => reportPage(visit, problem),
  );
};

function reportPage(visit: Visit, problem?: FormProblem): Page {
  const { words } = visit;
  const { subject_type: type, subject_id: id } = subjectOfVisit(visit);
  return {
    title: words.reports.heading,
    content: html`<div class="narrow"><h1>${words.reports.heading}: ${words.reports.subjects[type]}</h1>
<p class="soft">${words.reports.promise}</p>${problemNote(visit, problem)}
<form method="post" class="panel">${formGuard(visit)}${onceField()}<input type="hidden" name="type" value="${type}"><input type="hidden" name="id" value="${id}">
${select(visit, 'reason', words.listing.reportReason, Object.entries(words.reasons), problem)}
${field(visit, 'text', words.reports.text, problem, { rows: 4, attributes: ' maxlength="2000"' })}
<button>${words.listing.send}</button></form></div>`,
  };
}

/** What the form or the address names; a person, where it names no kind that there is. */
function subjectOfVisit({ form, query }: Visit): { subject_type: SubjectType; subject_id: string } {
  const named = (name: string) => firstText(form[name]) || (typeof query[name] === 'string' ? query[name] : '');
  const type = subjectTypes.find((each) => each === named('type')) ?? 'user';
  return { subject_type: type, subject_id: named('id') };
}
