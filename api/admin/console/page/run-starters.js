import { useState } from 'preact/hooks';
import { api } from './api.js';
import { formatNumber } from './format.js';
import { html } from './html.js';
import { JobRun } from './job-run.js';
import { useLive } from './live.js';
import { Button, Progress, Section, Status, Time } from './parts.js';
import { ScoreInput } from './score-input.js';

const pace = (run) => (run?.running ? 3_000 : 30_000);

/** What is started by hand: the search for duplicates, rewriting, missing pictures, a backup. */
export function RunStarters() {
  return html`<div class="columns">
    <${Dedup} />
    <${Migration} />
    <${JobRun}
      queue="requeue-images"
      title="Missing pictures"
      about="Sends every listing whose pictures are still to come, or could not be fetched, to the workers that fetch them."
      startPath="/api/admin/localize-images"
      startLabel="Fetch missing pictures"
    />
    <${JobRun}
      queue="backup-database"
      title="Backup"
      about="Every table as it is at one moment, into the storage. The newest seven are kept."
      startPath="/api/admin/backup"
      startLabel="Back up now"
    />
    <${JobRun}
      queue="reindex-search"
      title="Search index"
      about="Builds the index of the search anew beside the one that is read, and then exchanges them."
      startPath="/api/admin/search/reindex"
      startLabel="Build it anew"
    />
  </div>`;
}

function Dedup() {
  const [autoMerge, setAutoMerge] = useState(false);
  const [threshold, setThreshold] = useState('');
  const status = useLive((options) => api.get('/api/admin/dedup/job/status', options), { on: ['run.'], everyMs: pace });
  const job = status.data;
  const act = (action, body) => async () => {
    await api.post(`/api/admin/dedup/job/${action}`, body);
    await status.refresh();
  };
  const aside = job?.running
    ? html`<${Button}
        kind="danger"
        confirm=${{
          title: 'Stop looking for duplicates?',
          text: 'The groups that it has found stay.',
          action: 'Stop it',
        }}
        onClick=${act('stop')}
        done="Duplicates: stopping."
      >
        Stop
      <//>`
    : html`<${ScoreInput} inline label="From score" value=${threshold} isMerging=${autoMerge} onChange=${setThreshold} />
        <label class="check">
          <input
            type="checkbox"
            checked=${autoMerge}
            onChange=${(event) => setAutoMerge(event.currentTarget.checked)}
          />
          <span>Merge what is certain</span>
        </label>
        <${Button}
          kind="primary"
          confirm=${
            autoMerge && {
              title: 'Merge what is certain?',
              text: `Groups of a confidence from ${threshold || '0.95'} on are merged without being asked about; each can be unmerged.`,
              action: 'Start',
            }
          }
          onClick=${act('start', { auto_merge: autoMerge, ...(threshold !== '' && { threshold: Number(threshold) }) })}
          done="Duplicates: queued."
        >
          Start
        <//>`;
  return html`<${Section} title="Duplicates" live=${status} aside=${job && aside}>
    <div class="stack">
      <p class="faint">
        Compares listings that may be the same thing, and groups those that are.${' '}
        <a href="#/duplicates">Decide about them</a>
      </p>
      ${
        job &&
        html`<p class="row">
            <${Status} of=${job.state ?? (job.running ? 'running' : 'idle')} />
            <${Time} at=${job.started_at} empty="never" />
          </p>
          ${job.running && html`<${Progress} value=${job.progress_percent} label="Progress of the search" />`}
          <p>
            ${formatNumber(job.listings_scanned)} of ${formatNumber(job.total)} listings,${' '}
            ${formatNumber(job.groups_detected)} groups found
          </p>
          ${job.last_error && html`<p class="note bad">${job.last_error}</p>`}`
      }
    </div>
  <//>`;
}

function Migration() {
  const polled = useLive((options) => api.get('/api/admin/rewrite-migration/status', options), {
    on: ['run.'],
    everyMs: pace,
  });
  const run = polled.data;
  const act = (action) => async () => {
    await api.post(`/api/admin/rewrite-migration/${action}`);
    await polled.refresh();
  };
  const paused = run?.paused_reason !== null;
  const aside = html`${
    (!run?.running || paused) &&
    html`<${Button} kind="primary" onClick=${act('start')} done="Rewriting: started."
    >
      ${paused ? 'Resume' : 'Start'}
    <//>`
  }
  ${
    (run?.running || paused) &&
    html`<${Button}
      kind="danger"
      confirm=${{
        title: 'Stop rewriting?',
        text: 'The listing being rewritten is finished; what is rewritten stays.',
        action: 'Stop it',
      }}
      onClick=${act('stop')}
      done="Rewriting: stopping."
    >
      Stop
    <//>`
  }`;
  const state = paused ? 'paused' : run?.running ? 'running' : 'idle';
  return html`<${Section} title="Rewriting of everything" live=${polled} aside=${run && aside}>
    <div class="stack">
      <p class="faint">A pass over all public listings that lack texts. <a href="#/rewriting">Texts by language</a></p>
      ${
        run &&
        html`<p class="row"><${Status} of=${state} />${run.paused_reason && html`<span>${run.paused_reason}</span>`}</p>
          ${
            (run.running || run.total > 0) &&
            html`<${Progress} value=${run.progress_percent} label="Progress of rewriting" />`
          }
          <p>
            ${formatNumber(run.migrated)} of ${formatNumber(run.total)} listings, ${formatNumber(run.failed)} failed
          </p>
          ${run.last_error && html`<p class="note bad">${run.last_error}</p>`}`
      }
    </div>
  <//>`;
}
