import { Counts } from './counts.js';
import { formatDuration, formatNumber } from './format.js';
import { html } from './html.js';
import { Section, Table, Time } from './parts.js';

/** The figures of troubled searches go back no further. */
const knownDays = 90;

const query = { grow: true, render: (row) => row.query };
const times = { title: 'Times', align: 'end', render: (row) => formatNumber(row.count) };
const last = { title: 'Last', align: 'end', render: (row) => html`<${Time} at=${row.lastSeenAt} />` };
const failed = [{ ...query, title: 'Found nothing' }, times, last];
const slow = [
  { ...query, title: 'Slow' },
  times,
  { title: '95 % within', align: 'end', render: (row) => formatDuration(row.p95Ms) },
  { title: 'Slowest', align: 'end', phone: false, render: (row) => formatDuration(row.slowestMs) },
  { ...last, phone: false },
];

/** What was searched for most, what found no listing, and what took long: `polled` loads the analytics of the days. */
export function Searches({ polled, days, aside }) {
  const { data, stale } = polled;
  const searches = data?.analytics.searches;
  const isQuiet = searches?.topQueries.length === 0;
  return html`<${Section} title="Searches" live=${polled} aside=${aside}>
    <div class="stack">
      <div class="columns">
        <div class="stack">
          <${Counts}
            label="Most frequent"
            name="query"
            rows=${searches?.topQueries}
            stale=${stale}
            empty="Nobody has searched yet."
          />
          <${Table}
            label="Slow searches"
            columns=${slow}
            rows=${searches?.slowest}
            stale=${stale}
            keyOf=${(row) => row.query}
            empty=${isQuiet ? 'Searches that take a tenth of a second or more will stand here.' : 'No search took a tenth of a second or more.'}
          />
        </div>
        <${Table}
          label="Searches that found nothing"
          columns=${failed}
          rows=${searches?.zeroHits}
          stale=${stale}
          keyOf=${(row) => row.query}
          empty=${isQuiet ? 'What people look for and do not find will stand here.' : 'Every search has found something.'}
        />
      </div>
      ${
        Number(days) > knownDays &&
        html`<p class="faint">What found nothing or was slow is known for ${knownDays} days.</p>`
      }
    </div>
  <//>`;
}
