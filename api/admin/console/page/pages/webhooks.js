import { api, withQuery } from '../api.js';
import { html } from '../html.js';
import { Person } from '../links.js';
import { useLive } from '../live.js';
import { Button, Pagination, Section, Select, Status, Table, Time } from '../parts.js';
import { useQuery } from '../route.js';
import { SearchField } from '../search-field.js';
import { stateOf, WebhookDetail } from '../webhook-detail.js';

const states = [
  ['failing', 'failing'],
  ['active', 'switched on'],
  ['paused', 'switched off'],
];

const columns = [
  {
    title: 'Webhook',
    grow: true,
    render: ({ id, url, last_error: error, failing_since: since }) =>
      html`<a href="#/webhooks/${id}">${url}</a>${since && error && html`<span class="faint cut">${error}</span>`}`,
  },
  { title: 'State', render: (row) => html`<${Status} of=${stateOf(row)} />` },
  {
    title: 'Of',
    phone: false,
    render: ({ owner }) => html`<${Person} of=${owner} /><span class="faint">${owner.email}</span>`,
  },
  { title: 'Events', phone: false, render: ({ events }) => events.join(', ') },
  { title: 'Waiting', align: 'end', phone: false, render: ({ pending }) => pending },
  { title: 'Last', align: 'end', render: (row) => html`<${Time} at=${row.last_delivery_at} empty="never" />` },
];

function View() {
  const [{ q = '', state = '', page = '1' }, setQuery] = useQuery();
  const path = withQuery('/api/admin/webhooks', { q, state, page, limit: 25 });
  const webhooks = useLive((options) => api.get(path, options), { everyMs: 20_000, inputs: [path] });
  const aside = html`<${Select}
    label="State"
    value=${state}
    options=${[['', 'all'], ...states]}
    onChange=${(value) => setQuery({ state: value, page: '' })}
  />`;
  return html`<${SearchField}
      label="Search webhooks"
      placeholder="Address, owner, e-mail or id"
      value=${q}
      onSearch=${(next) => setQuery({ q: next, page: '' })}
    />
    <${Section} title="All webhooks" live=${webhooks} aside=${aside}>
      <${Table}
        label="Webhooks"
        columns=${columns}
        rows=${webhooks.data?.results}
        stale=${webhooks.stale}
        keyOf=${({ id }) => id}
        onOpen=${({ id }) => (location.hash = `#/webhooks/${id}`)}
        empty=${
          q || state
            ? html`No webhook is like that. <${Button} small onClick=${() => setQuery({ q: '', state: '', page: '' })}>Show all webhooks<//>`
            : html`Nobody has subscribed to events yet. <a href="api/docs/guides/webhooks">How a program does</a>`
        }
      />
      <${Pagination} of=${webhooks.data?.pagination} onPage=${(next) => setQuery({ page: next })} />
    <//>`;
}

export const page = { path: '#/webhooks', title: 'Webhooks', shortcut: 'g h', View, Detail: WebhookDetail };
