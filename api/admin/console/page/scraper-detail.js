import { useState } from 'preact/hooks';
import { api, withQuery } from './api.js';
import { FeedUpload } from './feed-form.js';
import { formatNumber } from './format.js';
import { html } from './html.js';
import { RelearnButton } from './learning.js';
import { priceOf } from './listing-view.js';
import { useLive } from './live.js';
import { Button, Empty, ErrorNote, Fresh, Section, Status, Table, Time } from './parts.js';
import { RunButton } from './run-button.js';
import { RunChart } from './run-chart.js';
import { ScraperForm } from './scraper-form.js';
import { QuarantineMark } from './scraper-run.js';
import { TryPage } from './try-page.js';

const live = new Set(['queued', 'running']);

/** One scraper: how its runs went, what it brings, how full its fields are, a try on one page, and its settings. */
export function ScraperDetail({ id }) {
  const path = `/api/admin/scrapers/${id}`;
  const loaded = useLive((options) => api.get(path, options), { on: ['run.'], everyMs: 30_000, inputs: [path] });
  const runs = useLive((options) => api.get(`${path}/runs?limit=40`, options), {
    on: ['run.'],
    everyMs: (data) => (live.has(data?.results[0]?.status) ? 3_000 : 0),
    inputs: [path],
  });
  const scraper = loaded.data;
  if (!scraper)
    return html`<h1>Scraper</h1>
      ${
        loaded.error?.status === 404
          ? html`<${Empty}>There is no such scraper. <a href="#/scrapers">All scrapers</a><//>`
          : html`<${ErrorNote} error=${loaded.error} retry=${loaded.refresh} />`
      }`;
  const refresh = () => Promise.all([loaded.refresh(), runs.refresh()]);
  return html`<header class="detail-head">
      <p class="faint"><a href="#/scrapers">Scrapers</a> › ${scraper.site}</p>
      <h1>${scraper.name}</h1>
      <p class="row">
        <${Status} of=${scraper.enabled ? 'enabled' : 'disabled'} />
        ${scraper.last_run ? html`<span>last run <${Status} of=${scraper.last_run.status} /></span>` : 'has never run'}
        <code>${scraper.id}</code><${Fresh} of=${loaded} />
      </p>
      <${Actions} scraper=${scraper} path=${path} refresh=${refresh} />
    </header>
    ${scraper.kind === 'feed' && html`<${FeedUpload} scraper=${scraper} refresh=${refresh} />`}
    <div class="detail-grid">
      <div class="stack">
        <${Section} title="Runs" live=${runs}><${RunChart} runs=${runs.data?.results} /><${RunLog} runs=${runs.data?.results} /><//>
        ${scraper.kind !== 'feed' && html`<${TryPage} scraper=${scraper} />`}
        <${Records} id=${id} />
      </div>
      <div class="stack">
        <${FieldHealth} runs=${runs.data?.results} />
        <${Settings} scraper=${scraper} refresh=${loaded.refresh} />
      </div>
    </div>`;
}

function Actions({ scraper, path, refresh }) {
  const toggle = async () => {
    await api.patch(path, { enabled: !scraper.enabled });
    await refresh();
  };
  const remove = async () => {
    await api.delete(path);
    location.hash = '#/scrapers';
  };
  return html`<div class="row">
    <${RunButton} scraper=${scraper} refresh=${refresh} />
    <${Button} small onClick=${toggle} done="${scraper.name} is ${scraper.enabled ? 'disabled' : 'enabled'}.">
      ${scraper.enabled ? 'Disable' : 'Enable'}
    <//>
    <${RelearnButton} scraper=${scraper} onStarted=${(started) => (location.hash = `#/scrapers?learning=${started}`)} />
    <a class="button small" href="#/scrapers?copy=${scraper.id}">Duplicate …</a>
    <${Button}
      small
      kind="danger"
      confirm=${{
        title: `Delete ${scraper.name}?`,
        text: 'Its schedule ends, and a run that is under way is cancelled. The listings that it has brought stay.',
        action: 'Delete the scraper',
      }}
      onClick=${remove}
      done="${scraper.name} is deleted."
    >
      Delete …
    <//>
  </div>`;
}

const logColumns = [
  {
    title: 'Run',
    grow: true,
    render: (run) =>
      html`<a href="#/runs/${run.id}"><${Time} at=${run.started_at ?? run.created_at} /></a>${
        run.errors[0] && html`<span class="faint cut">${run.errors[0].message}</span>`
      }`,
  },
  { title: 'State', render: (run) => html`<${Status} of=${run.status} /> <${QuarantineMark} run=${run} />` },
  { title: 'Pages', align: 'end', phone: false, render: (run) => formatNumber(run.pages_fetched) },
  { title: 'Records', align: 'end', render: (run) => formatNumber(run.records_found) },
  { title: 'New', align: 'end', phone: false, render: (run) => formatNumber(run.created) },
  { title: 'Changed', align: 'end', phone: false, render: (run) => formatNumber(run.updated) },
  { title: 'Failed', align: 'end', phone: false, render: (run) => formatNumber(run.failed) },
];

function RunLog({ runs }) {
  return html`<${Table}
    label="Runs"
    columns=${logColumns}
    rows=${runs?.slice(0, 10)}
    keyOf=${({ id }) => id}
    onOpen=${({ id }) => (location.hash = `#/runs/${id}`)}
    empty="It has never run. Try it on a page first, then run it."
  />`;
}

const recordColumns = [
  { title: 'Listing', grow: true, render: ({ id, title }) => html`<a href="#/listings/${id}">${title}</a>` },
  { title: 'Status', render: ({ status }) => html`<${Status} of=${status} />` },
  { title: 'Price', align: 'end', render: (row) => html`<span class="number">${priceOf(row)}</span>` },
  { title: 'Pictures', align: 'end', phone: false, render: ({ images }) => images },
];

function Records({ id }) {
  const path = withQuery('/api/admin/listings', { scraper_id: id, sort: 'updated', limit: 8 });
  const listings = useLive((options) => api.get(path, options), { on: ['listing.'], inputs: [path] });
  const aside = html`<a href="#/listings?scraper_id=${id}&sort=updated">All ${formatNumber(listings.data?.total)} of them</a>`;
  return html`<${Section} title="What it has brought" live=${listings} aside=${listings.data?.total > 0 && aside}>
    <${Table}
      label="Newest listings"
      columns=${recordColumns}
      rows=${listings.data?.results}
      keyOf=${({ id: each }) => each}
      empty="Nothing yet."
    />
  <//>`;
}

/** How many of its records have each field, now and in the run before. */
function FieldHealth({ runs }) {
  const [now, before] = (runs ?? []).filter(({ fill_rates: rates }) => rates);
  if (!now) return null;
  const fields = Object.entries(now.fill_rates).toSorted((a, b) => a[1] - b[1]);
  const percent = (share) => `${Math.round(share * 100)} %`;
  return html`<${Section} title="How full its fields are">
    <dl class="meters">
      ${fields.map(([name, share]) => {
        const was = before?.fill_rates[name];
        const fell = was !== undefined && was - share > 0.2;
        return html`<dt>${name.replaceAll('_', ' ')}</dt>
          <dd>
            <progress max="100" value=${share * 100} aria-label="Records with ${name.replaceAll('_', ' ')}"></progress>
            <span class=${fell ? 'number alarm' : 'number'}>${percent(share)}${fell ? `, was ${percent(was)}` : ''}</span>
          </dd>`;
      })}
    </dl>
  <//>`;
}

function Settings({ scraper, refresh }) {
  // What is edited stays as it was opened, until it is saved here.
  const [opened, setOpened] = useState(scraper);
  const saved = (next) => {
    setOpened(next);
    void refresh();
  };
  return html`<${Section} title="Settings">
    <${ScraperForm} key=${`${opened.enabled} ${scraper.enabled}`} scraper=${{ ...opened, enabled: scraper.enabled }} onDone=${saved} />
  <//>`;
}
