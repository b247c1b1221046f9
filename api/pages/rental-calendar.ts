import { html, raw, type Markup } from './html.ts';
import type { Visit } from './visit.ts';
import { DAY_MS } from '../../shared/kit/clock.ts';

/** So many months are seen at once; later ones, up to a year, are behind a line that opens. */
const MONTHS_OPEN = 3;
const MAX_MONTHS = 12;

type Span = { from: string; to: string };

const isoOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The coming months as tables of days: free, taken, or not offered. Days are dates without a zone; the day of departure is free. */
export function rentalCalendar(
  { locale, words }: Visit,
  today: string,
  { available_from: from, available_to: to }: { available_from: string; available_to: string },
  taken: readonly Span[],
): Markup {
  const start = today > from ? today : from;
  const [year = 0, month = 1] = start.split('-').map(Number);
  const stateOf = (day: string) => {
    if (day < today || day < from || day > to) return 'off';
    return taken.some((span) => span.from <= day && day < span.to) ? 'taken' : 'free';
  };
  const labels = { off: words.rental.notOffered, taken: words.rental.taken, free: words.rental.free };
  const title = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'narrow', timeZone: 'UTC' });
  // The 1st of January 2024 was a Monday.
  const heads = Array.from({ length: 7 }, (_, index) => weekday.format(Date.UTC(2024, 0, 1 + index)));
  const [lastYear = 0, lastMonth = 1] = to.split('-').map(Number);
  const count = Math.max(1, (lastYear - year) * 12 + lastMonth - month + 1);
  const months = Array.from({ length: Math.min(MAX_MONTHS, count) }, (_, index) =>
    Date.UTC(year, month - 1 + index, 1),
  );
  const table = (first: number) => {
    const end = Date.UTC(new Date(first).getUTCFullYear(), new Date(first).getUTCMonth() + 1, 1);
    const days = Array.from({ length: (end - first) / DAY_MS }, (_, index) => isoOf(first + index * DAY_MS));
    const blanks = (new Date(first).getUTCDay() + 6) % 7;
    const cells = [...Array.from({ length: blanks }, () => ''), ...days];
    const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, index) =>
      cells.slice(index * 7, index * 7 + 7),
    );
    return html`<table class="month"><caption>${title.format(first)}</caption><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${weeks.map(
  (week) =>
    html`<tr>${week.map((day) => (day === '' ? html`<td></td>` : html`<td class="${stateOf(day)}"><span${stateOf(day) !== 'free' && html` title="${labels[stateOf(day)]}"`}>${Number(day.slice(8))}${raw(stateOf(day) === 'taken' ? `<span class="skip"> (` : '')}${stateOf(day) === 'taken' && words.rental.taken}${raw(stateOf(day) === 'taken' ? ')</span>' : '')}</span></td>`))}</tr>`,
)}</tbody></table>`;
  };
  const later = months.slice(MONTHS_OPEN);
  return html`<div class="months">${months.slice(0, MONTHS_OPEN).map(table)}</div>
${later.length > 0 && html`<details><summary>${words.rental.later}</summary><div class="months">${later.map(table)}</div></details>`}
<p class="soft legend"><span class="free">${words.rental.free}</span> <span class="taken">${words.rental.taken}</span></p>`;
}
