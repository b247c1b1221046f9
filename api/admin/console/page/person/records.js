import { nameEvent } from '../event-words.js';
import { formatNumber } from '../format.js';
import { html } from '../html.js';
import { Id, Person } from '../links.js';
import { Empty, Section, Status, Table, Time } from '../parts.js';
import { kinds, reasonNames } from '../report-words.js';

const keyOf = ({ id }) => id;

const listingColumns = [
  { title: 'Listing', grow: true, render: ({ id, title }) => html`<${Id} of=${id}>${title}<//>` },
  { title: 'Status', render: ({ status }) => html`<${Status} of=${status} />` },
  { title: 'Made', align: 'end', render: ({ created_at: at }) => html`<${Time} at=${at} />` },
];

/** The newest listings of somebody, and how many there are of each kind. */
export function PersonListings({ detail: { account, listings } }) {
  const counts = Object.entries(listings.by_status).filter(([, count]) => count > 0);
  const all = html`<a href="#/listings?seller_id=${account.id}">All of them</a>`;
  return html`<${Section} title="Listings" aside=${counts.length > 0 && all}>
    ${counts.length > 0 && html`<p class="faint">${counts.map(([status, count]) => `${formatNumber(count)} ${status}`).join(', ')}</p>`}
    <${Table} label="Newest listings" columns=${listingColumns} rows=${listings.newest} keyOf=${keyOf} empty="They have offered nothing yet." />
  <//>`;
}

const reportColumns = (withReporter) => [
  {
    title: 'What',
    grow: true,
    render: ({ subject: { type, id, title }, text }) =>
      html`<a href="#/reports/${id}">${title || kinds[type]}</a><br /><span class="faint"
          >${kinds[type]}: ${text || 'without a word'}</span
        >`,
  },
  { title: 'As', render: ({ reason }) => html`<${Status} of=${reasonNames[reason]} tone="bad" />` },
  { title: 'State', phone: false, render: ({ status }) => html`<${Status} of=${status} />` },
  withReporter && {
    title: 'By',
    phone: false,
    render: ({ reporter }) => html`<${Person} of=${reporter} />`,
  },
  { title: 'When', align: 'end', render: ({ created_at: at }) => html`<${Time} at=${at} />` },
];
const received = reportColumns(true);
const made = reportColumns(false).filter(Boolean);

/** What was reported of somebody, of their listings, reviews and messages, and what they have reported. */
export function PersonReports({ detail: { counts, reports } }) {
  if (reports.received.length === 0 && reports.made.length === 0)
    return html`<${Section} title="Reports"><${Empty}>Nobody has reported them or what is theirs, and they have reported nothing.<//><//>`;
  return html`<${Section} title="Reports">
    ${
      reports.received.length > 0 &&
      html`<h3>Of them and what is theirs: ${formatNumber(counts.reports_received)}</h3>
        <${Table} label="Reports of them" columns=${received} rows=${reports.received} keyOf=${keyOf} />`
    }
    ${
      reports.made.length > 0 &&
      html`<h3>By them: ${formatNumber(counts.flags_made)}</h3>
        <${Table} label="Reports by them" columns=${made} rows=${reports.made} keyOf=${keyOf} />`
    }
  <//>`;
}

/** What the journal has of somebody and of their listings: events are kept for 90 days. */
export function PersonHistory({ events, id }) {
  return html`<${Section} title="History">
    ${events.length === 0 && html`<${Empty}>Nothing has happened in the last 90 days.<//>`}
    <ol class="history">
      ${events.map(
        ({ seq, type, subject, title, at, actor }) =>
          html`<li key=${seq}>
            <strong>${nameEvent(type)}</strong>${' '} ${title && html`<${Id} of=${subject}>${title}<//>`}${' '}
            <span class="faint">
              ${!actor && 'by the service, '}
              ${actor && actor.id !== id && html`by <${Person} of=${actor} />, `}<${Time} at=${at} />
            </span>
          </li>`,
      )}
    </ol>
  <//>`;
}
