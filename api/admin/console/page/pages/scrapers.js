import { useEffect } from 'preact/hooks';
import { api, withQuery } from '../api.js';
import { Dialog } from '../dialog.js';
import { formatNumber } from '../format.js';
import { html } from '../html.js';
import { useKeys } from '../keys.js';
import { LearnForm, LearningDialog } from '../learning.js';
import { useLive } from '../live.js';
import { Button, Pagination, Section, Status, Table, Time } from '../parts.js';
import { Reimports } from '../reimports.js';
import { useQuery } from '../route.js';
import { RunButton } from '../run-button.js';
import { ScraperDetail } from '../scraper-detail.js';
import { ScraperForm } from '../scraper-form.js';
import { QuarantineMark, RunDialog } from '../scraper-run.js';

const live = new Set(['queued', 'running']);

function View() {
  const [{ page = '1', id, run, making, copy, learning }, setQuery] = useQuery();
  const path = withQuery('/api/admin/scrapers', { page, limit: 50 });
  const scrapers = useLive((options) => api.get(path, options), { on: ['run.'], everyMs: 20_000, inputs: [path] });
  const make = () => setQuery({ making: '1' });
  const learn = (started) => setQuery({ making: '', id: '', run: '', learning: started });
  const show = (scraper) => (location.hash = `#/scrapers/${scraper.id}`);
  useKeys([{ keys: 'n', label: 'New scraper', run: make }]);
  // The address that a scraper had before it had a page of its own.
  useEffect(() => {
    if (id) location.replace(`#/scrapers/${id}`);
  }, [id]);
  return html`<${Scrapers} polled=${scrapers} onPage=${(next) => setQuery({ page: next })} onMake=${make} onOpen=${show} />
    <${Reimports} />
    ${
      (making || copy) &&
      html`<${Making}
        copied=${copy}
        onClose=${() => setQuery({ making: '', copy: '' })}
        onLearn=${learn}
        onDone=${show}
      />`
    }
    ${
      learning &&
      html`<${LearningDialog} key=${learning} id=${learning} onClose=${() => setQuery({ learning: '' })} onSaved=${show} />`
    }
    ${run && html`<${RunDialog} key=${run} of=${run} scrapers=${scrapers.data?.results} onLearn=${learn} onClose=${() => setQuery({ run: '' })} />`}`;
}

/** What needs somebody comes first: what failed, then what runs, then the others by name. */
const rank = ({ last_run: run, enabled }) =>
  run?.status === 'failed' && enabled ? 0 : live.has(run?.status) ? 1 : enabled ? 2 : 3;
const byNeed = (a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name);

function Scrapers({ polled, onPage, onMake, onOpen }) {
  const columns = [
    {
      title: 'Scraper',
      grow: true,
      render: (scraper) =>
        html`<span class="row">
            <a href="#/scrapers/${scraper.id}"><strong>${scraper.name}</strong></a>
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
      rows=${polled.data?.results.toSorted(byNeed)}
      stale=${polled.stale}
      keyOf=${({ id }) => id}
      onOpen=${onOpen}
      empty=${html`There is no scraper yet. <${Button} small onClick=${onMake}>Learn a site<//>`}
    />
    <${Pagination} of=${polled.data?.pagination} onPage=${onPage} />
  <//>`;
}

function Making({ copied, onClose, onLearn, onDone }) {
  const original = useLive(async (options) => (copied ? api.get(`/api/admin/scrapers/${copied}`, options) : null), {
    inputs: [copied],
  });
  if (original.data === undefined) return null;
  const proposed = original.data ? copyOf(original.data) : undefined;
  return html`<${Dialog} wide title=${proposed ? 'Duplicate a scraper' : 'New scraper'} onClose=${onClose}>
    ${!proposed && html`<${LearnForm} onStarted=${onLearn} /><h3>Or say it all yourself</h3>`}
    <${ScraperForm} proposed=${proposed} onDone=${onDone} />
  <//>`;
}

/** The settings of a scraper for another one, which is begun by hand until somebody has looked at it. */
function copyOf({ id: _id, created_at: _at, last_run: _run, name, ...settings }) {
  return { ...settings, name: `${name}, copy`.slice(0, 100), schedule: null, proxy_urls: null };
}

export const page = { path: '#/scrapers', title: 'Scrapers', shortcut: 'g s', View, Detail: ScraperDetail };
