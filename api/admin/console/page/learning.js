import { useState } from 'preact/hooks';
import { api } from './api.js';
import { Dialog } from './dialog.js';
import { formatNumber } from './format.js';
import { html } from './html.js';
import { LearningFields } from './learning-fields.js';
import { SavedPages } from './learning-pages.js';
import { useLive } from './live.js';
import { describeError } from './notices.js';
import { Button, ErrorNote, Status } from './parts.js';
import { ScraperForm } from './scraper-form.js';

const live = new Set(['queued', 'running']);

/** Asks for the page to learn from; `onStarted` gets the id of the learning. */
export function LearnForm({ onStarted }) {
  const [error, setError] = useState(undefined);
  const [busy, setBusy] = useState(false);
  async function submit(event) {
    event.preventDefault();
    const url = /** @type {string} */ (new FormData(event.currentTarget).get('url') ?? '').trim();
    setBusy(true);
    setError(undefined);
    try {
      onStarted((await api.post('/api/admin/scrapers/learn', { url })).id);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }
  return html`<form class="form" onSubmit=${submit}>
    <label class="field whole">
      <span>A page of the site that lists things</span>
      <input name="url" type="url" required maxlength="2048" placeholder="https://" autofocus />
      <span class="hint">It and at most 20 others are looked at, as slowly as a crawl would. Nothing is made yet.</span>
    </label>
    ${error && html`<p class="note bad whole" role="alert">${describeError(error)}</p>`}
    <div class="row end whole"><button class="primary" aria-busy=${busy}>Look at the site</button></div>
  </form>`;
}

/** Starts to learn the site of a scraper again; a feed has none. */
export function RelearnButton({ scraper, onStarted }) {
  if (scraper.kind === 'feed') return null;
  const learn = async () => {
    const body = { url: scraper.start_urls[0], scraper_id: scraper.id };
    onStarted((await api.post('/api/admin/scrapers/learn', body)).id);
  };
  return html`<${Button} small onClick=${learn}>Learn the site again<//>`;
}

/** What was learnt of a site: its progress, then the proposal on the saved pages, to be corrected and saved. */
export function LearningDialog({ id, onClose, onSaved }) {
  const path = `/api/admin/learnings/${id}`;
  const polled = useLive((options) => api.get(path, options), {
    everyMs: (learning) => (learning && !live.has(learning.status) ? 0 : 2_000),
    inputs: [path],
  });
  const learning = polled.data;
  const cancel = async () => {
    await api.post(`${path}/cancel`);
    await polled.refresh();
  };
  return html`<${Dialog} wide title="Learn a site" onClose=${onClose}>
    ${!learning && html`<${ErrorNote} error=${polled.error} retry=${polled.refresh} />`}
    ${
      learning &&
      html`<p class="row">
        <${Status} of=${learning.status} /> <code class="cut">${learning.url}</code>
        ${live.has(learning.status) && html`<${Button} small kind="danger" onClick=${cancel}>Cancel<//>`}
      </p>
      <p class="faint" role="status">
        ${formatNumber(learning.pages_fetched)} of at most 21 pages
        read${learning.pages_failed > 0 && `, ${formatNumber(learning.pages_failed)} could not be read`}.
      </p>`
    }
    ${learning?.error && html`<p class="note bad">${learning.error}</p>`}
    ${learning?.proposal && html`<${Proposal} learning=${learning} onSaved=${onSaved} />`}
  <//>`;
}

function Proposal({ learning, onSaved }) {
  const { proposal, scraper_id: scraperId } = learning;
  const { link_pattern: link, pagination_pattern: pagination } = proposal.scraper;
  const [patterns, setPatterns] = useState({ link: link ?? '', pagination: pagination ?? '' });
  const follow = (event) => {
    const { name, value } = event.target;
    if (name === 'link_pattern') setPatterns((before) => ({ ...before, link: value }));
    if (name === 'pagination_pattern') setPatterns((before) => ({ ...before, pagination: value }));
  };
  return html`<div class="stack">
      ${proposal.notes.map((note) => html`<p class="note" key=${note}>${note}</p>`)}
    </div>
    <h3>Fields</h3>
    <${LearningFields} fields=${proposal.fields} />
    <h3>Saved pages</h3>
    <${SavedPages} learning=${learning} patterns=${patterns} />
    <h3>${scraperId ? 'The scraper' : 'The new scraper'}</h3>
    <div onInput=${follow}>
      <${ScraperForm} scraper=${scraperId ? { id: scraperId } : undefined} proposed=${proposal.scraper} onDone=${onSaved} />
    </div>`;
}
