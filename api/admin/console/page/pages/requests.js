import { api } from '../api.js';
import { formatDuration } from '../format.js';
import { html } from '../html.js';
import { Id } from '../links.js';
import { useLive } from '../live.js';
import { Section, Select, Table, Time } from '../parts.js';
import { useQuery } from '../route.js';

const kinds = [
  ['', 'all'],
  ['2', '2xx'],
  ['3', '3xx'],
  ['4', '4xx'],
  ['5', '5xx'],
];
const shown = 200;
const isOwn = ({ path }) => path.startsWith('/admin') || path.startsWith('/api/admin');

function View() {
  const [{ status = '', path = '', own = '' }, setQuery] = useQuery();
  const polled = useLive((options) => api.get('/api/admin/recent-requests', options), { everyMs: 5_000 });
  const all = polled.data?.results;
  const rows = all?.filter(
    (request) =>
      (own !== '' || !isOwn(request)) &&
      String(request.status).startsWith(status) &&
      request.path.includes(path.trim()),
  );
  const columns = [
    {
      title: 'Status',
      render: (request) => html`<span class="badge ${toneOf(request.status)}">${request.status}</span>`,
    },
    { title: 'Request', grow: true, render: (request) => html`<code>${request.method} ${request.path}</code>` },
    { title: 'Took', align: 'end', render: (request) => formatDuration(request.duration_ms) },
    { title: 'Network', phone: false, render: (request) => html`<code>${request.ip}</code>` },
    { title: 'User', phone: false, render: ({ user_id: id }) => (id ? html`<${Id} of=${id} />` : '–') },
    {
      title: 'Id',
      phone: false,
      render: (request) => html`<code title=${request.request_id}>${request.request_id.slice(0, 8)}</code>`,
    },
    { title: 'At', align: 'end', render: (request) => html`<${Time} at=${request.at} />` },
  ];
  const aside = html`${all && html`<span class="faint number">${rows.length} of ${all.length}</span>`}
    <${Select}
      label="Status"
      value=${status}
      options=${kinds}
      onChange=${(value) => setQuery({ status: value })}
    />
    <label class="field inline">
      <span>Path</span>
      <input
        type="search"
        size="16"
        value=${path}
        onInput=${(event) => setQuery({ path: event.currentTarget.value })}
      />
    </label>
    <label class="check">
      <input
        type="checkbox"
        checked=${own !== ''}
        onChange=${(event) => setQuery({ own: event.currentTarget.checked ? '1' : '' })}
      />
      <span>The console’s own</span>
    </label>`;
  return html`<${Section}
    title="The last requests"
    live=${polled}
    aside=${aside}
  >
    <${Table}
      label="Requests"
      columns=${columns}
      rows=${rows?.slice(0, shown)}
      keyOf=${({ request_id: id, at }) => id + at}
      empty="No such request among the last 500."
    />
  <//>`;
}

const toneOf = (status) => ({ 2: 'good', 3: 'off', 4: 'busy', 5: 'bad' })[Math.floor(status / 100)] ?? 'off';

export const page = { path: '#/requests', title: 'Recent requests', short: 'Requests', shortcut: 'g q', View };
