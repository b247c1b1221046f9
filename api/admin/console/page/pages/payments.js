import { api, withQuery } from '../api.js';
import { formatMoney, formatNumber } from '../format.js';
import { html } from '../html.js';
import { Id, Person } from '../links.js';
import { useLive } from '../live.js';
import { namePayment, paymentStates } from '../payment-words.js';
import { Button, Pagination, Section, Select, Status, Table, Time } from '../parts.js';
import { useQuery } from '../route.js';
import { SearchField } from '../search-field.js';

const problems = { amount_mismatch: 'another amount was paid', listing_gone: 'the listing was gone' };
const amountOf = ({ amount_cents: cents, currency }) => formatMoney(cents / 100, currency);

function View() {
  const [{ q = '', status = '', page = '1' }, setQuery] = useQuery();
  const path = withQuery('/api/admin/payments', { q, status, page, limit: 25 });
  const payments = useLive((options) => api.get(path, options), { on: ['premium.'], everyMs: 60_000, inputs: [path] });
  const revenue = useLive((options) => api.get('/api/admin/payments/revenue', options), { on: ['premium.'] });
  const refund = (id) => async () => {
    await api.post(`/api/admin/payments/${id}/refund`);
    await Promise.all([payments.refresh(), revenue.refresh()]);
  };
  const columns = [
    {
      title: 'For',
      grow: true,
      render: ({ listing, plan, duration, problem }) =>
        html`<${Id} of=${listing.id}>${listing.title || listing.id}<//>
          <span class="faint">${plan} for ${duration} days${problem ? `, promotes nothing: ${problems[problem]}` : ''}</span>`,
    },
    { title: 'State', render: (row) => html`<${Status} of=${row.status}>${namePayment(row.status)}<//>` },
    { title: 'Amount', align: 'end', render: (row) => html`<span class="number">${amountOf(row)}</span>` },
    {
      title: 'By',
      phone: false,
      render: ({ buyer }) => html`<${Person} of=${buyer} /><span class="faint">${buyer.email}</span>`,
    },
    {
      title: 'When',
      align: 'end',
      phone: false,
      render: (row) => html`<${Time} at=${row.completed_at ?? row.created_at} />`,
    },
    {
      title: '',
      align: 'end',
      render: (row) =>
        row.status === 'completed' &&
        html`<${Button}
          small
          kind="danger"
          confirm=${{
            title: `Give ${amountOf(row)} back to ${row.buyer.name}?`,
            text: 'The whole amount goes back the way it was paid, and what it has promoted ends. This cannot be taken back.',
            action: 'Give it back',
          }}
          onClick=${refund(row.id)}
          done="${amountOf(row)} went back to ${row.buyer.name}."
        >
          Refund
        <//>`,
    },
  ];
  return html`<${Revenue} live=${revenue} />
    <${SearchField}
      label="Search payments"
      placeholder="Listing, buyer, e-mail or id"
      value=${q}
      onSearch=${(next) => setQuery({ q: next, page: '' })}
    />
    <${Section}
      title="All payments"
      live=${payments}
      aside=${html`<${Select}
        label="State"
        value=${status}
        options=${[['', 'all'], ...paymentStates]}
        onChange=${(value) => setQuery({ status: value, page: '' })}
      />`}
    >
      <${Table}
        label="Payments"
        columns=${columns}
        rows=${payments.data?.results}
        stale=${payments.stale}
        keyOf=${({ id }) => id}
        empty=${
          q || status
            ? html`No payment is like that. <${Button} small onClick=${() => setQuery({ q: '', status: '', page: '' })}>Show all payments<//>`
            : 'Nobody has paid for a promotion yet: sellers are offered one on the page of each of their listings.'
        }
      />
      <${Pagination} of=${payments.data?.pagination} onPage=${(next) => setQuery({ page: next })} />
    <//>`;
}

const monthNames = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

function Revenue({ live }) {
  const money = (name) => (row) => html`<span class="number">${formatMoney(row[name] / 100, row.currency)}</span>`;
  const columns = [
    { title: 'Month', grow: true, render: ({ month }) => monthNames.format(new Date(`${month}-01T00:00:00Z`)) },
    { title: 'Payments', align: 'end', phone: false, render: ({ payments }) => formatNumber(payments) },
    { title: 'Paid', align: 'end', render: money('paid_cents') },
    { title: 'Given back', align: 'end', render: money('refunded_cents') },
    {
      title: 'Revenue',
      align: 'end',
      render: (row) =>
        html`<strong class="number">${formatMoney((row.paid_cents - row.refunded_cents) / 100, row.currency)}</strong>`,
    },
  ];
  const isStub = live.data?.mode === 'stub';
  return html`<${Section} title="Revenue by month" live=${live} aside=${isStub && html`<span class="faint">in play: no payment provider is configured</span>`}>
    <${Table}
      label="Revenue by month"
      columns=${columns}
      rows=${live.data?.months.toReversed()}
      keyOf=${({ month, currency }) => `${month} ${currency}`}
      empty="Nothing was paid in the last twelve months."
    />
  <//>`;
}

export const page = { path: '#/payments', title: 'Payments', shortcut: 'g y', View };
