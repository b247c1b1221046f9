import { nameEvent } from '../event-words.js';
import { formatNumber } from '../format.js';
import { html } from '../html.js';
import { Id, Person } from '../links.js';
import { Empty, Section, Status, Table, Time } from '../parts.js';

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
    title: 'Listing',
    grow: true,
    render: ({ listing_id: id, listing_title: title, description }) =>
      html`<${Id} of=${id}>${title}<//> <span class="faint">${description ?? 'without a word'}</span>`,
  },
  { title: 'As', render: ({ reason }) => html`<${Status} of=${reason} tone="bad" />` },
  withReporter && {
    title: 'By',
    phone: false,
    render: ({ reporter_id: id, reporter_name: name }) => html`<${Person} of=${{ id, name }} />`,
  },
  { title: 'When', align: 'end', render: ({ created_at: at }) => html`<${Time} at=${at} />` },
];
const received = reportColumns(true);
const made = reportColumns(false).filter(Boolean);

/** What was reported of somebody's listings, and what they have reported. */
export function PersonReports({ detail: { counts, flags, flags_made: own } }) {
  if (flags.length === 0 && own.length === 0)
    return html`<${Section} title="Reports"><${Empty}>Nobody has reported their listings, and they have reported nothing.<//><//>`;
  return html`<${Section} title="Reports">
    ${
      flags.length > 0 &&
      html`<h3>Of their listings: ${formatNumber(counts.flags_received)}</h3>
        <${Table} label="Reports of their listings" columns=${received} rows=${flags} keyOf=${keyOf} />`
    }
    ${
      own.length > 0 &&
      html`<h3>By them: ${formatNumber(counts.flags_made)}</h3>
        <${Table} label="Reports by them" columns=${made} rows=${own} keyOf=${keyOf} />`
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
