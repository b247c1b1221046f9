import { api } from './api.js';
import { formatDuration, formatNumber } from './format.js';
import { html } from './html.js';
import { durationOf } from './job-detail.js';
import { Id } from './links.js';
import { useLive } from './live.js';
import { Button, Empty, ErrorNote, Fresh, Progress, Section, Status, Table, Time } from './parts.js';
import { nameRun } from './queue-words.js';

const live = new Set(['queued', 'running']);

/** What a run has counted, the most first; nothing of what is none. */
export const countsOf = ({ counters }) =>
  Object.entries(counters)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => [name.replaceAll('_', ' '), count])
    .toSorted((a, b) => b[1] - a[1]);

const errorColumns = [
  {
    title: 'What',
    grow: true,
    render: ({ url, message }) => html`${message}${url && html`<code class="faint cut">${url}</code>`}`,
  },
  { title: 'At', align: 'end', render: ({ at }) => html`<${Time} at=${at} />` },
];

/** One run of any kind: how far it is, what it did, what went wrong. */
export function RunDetail({ id }) {
  const path = `/api/admin/run-history/${id}`;
  const loaded = useLive((options) => api.get(path, options), {
    on: ['run.'],
    everyMs: (run) => (live.has(run?.status) ? 3_000 : 0),
    inputs: [path],
  });
  const run = loaded.data;
  if (!run)
    return html`<h1>Run</h1>
      ${
        loaded.error?.status === 404
          ? html`<${Empty}>There is no such run. <a href="#/runs">All runs</a><//>`
          : html`<${ErrorNote} error=${loaded.error} retry=${loaded.refresh} />`
      }`;
  const cancel = async () => {
    await api.post(`/api/admin/jobs/${run.job_id}/cancel`);
    await loaded.refresh();
  };
  return html`<header class="detail-head">
      <p class="faint"><a href="#/runs">Runs</a> › <a href="#/runs?kind=${run.kind}">${nameRun(run.kind)}</a></p>
      <h1>${nameRun(run.kind)}${run.subject_name ? `: ${run.subject_name}` : ''}</h1>
      <p class="row">
        <${Status} of=${run.status} />${run.quarantined && html`<${Status} of="quarantine" tone="bad" />`}
        <code>${run.id}</code><${Fresh} of=${loaded} />
      </p>
      <div class="row">
        ${
          live.has(run.status) &&
          run.job_id &&
          html`<${Button}
            kind="danger"
            confirm=${{ title: 'Cancel this run?', text: 'What it has done stays.', action: 'Cancel the run' }}
            onClick=${cancel}
            done="The run is cancelled."
            >Cancel the run<//
          >`
        }
        ${
          run.quarantined &&
          html`<a href="#/scrapers?run=${encodeURIComponent(`${run.subject} ${run.id}`)}">Decide about the quarantine</a>`
        }
      </div>
    </header>
    ${run.status === 'running' && html`<${Progress} value=${run.progress} label="Progress of the run" />`}
    ${run.paused_reason && html`<p class="note bad">Paused: ${run.paused_reason}</p>`}
    ${run.error && html`<p class="note bad">${run.error}</p>`}
    <div class="detail-grid">
      <${Section} title="What went wrong">
        <${Table}
          label="Errors"
          columns=${errorColumns}
          rows=${run.errors}
          keyOf=${({ at, url, message }) => `${at} ${url} ${message}`}
          empty="Nothing."
        />
      <//>
      <${Section} title="What it did">
        <dl class="facts">
          ${countsOf(run).map(([name, count]) => html`<dt>${name}</dt><dd>${formatNumber(count)}</dd>`)}
          ${run.subject && html`<dt>About</dt><dd><${Id} of=${run.subject}>${run.subject_name ?? undefined}<//></dd>`}
          <dt>Started by</dt>
          <dd>${run.trigger === 'schedule' ? 'its schedule' : run.started_by ? html`<${Id} of=${run.started_by.id}>${run.started_by.name}<//>` : 'hand'}</dd>
          <dt>Made</dt><dd><${Time} at=${run.created_at} /></dd>
          <dt>Started</dt><dd><${Time} at=${run.started_at} /></dd>
          <dt>Ended</dt>
          <dd><${Time} at=${run.finished_at} />${durationOf(run) !== undefined && `, took ${formatDuration(durationOf(run))}`}</dd>
          ${run.job_id && html`<dt>Job</dt><dd><a href="#/jobs/${run.job_id}"><code>${run.job_id}</code></a></dd>`}
        </dl>
      <//>
    </div>`;
}
