import { useState } from 'preact/hooks';
import { api, withQuery } from '../api.js';
import { Dialog } from '../dialog.js';
import { FeedUpload } from '../feed-form.js';
import { formatNumber } from '../format.js';
import { html } from '../html.js';
import { useKeys } from '../keys.js';
import { LearnForm, LearningDialog, RelearnButton } from '../learning.js';
import { usePolling } from '../live.js';
import { Button, Pagination, Section, Select, Status, Table, Time } from '../parts.js';
import { Reimports } from '../reimports.js';
import { useQuery } from '../route.js';
import { ScraperForm } from '../scraper-form.js';
import { QuarantineMark, RunDialog } from '../scraper-run.js';

const live = new Set(['queued', 'running']);
const runStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'];

function View() {
  const [{ page = '1', id, run, making, learning }, setQuery] = useQuery();
  const path = withQuery('/api/admin/scrapers', { page, limit: 25 });
  const scrapers = usePolling((options) => api.get(path, options), 5_000, [path]);
  const make = () => setQuery({ making: '1' });
  const learn = (started) => setQuery({ making: '', id: '', run: '', learning: started });
  const edited = id && scrapers.data?.results.find((each) => each.id === id);
  useKeys([{ keys: 'n', label: 'New scraper', run: make }]);
  return html`<${Scrapers}
      polled=${scrapers}
      onPage=${(next) => setQuery({ page: next })}
      onMake=${make}
      onOpen=${(scraper) => setQuery({ id: scraper.id })}
    />
    <${Runs}
      names=${new Map(scrapers.data?.results.map((each) => [each.id, each.name]))}
      onOpen=${(each) => setQuery({ run: `${each.scraper_id} ${each.id}` })}
    />
    <${Reimports} />
    ${
      making &&
      html`<${Making} onClose=${() => setQuery({ making: '' })} onLearn=${learn} onDone=${scrapers.refresh} />`
    }
    ${
      learning &&
      html`<${LearningDialog}
        key=${learning}
        id=${learning}
        onClose=${() => setQuery({ learning: '' })}
        onSaved=${(saved) => {
          setQuery({ learning: '', id: saved.id });
          void scrapers.refresh();
        }}
      />`
    }
    ${
      edited &&
      html`<${ScraperDialog}
        key=${id}
        scraper=${edited}
        refresh=${scrapers.refresh}
        onLearn=${learn}
        onClose=${() => setQuery({ id: '' })}
      />`
    }
    ${run && html`<${RunDialog} key=${run} of=${run} scrapers=${scrapers.data?.results} onLearn=${learn} onClose=${() => setQuery({ run: '' })} />`}`;
}

function Scrapers({ polled, onPage, onMake, onOpen }) {
  const columns = [
    {
      title: 'Scraper',
      grow: true,
      render: (scraper) =>
        html`<span class="row">
            <strong>${scraper.name}</strong>
            ${!scraper.enabled && html`<${Status} of="disabled" />`}
          </span>
          <span class="faint">${scraper.site}${scraper.schedule ? `, ${scraper.schedule}` : ''}</span>`,
    },
    {
      title: 'Last run',
      render: ({ last_run: run }) =>
        run
          ? html`<${Status} of=${run.status} /> <${QuarantineMark} run=${run} />`
          : html`<span class="faint">never</span>`,
    },
    {
      title: 'When',
      phone: false,
      render: ({ last_run: run }) => html`<${Time} at=${run?.started_at ?? run?.created_at} />`,
    },
    { title: 'Pages', align: 'end', phone: false, render: ({ last_run: run }) => formatNumber(run?.pages_fetched) },
    { title: 'Records', align: 'end', phone: false, render: ({ last_run: run }) => formatNumber(run?.records_found) },
    { title: 'Failed', align: 'end', phone: false, render: ({ last_run: run }) => formatNumber(run?.failed) },
    {
      title: '',
      align: 'end',
      render: (scraper) => html`<${RunButton} scraper=${scraper} refresh=${polled.refresh} />`,
    },
  ];
  const aside = html`<${Button} kind="primary" onClick=${onMake}>New scraper<//>`;
  return html`<${Section} title="Scrapers" live=${polled} aside=${aside}>
    <${Table}
      label="Scrapers"
      columns=${columns}
      rows=${polled.data?.results}
      stale=${polled.stale}
      keyOf=${({ id }) => id}
      onOpen=${onOpen}
      empty="There is no scraper yet."
    />
    <${Pagination} of=${polled.data?.pagination} onPage=${onPage} />
  <//>`;
}

/** Starts a run of a scraper, or cancels the one that is live. */
function RunButton({ scraper, refresh }) {
  const { id, name, kind, start_urls: urls, last_run: last } = scraper;
  const start = async () => {
    await api.post(`/api/admin/scrapers/${id}/runs`);
    await refresh();
  };
  const cancel = async () => {
    await api.post(`/api/admin/scrapers/${id}/runs/${last.id}/cancel`);
    await refresh();
  };
  const isLive = live.has(last?.status);
  // A feed without an address is read when it is uploaded.
  if (!isLive && kind === 'feed' && urls.length === 0) return null;
  if (!isLive) return html`<${Button} small aria-label="Run ${name}" onClick=${start} done="${name}: queued.">Run<//>`;
  return html`<${Button}
    small
    kind="danger"
    aria-label="Cancel the run of ${name}"
    confirm=${{ title: `Cancel the run of ${name}?`, text: 'What it has brought stays.', action: 'Cancel the run' }}
    onClick=${cancel}
    done="${name}: cancelled."
  >
    Cancel
  <//>`;
}

const runColumns = [
  { title: 'Status', render: (run) => html`<${Status} of=${run.status} /> <${QuarantineMark} run=${run} />` },
  { title: 'Pages', align: 'end', phone: false, render: (run) => formatNumber(run.pages_fetched) },
  { title: 'Records', align: 'end', phone: false, render: (run) => formatNumber(run.records_found) },
  { title: 'New', align: 'end', render: (run) => formatNumber(run.created) },
  { title: 'Changed', align: 'end', phone: false, render: (run) => formatNumber(run.updated) },
  { title: 'Failed', align: 'end', phone: false, render: (run) => formatNumber(run.failed) },
  {
    title: 'Errors',
    align: 'end',
    render: (run) =>
      run.errors.length > 0
        ? html`<span class="alarm">${formatNumber(run.errors.length)}</span>`
        : html`<span class="faint">0</span>`,
  },
  { title: 'Made', align: 'end', render: (run) => html`<${Time} at=${run.created_at} />` },
];

function Runs({ names, onOpen }) {
  const [{ status = '', runs = '1' }, setQuery] = useQuery();
  const path = withQuery('/api/admin/runs', { status, page: runs, limit: 15 });
  const polled = usePolling((options) => api.get(path, options), 3_000, [path]);
  const columns = [
    { title: 'Scraper', grow: true, render: (run) => names.get(run.scraper_id) ?? run.scraper_id },
    ...runColumns,
  ];
  const aside = html`<${Select}
    label="Status"
    value=${status}
    options=${[['', 'all'], ...runStates]}
    onChange=${(value) => setQuery({ status: value, runs: '' })}
  />`;
  return html`<${Section} title="Runs" live=${polled} aside=${aside}>
    <${Table}
      label="Runs"
      columns=${columns}
      rows=${polled.data?.results}
      stale=${polled.stale}
      keyOf=${({ id }) => id}
      onOpen=${onOpen}
      empty="No such run."
    />
    <${Pagination} of=${polled.data?.pagination} onPage=${(next) => setQuery({ runs: next })} />
  <//>`;
}

function Making({ onClose, onLearn, onDone }) {
  const done = () => {
    onClose();
    void onDone();
  };
  return html`<${Dialog} wide title="New scraper" onClose=${onClose}>
    <${LearnForm} onStarted=${onLearn} />
    <h3>Or say it all yourself</h3>
    <${ScraperForm} onDone=${done} />
  <//>`;
}

function ScraperDialog({ scraper, refresh, onLearn, onClose }) {
  // What is edited stays as it was opened, whatever polling brings.
  const [opened, setOpened] = useState(scraper);
  const toggle = async () => {
    setOpened(await api.patch(`/api/admin/scrapers/${scraper.id}`, { enabled: !scraper.enabled }));
    await refresh();
  };
  const done = () => {
    onClose();
    void refresh();
  };
  return html`<${Dialog} wide title=${scraper.name} onClose=${onClose}>
    <div class="row">
      <${RunButton} scraper=${scraper} refresh=${refresh} />
      <${Button} small onClick=${toggle} done="${scraper.name} is ${scraper.enabled ? 'disabled' : 'enabled'}.">
        ${scraper.enabled ? 'Disable' : 'Enable'}
      <//>
      <${RelearnButton} scraper=${scraper} onStarted=${onLearn} />
      ${scraper.last_run && html`<${Status} of=${scraper.last_run.status} />`}
    </div>
    ${scraper.kind === 'feed' && html`<${FeedUpload} scraper=${scraper} refresh=${refresh} />`}
    <${ScraperForm} key=${String(opened.enabled)} scraper=${opened} onDone=${done} />
  <//>`;
}

export const page = { path: '#/scrapers', title: 'Scrapers', shortcut: 'g s', View };
