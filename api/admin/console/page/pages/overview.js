import { api, withQuery } from '../api.js';
import { useCategories } from '../categories.js';
import { Counts } from '../counts.js';
import { formatBytes, formatCompact, formatDuration, formatNumber } from '../format.js';
import { FleetPlots } from '../fleet-plots.js';
import { html } from '../html.js';
import { JobRun } from '../job-run.js';
import { useLive } from '../live.js';
import { Fresh, Money, Plot, Section, Select, Status, Table, Tile, Time } from '../parts.js';
import { useQuery } from '../route.js';
import { Searches } from '../searches.js';
import { session } from '../session.js';
import { ToDecide } from '../to-decide.js';

function View() {
  const isNautical = session.read()?.profile === 'nautical';
  const health = useLive((options) => api.get('/api/admin/health-detailed', options), { everyMs: 20_000 });
  return html`<${ToDecide} health=${health.data} />
    <${Health} health=${health} />
    <${FleetPlots} />
    <${Figures} />
    <div class="columns">
      <${JobRun}
        queue="backup-database"
        title="Backup"
        about="Every table as it is at one moment, into the storage. The newest seven are kept."
        startPath="/api/admin/backup"
        startLabel="Back up now"
      />
      <${Processes} polled=${health} />
    </div>
    ${isNautical && html`<${Market} />`}`;
}

function Health({ health }) {
  const stats = useLive((options) => api.get('/api/admin/stats', options), {
    on: ['listing.', 'run.'],
    everyMs: 30_000,
  });
  const { data } = health;
  const counts = stats.data?.listings.by_status;
  const queues = stats.data?.queues;
  const sum = (name) => queues && queues.reduce((all, queue) => all + queue[name], 0);
  const dead = sum('dead');
  return html`<div class="stack">
    <div class="row">
      ${data && html`<${Status} of=${data.status} />`}
      <${Fresh} of=${health} />
    </div>
    ${
      data &&
      data.problems.length > 0 &&
      html`<ul class="note bad problems">
        ${data.problems.map((problem) => html`<li>${problem}</li>`)}
      </ul>`
    }
    <div class="tiles">
      <${Tile}
        name="Active listings"
        value=${formatCompact(counts?.active)}
        note="${formatCompact(stats.data?.listings.total)} in all"
        href="#/listings"
      />
      <${Tile} name="Drafts" value=${formatCompact(counts?.draft)} note="not published" href="#/listings?status=draft" />
      <${Tile}
        name="Flagged"
        value=${formatCompact(counts?.flagged)}
        tone=${counts?.flagged > 0 ? 'bad' : ''}
        note="to review"
        href="#/moderation"
      />
      <${Tile}
        name="Duplicates"
        value=${formatCompact(stats.data?.dedup.groups_pending)}
        note="to decide"
        href="#/duplicates"
      />
      <${Tile}
        name="Texts to rewrite"
        value=${formatCompact(stats.data?.rewriting.pending)}
        note="${formatCompact(stats.data?.rewriting.failed)} failed"
        href="#/rewriting"
      />
      <${Tile}
        name="Scrapers"
        value=${formatNumber(stats.data?.scrapers.running)}
        note="running of ${formatNumber(stats.data?.scrapers.enabled)}"
        href="#/scrapers"
      />
      <${Tile}
        name="Jobs waiting"
        value=${formatCompact(sum('queued'))}
        note="${formatCompact(sum('active'))} running"
        href="#/jobs"
      />
      <${Tile}
        name="Jobs given up"
        value=${formatCompact(dead)}
        tone=${dead > 0 ? 'bad' : ''}
        note="to run again"
        href="#/jobs"
      />
    </div>
    ${stats.error && html`<${Fresh} of=${stats} />`}
  </div>`;
}

function Figures() {
  const [query] = useQuery();
  const days = ['7', '30', '90', '365'].includes(query.days) ? query.days : '30';
  const polled = useLive(
    async (options) => {
      const [kpis, analytics] = await Promise.all([
        api.get(withQuery('/api/admin/kpis', { days }), options),
        api.get(withQuery('/api/admin/analytics', { days }), options),
      ]);
      return { kpis, analytics };
    },
    { everyMs: 60_000, inputs: [days] },
  );
  const { kpis, analytics } = polled.data ?? {};
  const daily = (name) => kpis?.by_day.map((day) => ({ date: day.date, count: day[name] }));
  const aside = html`<${Counted} at=${kpis?.generated_at} /> <${Days} of=${days} />`;
  return html`<${Section} title="Key figures" live=${polled} aside=${aside}>
    <div class="stack">
      <div class="plots">
        <${Plot} title="New listings" days=${daily('new_listings')} />
        <${Plot} title="Views" days=${daily('views')} />
        <${Plot} title="Contacts" days=${daily('contacts')} />
        <${Plot} title="Sold" days=${daily('sold')} />
        <${Plot} title="Page views" days=${analytics?.pageViews.byDay} />
        <${Plot} title="Signups" days=${analytics?.signups.byDay} />
      </div>
      <div class="columns">
        <${Categories} rows=${kpis?.by_category} />
        <${Counts}
          label="Pages"
          name="path"
          rows=${analytics?.pageViews.topPaths}
          stale=${polled.stale}
          empty="No page views were reported."
        />
      </div>
    </div>
  <//>
  <${Searches} polled=${polled} days=${days} aside=${html`<${Days} of=${days} />`} />`;
}

function Days({ of }) {
  const [, setQuery] = useQuery();
  return html`<${Select}
    label="Days"
    value=${of}
    options=${['7', '30', '90', '365']}
    onChange=${(value) => setQuery({ days: value === '30' ? undefined : value })}
  />`;
}

const largest = 12;

function Categories({ rows }) {
  const names = new Map(useCategories().map(({ id, path }) => [id, path.join(' › ')]));
  const sorted = rows?.toSorted((a, b) => b.listings_active - a.listings_active || b.views - a.views).slice(0, largest);
  const columns = [
    { title: 'Category', grow: true, render: (row) => names.get(row.category) ?? row.category },
    { title: 'Active', align: 'end', render: (row) => formatNumber(row.listings_active) },
    { title: 'Views', align: 'end', render: (row) => formatCompact(row.views) },
    { title: 'Sold', align: 'end', phone: false, render: (row) => formatNumber(row.sold) },
    {
      title: 'Median',
      align: 'end',
      render: (row) => html`<${Money} amount=${row.median_price} currency=${row.currency} />`,
    },
  ];
  return html`<div class="stack">
    <${Table}
      label="Largest categories"
      columns=${columns}
      rows=${sorted}
      keyOf=${(row) => row.category}
      empty="Nothing is on offer."
    />
  </div>`;
}

function Processes({ polled }) {
  const { data } = polled;
  const columns = [
    { title: 'Process', grow: true, render: (row) => row.process },
    { title: 'State', render: (row) => html`<${Status} of=${row.alive ? 'alive' : 'gone'} />` },
    { title: 'Seen', align: 'end', render: (row) => html`<${Time} at=${row.seen_at} />` },
  ];
  const alive = data?.processes.filter(({ alive }) => alive);
  return html`<${Section} title="Processes">
    <div class="stack">
      <${Table}
        label="Processes"
        columns=${columns}
        rows=${alive}
        keyOf=${(row) => row.process_id}
        empty="No process has told of itself."
      />
      ${
        data &&
        html`<dl class="facts">
          <dt>Release</dt>
          <dd>${data.version}, Node ${data.node_version}, profile ${data.profile}</dd>
          <dt>Up</dt>
          <dd>${formatDuration(data.uptime_seconds * 1_000)}, ${formatBytes(data.memory.rss_bytes)} in memory</dd>
          <dt>Database</dt>
          <dd>
            ${describeDatabase(data.database)}
          </dd>
          <dt>Storage</dt>
          <dd>${data.storage.kind} <${Status} of=${data.storage.healthy ? 'healthy' : 'degraded'} /></dd>
          <dt>Providers</dt>
          <dd>mail ${data.providers.mail}, payments ${data.providers.payments}, AI ${data.providers.ai}</dd>
          <dt>Cache</dt>
          <dd>
            ${describeCache(data.cache)}
          </dd>
          ${data.journal.map(
            ({ reader, lag_seconds: lag }) =>
              html`<dt>${reader}</dt>
                <dd>${lag < 1 ? 'up to date' : `${formatDuration(lag * 1_000)} behind`}</dd>`,
          )}
        </dl>`
      }
    </div>
  <//>`;
}

function describeDatabase({ size_bytes: size, connections, max_connections: most, latency_ms: latency }) {
  const held = `${formatNumber(connections)} of ${formatNumber(most)} connections`;
  return [formatBytes(size), held, formatDuration(latency)].join(', ');
}

function describeCache({ entries, max_entries: most, hits, misses }) {
  const held = `${formatNumber(entries)} of ${formatNumber(most)} answers`;
  return hits + misses === 0 ? held : `${held}, ${Math.round((hits / (hits + misses)) * 100)} % hits`;
}

/** When figures were counted that take too long for every look at them. */
function Counted({ at }) {
  return at && html`<span class="faint">counted <${Time} at=${at} /></span>`;
}

function Market() {
  const { data } = useLive((options) => api.get('/api/admin/nautical/analytics', options), { everyMs: 120_000 });
  const rows = (counts) =>
    counts &&
    Object.entries(counts)
      .map(([name, count]) => ({ name, count }))
      .toSorted((a, b) => b.count - a.count);
  return html`<${Section} title="The market of boats" aside=${html`<${Counted} at=${data?.generated_at} />`}>
    <div class="stack">
      <div class="tiles">
        <${Tile}
          name="On offer"
          value=${formatCompact(data?.total)}
          note="${formatCompact(data?.priced)} with a price"
        />
        <${Tile}
          name="Lower quartile"
          value=${html`<${Money} amount=${data?.price.p25} currency=${data?.price.currency} />`}
        />
        <${Tile}
          name="Median price"
          value=${html`<${Money} amount=${data?.price.median} currency=${data?.price.currency} />`}
        />
        <${Tile}
          name="Upper quartile"
          value=${html`<${Money} amount=${data?.price.p75} currency=${data?.price.currency} />`}
        />
      </div>
      <div class="columns">
        <${Counts} label="Brands" name="brand" rows=${data?.top_brands} empty="No boat names its brand." />
        <${Counts} label="Countries" name="name" rows=${rows(data?.by_country)} empty="Nothing is on offer." />
      </div>
    </div>
  <//>`;
}

export const page = { path: '#/overview', title: 'Overview', shortcut: 'g o', View };
