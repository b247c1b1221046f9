import { api, withQuery } from '../api.js';
import { formatDuration } from '../format.js';
import { html } from '../html.js';
import { durationOf, JobDetail, State } from '../job-detail.js';
import { Id } from '../links.js';
import { useLive } from '../live.js';
import { Pagination, Section, Select, Table, Time } from '../parts.js';
import { nameQueue } from '../queue-words.js';
import { Queues } from '../queues.js';
import { useQuery } from '../route.js';

const states = ['queued', 'retry', 'active', 'completed', 'cancelled', 'failed'];
const everyMs = 10_000;

function View() {
  const [query, setQuery] = useQuery();
  const queues = useLive((options) => api.get('/api/admin/queues', options), { everyMs });
  const names = queues.data?.results.map(({ name }) => name) ?? [];
  const show = (queue) => {
    setQuery({ queue, state: '', page: '' });
    document.querySelector('#jobs').scrollIntoView({ block: 'start' });
  };
  return html`<${Queues} live=${queues} onShow=${show} />
    <${Jobs} names=${names} query=${query} setQuery=${setQuery} />`;
}

const columns = [
  { title: 'State', render: (job) => html`<${State} of=${job} />` },
  {
    title: 'Job',
    grow: true,
    render: (job) =>
      html`<a href="#/jobs/${job.id}">${nameQueue(job.queue)}</a>${job.error && html`<span class="faint cut">${job.error}</span>`}`,
  },
  { title: 'About', phone: false, render: ({ subject }) => subject && html`<${Id} of=${subject} />` },
  {
    title: 'Tries',
    align: 'end',
    phone: false,
    render: ({ attempts, max_attempts: most }) => (attempts === 0 ? '–' : `${attempts} of ${most}`),
  },
  {
    title: 'When',
    align: 'end',
    render: ({ next_attempt_at: next, created_at: made }) =>
      next && new Date(next) > Date.now() ? html`next try <${Time} at=${next} />` : html`<${Time} at=${made} />`,
  },
  { title: 'Took', align: 'end', phone: false, render: (job) => formatDuration(durationOf(job)) },
];

function Jobs({ names, query: { queue = '', state = '', page = '1' }, setQuery }) {
  const path = withQuery('/api/admin/jobs', { queue, state, page, limit: 25 });
  const jobs = useLive((options) => api.get(path, options), { everyMs, inputs: [path] });
  const known = names.toSorted((a, b) => nameQueue(a).localeCompare(nameQueue(b)));
  const aside = html`<${Select}
      label="Queue"
      value=${queue}
      options=${[['', 'all'], ...withOwn(known, queue).map((name) => [name, nameQueue(name)])]}
      onChange=${(value) => setQuery({ queue: value, page: '' })}
    />
    <${Select}
      label="State"
      value=${state}
      options=${[['', 'all'], ...states]}
      onChange=${(value) => setQuery({ state: value, page: '' })}
    />`;
  return html`<${Section} id="jobs" title="Jobs" live=${jobs} aside=${aside}>
    <${Table}
      label="Jobs"
      columns=${columns}
      rows=${jobs.data?.results}
      stale=${jobs.stale}
      keyOf=${({ id }) => id}
      onOpen=${({ id }) => (location.hash = `#/jobs/${id}`)}
      empty="There is no such job. Finished ones are kept for an hour to a week."
    />
    <${Pagination} of=${jobs.data?.pagination} onPage=${(next) => setQuery({ page: next })} />
  <//>`;
}

const withOwn = (names, own) => (own === '' || names.includes(own) ? names : [...names, own]);

export const page = {
  path: '#/jobs',
  title: 'Jobs and queues',
  short: 'Jobs',
  shortcut: 'g j',
  View,
  Detail: JobDetail,
};
