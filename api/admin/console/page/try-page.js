import { useState } from 'preact/hooks';
import { api } from './api.js';
import { useCategories } from './categories.js';
import { formatDuration, formatMoney } from './format.js';
import { html } from './html.js';
import { webAddress } from './listing-view.js';
import { describeError } from './notices.js';
import { Section, Table } from './parts.js';

const lookEveryMs = 700;
const givenUpAfterMs = 90_000;

const columns = [
  {
    title: 'Title',
    grow: true,
    render: ({ title, url }) =>
      html`${title ?? html`<span class="alarm">none</span>`}<a class="faint cut" href=${webAddress(url)} target="_blank" rel="noopener noreferrer">${url}</a>`,
  },
  {
    title: 'Price',
    align: 'end',
    render: ({ price }) => (price ? formatMoney(price.amount, price.currency) : html`<span class="alarm">none</span>`),
  },
  { title: 'Condition', phone: false, render: ({ condition }) => condition ?? '–' },
  {
    title: 'Where',
    phone: false,
    render: ({ location }) => [location?.city ?? location?.region, location?.country].filter(Boolean).join(', ') || '–',
  },
  { title: 'Pictures', align: 'end', render: ({ images }) => images?.length ?? 0 },
];

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads one page with the settings that are saved, and shows what the scraper finds there; nothing is kept of it. */
export function TryPage({ scraper }) {
  const names = new Map(useCategories().map(({ id, path }) => [id, path.join(' › ')]));
  const category = { title: 'Category', phone: false, render: ({ category: id }) => names.get(id) ?? id };
  const [url, setUrl] = useState(scraper.start_urls[0] ?? '');
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState(undefined);
  const [error, setError] = useState(undefined);

  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    setResult(undefined);
    try {
      setResult(await tryOn(`/api/admin/scrapers/${scraper.id}/try`, url.trim()));
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  }

  return html`<${Section} title="Try it on a page">
    <form class="row try-page" onSubmit=${submit}>
      <input
        type="url"
        required
        maxlength="2048"
        aria-label="Address of the page"
        value=${url}
        onInput=${(event) => setUrl(event.currentTarget.value)}
      />
      <button class="primary" aria-busy=${busy}>${busy ? 'Reading …' : 'Read it'}</button>
    </form>
    <p class="hint">The page is read with the saved settings, as politely as in a run. Nothing is kept of it.</p>
    <div role="status">
      ${error && html`<p class="note bad">${describeError(error)}</p>`}
      ${result?.error && html`<p class="note bad">${result.error}</p>`}
      ${result && html`<p>${foundOf(result)}</p>`}
    </div>
    ${result?.records.length > 0 && html`<${Table} label="Records of the page" columns=${columns.toSpliced(4, 0, category)} rows=${result.records} keyOf=${(record) => record.url} />`}
    ${result?.records.length > 0 && html`<details><summary>Everything that was read</summary><pre tabindex="0">${JSON.stringify(result.records, undefined, 2)}</pre></details>`}
  <//>`;
}

const foundOf = ({ records, duration_ms: took }) =>
  `${records.length === 0 ? 'No record' : records.length === 1 ? 'One record' : `${records.length} records`}, read in ${formatDuration(took)}.${
    records.length === 0
      ? ' A page that lists things leads to records and is none itself: try one of those it lists.'
      : ''
  }`;

async function tryOn(path, url) {
  const { job_id: id } = await api.post(path, { url });
  const until = Date.now() + givenUpAfterMs;
  while (Date.now() < until) {
    const job = await api.get(`/api/admin/jobs/${id}`);
    if (job.state === 'completed') return job.result;
    if (job.state === 'failed' || job.state === 'cancelled')
      throw new Error(job.error ?? 'The page could not be read.');
    await sleep(lookEveryMs);
  }
  throw new Error('The page has not been read in time. Are the scrapers running?');
}
