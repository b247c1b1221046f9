import { useEffect, useRef, useState } from 'preact/hooks';
import { api, withQuery } from './api.js';
import { Dialog } from './dialog.js';
import { Differences } from './differences.js';
import { formatNumber } from './format.js';
import { html } from './html.js';
import { Id } from './links.js';
import { useLive } from './live.js';
import { Button, Fresh, Pagination, Progress, Section, Select, Status, Table, Time } from './parts.js';
import { useQuery } from './route.js';

const live = new Set(['queued', 'running']);

/** Runs that map all scraped listings with the rules of today: what each has changed, or would change. */
export function Reimports() {
  const [{ reimport }, setQuery] = useQuery();
  const polled = useLive((options) => api.get('/api/admin/reimports?limit=10', options), {
    on: ['run.'],
    everyMs: (data) => (data?.results.some(({ status }) => live.has(status)) ? 3_000 : 60_000),
  });
  const runs = polled.data?.results;
  const current = runs?.find(({ status }) => live.has(status));
  const opened = reimport && runs?.find(({ id }) => id === reimport);
  const start = (body) => async () => {
    await api.post('/api/admin/reimports', body);
    await polled.refresh();
  };
  const cancel = async () => {
    await api.post(`/api/admin/jobs/${current.job_id}/cancel`);
    await polled.refresh();
  };
  const columns = [
    { title: 'Status', render: (run) => html`<${Status} of=${run.status} />` },
    {
      title: 'What',
      grow: true,
      render: (run) => `${run.dry_run ? 'compared only' : 'applied'}${run.site === null ? '' : `, ${run.site}`}`,
    },
    { title: 'Listings', align: 'end', phone: false, render: (run) => formatNumber(run.done) },
    { title: 'Differ', align: 'end', render: (run) => formatNumber(run.changed) },
    { title: 'Skipped', align: 'end', phone: false, render: (run) => formatNumber(run.skipped) },
    { title: 'Made', align: 'end', render: (run) => html`<${Time} at=${run.created_at} />` },
  ];
  const aside = current
    ? html`<${Button}
        kind="danger"
        confirm=${{ title: 'Cancel it?', text: 'What it has written stays.', action: 'Cancel it' }}
        onClick=${cancel}
        done="Reimport: cancelled."
      >
        Cancel
      <//>`
    : html`<${Button} onClick=${start({ dry_run: true })} done="Reimport: queued, it only compares.">Compare<//>
        <${Button}
          kind="primary"
          confirm=${{
            title: 'Map everything again?',
            text: 'What comes out differently is written over what the listings say now.',
            action: 'Apply it',
          }}
          onClick=${start({})}
          done="Reimport: queued."
        >
          Apply
        <//>`;
  return html`<${Section} title="Reimport with today's rules" live=${polled} aside=${runs && aside}>
    ${
      current?.status === 'running' &&
      html`<${Progress} value=${percentOf(current)} label="Progress of the reimport" />`
    }
    <${Table}
      label="Reimports"
      columns=${columns}
      rows=${runs}
      stale=${polled.stale}
      keyOf=${({ id }) => id}
      onOpen=${({ id }) => setQuery({ reimport: id })}
      empty="None yet."
    />
    ${opened && html`<${ChangesDialog} key=${opened.id} run=${opened} onClose=${() => setQuery({ reimport: '' })} />`}
  <//>`;
}

const percentOf = ({ done, total }) => (total === 0 ? 0 : Math.min(99, Math.floor((100 * done) / total)));

function ChangesDialog({ run, onClose }) {
  const [field, setField] = useState('');
  const [page, setPage] = useState(1);
  const path = withQuery(`/api/admin/reimports/${run.id}/changes`, { field, page, limit: 20 });
  const polled = useLive((options) => api.get(path, options), { everyMs: 30_000, inputs: [path] });
  const head = useRef(null);
  useEffect(() => head.current.closest('dialog').scrollTo({ top: 0 }), [path]);
  const choose = (value) => {
    setField(value);
    setPage(1);
  };
  const options = run.fields.map((each) => [each.field, `${each.field} (${formatNumber(each.listings)})`]);
  const columns = [
    {
      title: 'Listing',
      grow: true,
      render: (each) =>
        html`<strong>${each.title ?? 'gone'}</strong> <${Id} of=${each.listing_id} />
          <${Differences} of=${each} />`,
    },
  ];
  return html`<${Dialog} wide title=${run.dry_run ? 'What would change' : 'What has changed'} onClose=${onClose}>
    <p class="row" ref=${head}>
      <${Status} of=${run.status} /> ${formatNumber(run.changed)} of ${formatNumber(run.done)} listings differ
      <${Select} label="Field" value=${field} options=${[['', 'all'], ...options]} onChange=${choose} />
      <${Fresh} of=${polled} />
    </p>
    <${Table}
      label="Changes"
      columns=${columns}
      rows=${polled.data?.results}
      stale=${polled.stale}
      keyOf=${(each) => each.listing_id}
      empty="Nothing differs."
    />
    <${Pagination} of=${polled.data?.pagination} onPage=${(next) => setPage(Number(next))} />
    ${run.errors.length > 0 && html`<h3>Left out</h3>`}
    ${run.errors.map(({ message }) => html`<p class="faint" key=${message}>${message}</p>`)}
  <//>`;
}
