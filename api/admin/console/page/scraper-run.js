import { api, withQuery } from './api.js';
import { Dialog } from './dialog.js';
import { formatDuration, formatNumber } from './format.js';
import { html } from './html.js';
import { RelearnButton } from './learning.js';
import { useLive } from './live.js';
import { Button, Empty, ErrorNote, Status, Table, Time } from './parts.js';

const outcomes = ['created', 'updated', 'unchanged', 'skipped', 'failed', 'withdrawn'];

/** A run that is under way tells of its pages by no event. */
const paceOf = (id) => (data) => (live.has(data?.results.find((each) => each.id === id)?.status) ? 3_000 : 0);

const live = new Set(['queued', 'running']);
const isHeld = ({ quarantine }) => quarantine !== undefined && quarantine.accepted_at === null;

/** Says of a run that it is in quarantine; of any other, nothing. */
export const QuarantineMark = ({ run }) => isHeld(run) && html`<${Status} of="quarantine" tone="bad" />`;

/** One run of a scraper: what it brought, what went wrong, and what to do when it is in quarantine. */
export function RunDialog({ of, scrapers, onLearn, onClose }) {
  const [scraperId, id] = of.split(' ');
  const path = withQuery('/api/admin/runs', { scraper_id: scraperId, limit: 50 });
  const polled = useLive((options) => api.get(path, options), { on: ['run.'], everyMs: paceOf(id), inputs: [path] });
  const run = polled.data?.results.find((each) => each.id === id);
  const scraper = scrapers?.find((each) => each.id === scraperId);
  const took = run?.started_at && run.finished_at ? new Date(run.finished_at) - new Date(run.started_at) : undefined;
  const columns = [
    {
      title: 'What',
      grow: true,
      render: ({ url, message }) => html`${message}${url && html`<code class="faint cut">${url}</code>`}`,
    },
    { title: 'At', align: 'end', render: ({ at }) => html`<${Time} at=${at} />` },
  ];
  return html`<${Dialog} wide title="Run of a scraper" onClose=${onClose}>
    ${!polled.data && html`<${ErrorNote} error=${polled.error} retry=${polled.refresh} />`}
    ${polled.data && !run && html`<${Empty}>It is not among the last 50 runs of its scraper.<//>`}
    ${
      run &&
      html`<dl class="facts">
          <dt>Status</dt>
          <dd class="row"><${Status} of=${run.status} /> <${QuarantineMark} run=${run} /> by ${run.trigger === 'manual' ? 'hand' : 'its schedule'}</dd>
          <dt>Started</dt>
          <dd><${Time} at=${run.started_at} /></dd>
          <dt>Ended</dt>
          <dd>
            <${Time} at=${run.finished_at} />${took !== undefined && `, took ${formatDuration(took)}`}
          </dd>
          <dt>Pages</dt>
          <dd>${formatNumber(run.pages_fetched)} fetched, ${formatNumber(run.records_found)} records found</dd>
          <dt>Listings</dt>
          <dd>
            ${outcomes.map((name) => `${formatNumber(run[name])} ${name}`).join(', ')}
          </dd>
          ${
            run.fill_rates &&
            html`<dt>Fields</dt>
              <dd>${Object.entries(run.fill_rates)
                .map(([name, share]) => `${name} ${Math.round(share * 100)} %`)
                .join(', ')}</dd>`
          }
          ${
            run.job_id &&
            html`<dt>Job</dt>
              <dd>
                <a href="#/jobs/${run.job_id}"><code>${run.job_id}</code></a>
              </dd>`
          }
        </dl>
        <${Quarantine} run=${run} scraper=${scraper} onLearn=${onLearn} refresh=${polled.refresh} />
        <h3>Errors</h3>
        <${Table}
          label="Errors"
          columns=${columns}
          rows=${run.errors}
          keyOf=${({ at, url, message }) => `${at} ${url} ${message}`}
          empty="None."
        />`
    }
  <//>`;
}

function Quarantine({ run, scraper, onLearn, refresh }) {
  if (run.quarantine === undefined) return null;
  const { reasons, accepted_at: acceptedAt } = run.quarantine;
  const accept = async () => {
    await api.post(`/api/admin/scrapers/${run.scraper_id}/runs/${run.id}/accept`);
    await refresh();
  };
  const tone = acceptedAt === null ? 'note bad' : 'note';
  return html`<h3>Quarantine</h3>
    <div class="stack">
      ${reasons.map((reason) => html`<p class=${tone} key=${reason}>${reason}</p>`)}
      ${
        acceptedAt === null
          ? html`<p class="row">
              <${Button}
                confirm=${{
                  title: 'Accept this run?',
                  text: 'What it held back is sent on, and later runs are compared with this one.',
                  action: 'Accept the run',
                }}
                onClick=${accept}
                done="The run is accepted."
              >
                Accept
              <//>
              ${scraper && html`<${RelearnButton} scraper=${scraper} onStarted=${onLearn} />`}
              <span class="faint">It has published and ended nothing. Accept it when the site really is like this now.</span>
            </p>`
          : html`<p class="faint">Accepted <${Time} at=${acceptedAt} />.</p>`
      }
    </div>`;
}
