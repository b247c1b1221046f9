import { api, withQuery } from '../api.js';
import { html } from '../html.js';
import { KeysetPagination, useCursors } from '../keyset.js';
import { later } from '../later.js';
import { useLive } from '../live.js';
import { Button, Section, Select, Status, Table, Time } from '../parts.js';
import { useQuery } from '../route.js';
import { SearchField } from '../search-field.js';

const PersonDetail = later(async () => (await import('../person/detail.js')).PersonDetail);

const everyMs = 30_000;
const perPage = 50;

const columns = [
  {
    title: 'Name',
    grow: true,
    render: ({ id, name, email }) => html`<a href="#/people/${id}">${name}</a> <span class="faint">${email}</span>`,
  },
  { title: 'Role', render: ({ role }) => html`<${Status} of=${role} />` },
  { title: 'Status', render: ({ status }) => html`<${Status} of=${status} />` },
  {
    title: 'Email',
    phone: false,
    render: ({ verified }) =>
      html`<${Status} of=${verified ? 'verified' : 'not verified'} tone=${verified ? 'good' : 'off'} />`,
  },
  { title: 'Id', phone: false, render: ({ id }) => html`<code>${id}</code>` },
  { title: 'Joined', align: 'end', phone: false, render: ({ created_at: at }) => html`<${Time} at=${at} />` },
];

/** Everybody who has an account. */
function View() {
  const [{ q = '', role = '', status = '' }, change] = useQuery();
  const filter = { q, role, status };
  const cursors = useCursors(JSON.stringify(filter));
  const path = withQuery('/api/admin/users', { ...filter, cursor: cursors.cursor, limit: perPage });
  const people = useLive((options) => api.get(path, options), { everyMs, inputs: [path] });
  const select = (name, label, options) =>
    html`<${Select}
      label=${label}
      value=${filter[name]}
      options=${[['', 'all'], ...options]}
      onChange=${(value) => change({ [name]: value })}
    />`;
  const clear = () => change({ q: '', role: '', status: '' });
  const isFiltered = q !== '' || role !== '' || status !== '';
  return html`<${SearchField}
      label="Search people"
      placeholder="Name, e-mail or id"
      value=${q}
      onSearch=${(next) => change({ q: next })}
    />
    <${Section}
      title="Accounts"
      live=${people}
      aside=${html`${select('role', 'Role', ['user', 'moderator', 'admin'])}
      ${select('status', 'Status', ['active', 'suspended'])}`}
    >
      <${Table}
        label="Accounts"
        columns=${columns}
        rows=${people.data?.results}
        stale=${people.stale}
        keyOf=${({ id }) => id}
        onOpen=${({ id }) => (location.hash = `#/people/${id}`)}
        empty=${
          isFiltered
            ? html`Nobody is like that. <${Button} small onClick=${clear}>Show everybody<//>`
            : 'Nobody has an account yet.'
        }
      />
      <${KeysetPagination} cursors=${cursors} of=${people.data} />
    <//>`;
}

export const page = { path: '#/people', title: 'People', shortcut: 'g p', View, Detail: PersonDetail };
