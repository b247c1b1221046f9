import { api, withQuery } from './api.js';
import { formatCompact, formatDuration } from './format.js';
import { html } from './html.js';
import { useLive } from './live.js';
import { Section, Select } from './parts.js';
import { useQuery } from './route.js';
import { TimePlot } from './time-plot.js';

const ranges = [
  ['hour', 'last hour'],
  ['day', 'last day'],
  ['week', 'last week'],
  ['month', 'last month'],
];
const paceMs = { hour: 60_000, day: 120_000, week: 600_000, month: 600_000 };
const figures = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const rate = (value) => (value >= 1_000 ? formatCompact(value) : figures.format(value));
const whole = (value) => formatCompact(Math.round(value * 100) / 100);

/** Traffic, latency, queues, publications and sales over time, over all processes. */
export function FleetPlots() {
  const [query, change] = useQuery();
  const range = ranges.some(([name]) => name === query.range) ? query.range : 'hour';
  const loaded = useLive((options) => api.get(withQuery('/api/admin/timeseries', { range }), options), {
    everyMs: paceMs[range],
    inputs: [range],
  });
  const points = loaded.stale ? undefined : loaded.data?.points;
  const group = `fleet-${range}`;
  const aside = html`<${Select}
    label="Shown"
    value=${range}
    options=${ranges}
    onChange=${(next) => change({ range: next === 'hour' ? undefined : next })}
  />`;
  return html`<${Section} title="The service now" live=${loaded} aside=${aside}>
    <div class="time-plots">
      <${TimePlot}
        title="Requests"
        note="a second"
        points=${points}
        group=${group}
        format=${rate}
        lines=${[
          { name: 'requests', value: (point) => point.requests_per_second, color: '--accent', fill: true },
          { name: 'failed', value: (point) => point.errors_per_second, color: '--bad' },
        ]}
      />
      <${TimePlot}
        title="Time to answer"
        points=${points}
        group=${group}
        format=${formatDuration}
        lines=${[
          { name: '95 of 100', value: (point) => point.p95_ms, color: '--focus' },
          { name: 'half', value: (point) => point.p50_ms, color: '--good' },
        ]}
      />
      <${TimePlot}
        title="Jobs"
        note="that wait"
        points=${points}
        group=${group}
        format=${whole}
        lines=${[
          { name: 'waiting', value: (point) => point.queued, color: '--accent', fill: true },
          { name: 'given up', value: (point) => point.dead, color: '--bad' },
        ]}
      />
      <${TimePlot}
        title="Listings"
        note="published and sold"
        points=${points}
        group=${group}
        format=${whole}
        lines=${[
          { name: 'published', value: (point) => point.published, color: '--accent', bars: true },
          { name: 'sold', value: (point) => point.sold, color: '--good' },
        ]}
      />
    </div>
  <//>`;
}
