import { api, withQuery } from '../api.js';
import { formatMoney } from '../format.js';
import { html } from '../html.js';
import { Id } from '../links.js';
import { useLive } from '../live.js';
import { namePayment } from '../payment-words.js';
import { Section, Status, Table, Time } from '../parts.js';

const shown = 10;

const columns = [
  {
    title: 'For',
    grow: true,
    render: ({ listing, plan, duration }) =>
      html`<${Id} of=${listing.id}>${listing.title || listing.id}<//>
        <span class="faint">${plan} for ${duration} days</span>`,
  },
  { title: 'State', render: ({ status }) => html`<${Status} of=${status}>${namePayment(status)}<//>` },
  {
    title: 'Amount',
    align: 'end',
    render: ({ amount_cents: cents, currency }) =>
      html`<span class="number">${formatMoney(cents / 100, currency)}</span>`,
  },
  {
    title: 'When',
    align: 'end',
    render: (row) => html`<${Time} at=${row.completed_at ?? row.created_at} />`,
  },
];

/** The last payments of somebody; refunds are made where all of them are listed. */
export function PersonPayments({ id }) {
  const path = withQuery('/api/admin/payments', { q: id, limit: shown });
  const payments = useLive((options) => api.get(path, options), { on: ['premium.'], inputs: [path] });
  return html`<${Section}
    title="Payments"
    live=${payments}
    aside=${payments.data?.results.length > 0 && html`<a href="#/payments?q=${id}">All of them, with refunds</a>`}
  >
    <${Table}
      label="Payments"
      columns=${columns}
      rows=${payments.data?.results}
      keyOf=${(row) => row.id}
      empty="They have paid for nothing."
    />
  <//>`;
}
