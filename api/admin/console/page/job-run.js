import { api } from './api.js';
import { formatBytes, formatDuration, formatNumber } from './format.js';
import { html } from './html.js';
import { useLive } from './live.js';
import { Button, Progress, Section, Status, Time } from './parts.js';

const live = new Set(['queued', 'retry', 'active']);
const pace = (jobs) => (live.has(jobs?.results[0]?.state) ? 3_000 : 30_000);

/**
 * The newest run of a queue that holds one at a time: how far it is, how it ended, and buttons that start and stop it.
 * @param {{ queue: string, title: string, about: string, startPath: string, startLabel: string }} props
 */
export function JobRun({ queue, title, about, startPath, startLabel }) {
  const polled = useLive((options) => api.get(`/api/admin/jobs?queue=${queue}&limit=1`, options), {
    on: ['run.'],
    everyMs: pace,
  });
  const job = polled.data?.results[0];
  const running = live.has(job?.state);
  const start = async () => {
    await api.post(startPath);
    await polled.refresh();
  };
  const stop = async () => {
    await api.post(`/api/admin/jobs/${job.id}/cancel`);
    await polled.refresh();
  };
  const aside = running
    ? html`<${Button}
        kind="danger"
        confirm=${{ title: `Stop: ${title}?`, action: 'Stop it' }}
        onClick=${stop}
        done="${title}: stopped."
      >
        Stop
      <//>`
    : html`<${Button}
        kind="primary"
        onClick=${start}
        done="${title}: queued."
      >
        ${startLabel}
      <//>`;
  return html`<${Section} title=${title} live=${polled} aside=${polled.data && aside}>
    <div class="stack">
      <p class="faint">${about}</p>
      ${job && html`<${RunState} job=${job} running=${running} />`}
      ${polled.data && !job && html`<p class="empty">Has not run in the last week.</p>`}
    </div>
  <//>`;
}

function RunState({ job, running }) {
  const took = job.finished_at && job.started_at ? new Date(job.finished_at) - new Date(job.started_at) : undefined;
  return html`<div class="stack run-state">
    <p class="row">
      <${Status} of=${job.state} tone=${running ? 'busy' : undefined} />
      <span><${Time} at=${job.finished_at ?? job.started_at ?? job.created_at} /></span>
      ${took !== undefined && html`<span class="faint">took ${formatDuration(took)}</span>`}
      <a class="end" href="#/jobs?queue=${job.queue}">Its jobs</a>
    </p>
    ${running && html`<${Progress} value=${job.progress} label="Progress" />`}
    ${job.state === 'completed' && html`<${Result} of=${job.result} />`}
    ${job.error && html`<p class="note bad">${job.error}</p>`}
  </div>`;
}

/** The plain values of a job's result. */
export function Result({ of }) {
  const values = Object.entries(of ?? {}).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  if (values.length === 0) return null;
  const text = (name, value) => {
    if (typeof value !== 'number') return String(value);
    return name.endsWith('bytes') ? formatBytes(value) : formatNumber(value);
  };
  return html`<dl class="facts">
    ${values.map(
      ([name, value]) =>
        html`<dt>${name.replaceAll('_', ' ')}</dt>
          <dd>${text(name, value)}</dd>`,
    )}
  </dl>`;
}
