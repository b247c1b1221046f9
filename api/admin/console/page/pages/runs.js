import { api, withQuery } from '../api.js';
import { formatDuration, formatNumber } from '../format.js';
import { html } from '../html.js';
import { durationOf } from '../job-detail.js';
import { Id } from '../links.js';
import { useLive } from '../live.js';
import { Pagination, Progress, Section, Select, Status, Table, Time } from '../parts.js';
import { nameRun, runKinds } from '../queue-words.js';
import { useQuery } from '../route.js';
import { countsOf, RunDetail } from '../run-detail.js';
import { RunStarters } from '../run-starters.js';

const states = ['queued', 'running', 'succeeded', 'failed', 'cancelled'];
const live = new Set(['queued', 'running']);
const pace = (data) => (data?.results.some(({ status }) => live.has(status)) ? 3_000 : 30_000);

const columns = [
  {
    title: 'Run',
    grow: true,
    render: ({ id, kind, subject_name: name, error }) =>
      html`<a href="#/runs/${id}">${nameRun(kind)}${name ? `: ${name}` : ''}</a>${error && html`<span class="faint cut">${error}</span>`}`,
  },
  {
    title: 'State',
    render: ({ status, quarantined }) =>
      html`<${Status} of=${status} />${quarantined && html` <${Status} of="quarantine" tone="bad" />`}`,
  },
  {
    title: 'What it did',
    phone: false,
    render: (run) =>
      run.status === 'running' && run.progress !== null
        ? html`<${Progress} value=${run.progress} label="Progress" />`
        : countsOf(run)
            .slice(0, 3)
            .map(([name, count]) => `${formatNumber(count)} ${name}`)
            .join(', '),
  },
  {
    title: 'By',
    phone: false,
    render: ({ trigger, started_by: who }) =>
      trigger === 'schedule' ? 'schedule' : who ? html`<${Id} of=${who.id}>${who.name}<//>` : 'hand',
  },
  { title: 'When', align: 'end', render: (run) => html`<${Time} at=${run.started_at ?? run.created_at} />` },
  { title: 'Took', align: 'end', phone: false, render: (run) => formatDuration(durationOf(run)) },
];

function View() {
  const [{ kind = '', status = '', page = '1' }, setQuery] = useQuery();
  const path = withQuery('/api/admin/run-history', { kind, status, page, limit: 20 });
  const runs = useLive((options) => api.get(path, options), { on: ['run.'], everyMs: pace, inputs: [path] });
  const aside = html`<${Select}
      label="Kind"
      value=${kind}
      options=${[['', 'all'], ...runKinds]}
      onChange=${(value) => setQuery({ kind: value, page: '' })}
    />
    <${Select}
      label="State"
      value=${status}
      options=${[['', 'all'], ...states]}
      onChange=${(value) => setQuery({ status: value, page: '' })}
    />`;
  return html`<${Section} title="All runs" live=${runs} aside=${aside}>
      <${Table}
        label="Runs"
        columns=${columns}
        rows=${runs.data?.results}
        stale=${runs.stale}
        keyOf=${({ id }) => id}
        onOpen=${({ id }) => (location.hash = `#/runs/${id}`)}
        empty=${kind || status ? 'There is no such run.' : 'Nothing has run yet. Start something below, or run a scraper.'}
      />
      <${Pagination} of=${runs.data?.pagination} onPage=${(next) => setQuery({ page: next })} />
    <//>
    <${RunStarters} />`;
}

export const page = { path: '#/runs', title: 'Runs', shortcut: 'g r', View, Detail: RunDetail };
