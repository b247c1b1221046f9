import { api, withQuery } from '../api.js';
import { Appeals } from '../appeals.js';
import { html } from '../html.js';
import { useLive } from '../live.js';
import { Pagination, Section, Select, Status, Table, Time } from '../parts.js';
import { ReportDetail } from '../report-detail.js';
import { countReasons, decided, kinds } from '../report-words.js';
import { useQuery } from '../route.js';

const everyMs = 15_000;
const totalOf = async (path, options) => (await api.get(path, options)).pagination.total;

async function count(options) {
  const [reports, appeals] = await Promise.all(
    ['/api/admin/reports?limit=1', '/api/admin/appeals?limit=1'].map((path) => totalOf(path, options)),
  );
  return reports + appeals;
}

const columns = [
  {
    title: 'What',
    grow: true,
    render: ({ subject }) =>
      html`<strong>${subject.title || kinds[subject.type]}</strong><br /><span class="faint"
          >${kinds[subject.type]}${subject.type === 'user' ? '' : ` of ${subject.owner.name}`}${subject.text ? `: ${subject.text.slice(0, 120)}` : ''}</span
        >`,
  },
  { title: 'Reports', align: 'end', render: ({ count: n }) => html`<span class="number">${n}</span>` },
  { title: 'As', phone: false, render: ({ reasons }) => countReasons(reasons) },
  {
    title: 'State',
    render: ({ decision, proposed, subject }) =>
      decision
        ? html`<${Status} of=${decided[decision.action]} tone=${decision.action === 'dismiss' ? 'off' : 'bad'} />`
        : html`<${Status} of=${subject.status} />${proposed && html` <${Status} of="suspension proposed" tone="bad" />`}`,
  },
  {
    title: 'When',
    align: 'end',
    phone: false,
    render: ({ decision, last_reported_at: at }) => html`<${Time} at=${decision?.decided_at ?? at} />`,
  },
];

/** What people have reported, each thing once, and appeals against what was decided. */
function View() {
  const [{ state = 'open', type = '', page = '1' }, change] = useQuery();
  const path = withQuery('/api/admin/reports', { state, subject_type: type, page, limit: 25 });
  const loaded = useLive((options) => api.get(path, options), { on: ['listing.'], everyMs, inputs: [path] });
  const aside = html`<${Select}
      label="State"
      value=${state}
      options=${['open', 'decided']}
      onChange=${(value) => change({ state: value, page: undefined })}
    />
    <${Select}
      label="Kind"
      value=${type}
      options=${[['', 'any'], ...Object.entries(kinds)]}
      onChange=${(value) => change({ type: value, page: undefined })}
    />`;
  return html`<${Section} title="Reports" live=${loaded} aside=${aside}>
      <${Table}
        label="Reports"
        columns=${columns}
        rows=${loaded.data?.results}
        stale=${loaded.stale}
        keyOf=${({ subject, decision }) => decision?.id ?? subject.id}
        onOpen=${({ subject }) => (location.hash = `#/reports/${subject.id}`)}
        empty=${state === 'open' ? 'Nothing that is reported waits for a decision.' : 'Nothing was decided yet.'}
      />
      <${Pagination} label="Pages of the reports" of=${loaded.data?.pagination} onPage=${(next) => change({ page: next })} />
    <//>
    <${Appeals} />`;
}

export const page = {
  path: '#/reports',
  title: 'Reports',
  role: 'moderator',
  shortcut: 'g f',
  View,
  Detail: ReportDetail,
  count,
};
