import { api } from './api.js';
import { formatDuration } from './format.js';
import { html } from './html.js';
import { Id } from './links.js';
import { useLive } from './live.js';
import { Button, Empty, ErrorNote, Fresh, Progress, Section, Status, Time } from './parts.js';
import { nameQueue } from './queue-words.js';

const waiting = new Set(['queued', 'retry', 'active']);

export const durationOf = ({ started_at: started, finished_at: finished }) =>
  started && finished ? new Date(finished) - new Date(started) : undefined;

/** One job: what it is given to do, how often it was tried, what came of it, and a button that begins or ends it. */
export function JobDetail({ id }) {
  const path = `/api/admin/jobs/${id}`;
  const live = useLive((options) => api.get(path, options), {
    everyMs: (job) => (job === undefined || waiting.has(job.state) ? 3_000 : 0),
    inputs: [path],
  });
  const job = live.data;
  if (!job)
    return html`<h1>Job</h1>
      ${
        live.error?.status === 404
          ? html`<${Empty}>There is no such job any more: finished ones are kept for an hour to a week. <a href="#/jobs">All jobs</a><//>`
          : html`<${ErrorNote} error=${live.error} retry=${live.refresh} />`
      }`;
  const act = (action) => async () => {
    await api.post(`${path}/${action}`);
    await live.refresh();
  };
  return html`<header class="detail-head">
      <p class="faint"><a href="#/jobs">Jobs</a> › <a href="#/jobs?queue=${job.queue}">${nameQueue(job.queue)}</a></p>
      <h1>${nameQueue(job.queue)}</h1>
      <p class="row"><${State} of=${job} /><code>${job.id}</code><${Fresh} of=${live} /></p>
      <div class="row">
        ${
          (job.state === 'failed' || job.state === 'cancelled') &&
          html`<${Button} kind="primary" onClick=${act('retry')} done="The job waits again.">Run again<//>`
        }
        ${waiting.has(job.state) && html`<${CancelJob} onClick=${act('cancel')} />`}
      </div>
    </header>
    ${job.state === 'active' && html`<${Progress} value=${job.progress} label="Progress of the job" />`}
    <div class="detail-grid">
      <div class="stack">
        ${
          job.error &&
          html`<${Section} title="Error">
            <p class="note bad">${job.error}</p>
            ${job.stack && html`<details><summary>Where it failed</summary><pre tabindex="0">${job.stack}</pre></details>`}
          <//>`
        }
        <${Section} title="What it is given to do">
          <pre tabindex="0">${JSON.stringify(job.payload, undefined, 2)}</pre>
          <p class="hint">Secrets are left out, addresses of people cut short.</p>
        <//>
        ${
          job.result !== null &&
          job.result !== undefined &&
          html`<${Section} title="Result"><pre tabindex="0">${JSON.stringify(job.result, undefined, 2)}</pre><//>`
        }
      </div>
      <${Section} title="When">
        <dl class="facts">
          ${job.subject && html`<dt>About</dt><dd><${Id} of=${job.subject} /></dd>`}
          <dt>Tries</dt><dd>${job.attempts} of ${job.max_attempts}</dd>
          ${job.next_attempt_at && html`<dt>Next try</dt><dd><${Time} at=${job.next_attempt_at} /></dd>`}
          <dt>Made</dt><dd><${Time} at=${job.created_at} /></dd>
          <dt>Started</dt><dd><${Time} at=${job.started_at} /></dd>
          <dt>Ended</dt>
          <dd><${Time} at=${job.finished_at} />${durationOf(job) !== undefined && `, took ${formatDuration(durationOf(job))}`}</dd>
        </dl>
      <//>
    </div>`;
}

/** The state of a job as a badge. */
export const State = ({ of: job }) =>
  html`<${Status} of=${job.state} tone=${job.state === 'active' ? 'busy' : undefined} />`;

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
