import { api, withQuery } from '../api.js';
import { Dialog } from '../dialog.js';
import { formatDuration, formatNumber } from '../format.js';
import { html } from '../html.js';
import { usePolling } from '../live.js';
import { Button, ErrorNote, Pagination, Progress, Section, Select, Status, Table, Time } from '../parts.js';
import { useQuery } from '../route.js';

const states = ['queued', 'retry', 'active', 'completed', 'cancelled', 'failed'];
const waiting = new Set(['queued', 'retry', 'active']);

function View() {
  const [query, setQuery] = useQuery();
  const queues = usePolling((options) => api.get('/api/admin/queues', options), 3_000);
  const names = queues.data?.results.map(({ name }) => name) ?? [];
  const show = (queue) => {
    setQuery({ queue, state: '', page: '' });
    document.querySelector('#jobs').scrollIntoView({ block: 'start' });
  };
  return html`<${Queues} polled=${queues} onShow=${show} />
    <${Jobs} names=${names} query=${query} setQuery=${setQuery} />
    ${query.id && html`<${JobDialog} key=${query.id} id=${query.id} onClose=${() => setQuery({ id: undefined })} />`}`;
}

function Queues({ polled, onShow }) {
  const act = (name, action) => async () => {
    const answer = await api.post(`/api/admin/queues/${name}/${action}`);
    await polled.refresh();
    return answer;
  };
  const count = (name) => (row) => (row[name] === 0 ? html`<span class="faint">0</span>` : formatNumber(row[name]));
  const dead = ({ name, dead }) =>
    dead === 0
      ? html`<span class="faint">0</span>`
      : html`<button
          type="button"
          class="small danger"
          aria-label="Jobs that ${name} has given up"
          onClick=${() => onShow(`${name}.dead`)}
        >
          ${formatNumber(dead)}
        </button>`;
  const columns = [
    {
      title: 'Queue',
      render: ({ name, paused }) =>
        html`<span class="row"><strong>${name}</strong>${paused && html`<${Status} of="paused" />`}</span>`,
    },
    {
      title: '',
      grow: true,
      phone: false,
      render: ({ description }) => html`<span class="faint">${description}</span>`,
    },
    { title: 'Waiting', align: 'end', render: count('queued') },
    { title: 'Running', align: 'end', phone: false, render: count('active') },
    { title: 'Failed', align: 'end', phone: false, render: count('failed') },
    { title: 'Given up', align: 'end', render: dead },
    {
      title: '',
      align: 'end',
      render: ({ name, paused, dead }) =>
        html`<span class="row">
          ${
            dead > 0 &&
            html`<${Button}
              small
              confirm=${{
                title: `Redrive ${name}?`,
                text: `${formatNumber(dead)} jobs it has given up on run again.`,
                action: 'Redrive',
              }}
              onClick=${act(name, 'redrive')}
              done=${({ redriven }) => `${name}: ${formatNumber(redriven)} jobs wait again.`}
            >
              Redrive
            <//>`
          }
          ${
            paused
              ? html`<${Button}
                  small
                  kind="primary"
                  aria-label="Resume ${name}"
                  onClick=${act(name, 'resume')}
                  done="${name} runs again."
                >
                  Resume
                <//>`
              : html`<${Button}
                  small
                  aria-label="Pause ${name}"
                  confirm=${{
                    title: `Pause ${name}?`,
                    text: 'Workers finish what they hold and take nothing new; jobs keep arriving and wait.',
                    action: 'Pause',
                  }}
                  onClick=${act(name, 'pause')}
                  done="${name} is paused."
                >
                  Pause
                <//>`
          }
        </span>`,
    },
  ];
  return html`<${Section} title="Queues" live=${polled}>
    <${Table}
      label="Queues"
      columns=${columns}
      rows=${polled.data?.results}
      keyOf=${({ name }) => name}
      onOpen=${({ name }) => onShow(name)}
    />
  <//>`;
}

function Jobs({ names, query: { queue = '', state = '', page = '1' }, setQuery }) {
  const path = withQuery('/api/admin/jobs', { queue, state, page, limit: 25 });
  const polled = usePolling((options) => api.get(path, options), 3_000, [path]);
  const columns = [
    {
      title: 'State',
      render: (job) => html`<${Status} of=${job.state} tone=${job.state === 'active' ? 'busy' : undefined} />`,
    },
    {
      title: 'Queue',
      grow: true,
      render: (job) => html`${job.queue}${job.error && html`<span class="faint cut">${job.error}</span>`}`,
    },
    { title: 'Made', align: 'end', render: (job) => html`<${Time} at=${job.created_at} />` },
    { title: 'Took', align: 'end', phone: false, render: (job) => formatDuration(durationOf(job)) },
  ];
  const aside = html`<${Select}
      label="Queue"
      value=${queue}
      options=${[['', 'all'], ...withOwn(names, queue)]}
      onChange=${(value) => setQuery({ queue: value, page: '' })}
    />
    <${Select}
      label="State"
      value=${state}
      options=${[['', 'all'], ...states]}
      onChange=${(value) => setQuery({ state: value, page: '' })}
    />`;
  return html`<${Section} id="jobs" title="Jobs" live=${polled} aside=${aside}>
    <${Table}
      label="Jobs"
      columns=${columns}
      rows=${polled.data?.results}
      stale=${polled.stale}
      keyOf=${({ id }) => id}
      onOpen=${({ id }) => setQuery({ id })}
      empty="No such job. Finished ones are kept for an hour to a week."
    />
    <${Pagination} of=${polled.data?.pagination} onPage=${(next) => setQuery({ page: next })} />
  <//>`;
}

const withOwn = (names, own) => (own === '' || names.includes(own) ? names : [...names, own]);

const durationOf = ({ started_at: started, finished_at: finished }) =>
  started && finished ? new Date(finished) - new Date(started) : undefined;

function JobDialog({ id, onClose }) {
  const polled = usePolling((options) => api.get(`/api/admin/jobs/${id}`, options), 2_000, [id]);
  const job = polled.data;
  const act = (action) => async () => {
    await api.post(`/api/admin/jobs/${id}/${action}`);
    await polled.refresh();
  };
  return html`<${Dialog} wide title=${job ? job.queue : 'Job'} onClose=${onClose}>
    ${job === undefined && html`<${ErrorNote} error=${polled.error} retry=${polled.refresh} />`}
    ${
      job &&
      html`<dl class="facts">
          <dt>Job</dt>
          <dd><code>${job.id}</code></dd>
          <dt>State</dt>
          <dd><${Status} of=${job.state} tone=${job.state === 'active' ? 'busy' : undefined} /></dd>
          <dt>Made</dt>
          <dd><${Time} at=${job.created_at} /></dd>
          <dt>Started</dt>
          <dd><${Time} at=${job.started_at} /></dd>
          <dt>Ended</dt>
          <dd>
            <${Time}
              at=${job.finished_at}
            />${durationOf(job) !== undefined && html`, took ${formatDuration(durationOf(job))}`}
          </dd>
        </dl>
        ${job.state === 'active' && html`<${Progress} value=${job.progress} label="Progress of the job" />`}
        ${
          job.error &&
          html`<h3>Error</h3>
            <pre>${job.error}</pre>`
        }
        ${
          job.result !== null &&
          job.result !== undefined &&
          html`<h3>Result</h3>
            <pre>${JSON.stringify(job.result, undefined, 2)}</pre>`
        }
        <div class="row end">
          ${
            (job.state === 'failed' || job.state === 'cancelled') &&
            html`<${Button} kind="primary" onClick=${act('retry')} done="The job waits again.">Run again<//>`
          }
          ${waiting.has(job.state) && html`<${CancelJob} onClick=${act('cancel')} />`}
        </div>`
    }
  <//>`;
}

function CancelJob({ onClick }) {
  return html`<${Button}
    kind="danger"
    confirm=${{
      title: 'Cancel this job?',
      text: 'A waiting job never starts; a running one ends within seconds.',
      action: 'Cancel the job',
    }}
    onClick=${onClick}
    done="The job is cancelled."
  >
    Cancel the job
  <//>`;
}

export const page = { path: '#/jobs', title: 'Jobs and queues', short: 'Jobs', shortcut: 'g j', View };
