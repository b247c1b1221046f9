import { useState } from 'preact/hooks';
import { api } from './api.js';
import { Dialog } from './dialog.js';
import { formatDuration, formatNumber } from './format.js';
import { groupsPath } from './group-view.js';
import { html } from './html.js';
import { useLive } from './live.js';
import { complain, say } from './notices.js';
import { Time } from './parts.js';
import { ScoreInput } from './score-input.js';

const readCategories = (options) => api.get('api/categories/flat', options);

/** A button that looks for duplicates, now; how far and from what score on is asked first. */
export function Scan({ lastAt, onScanned }) {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  async function scan({ isMerging, ...asked }) {
    setOpen(false);
    setBusy(true);
    try {
      const told = await api.post(isMerging ? `${groupsPath}/scan-and-merge` : `${groupsPath}/scan`, asked);
      say(describe(told));
    } catch (error) {
      complain(error);
    }
    setBusy(false);
    await onScanned();
  }
  return html`<button type="button" class="small" disabled=${busy} aria-busy=${busy} onClick=${() => setOpen(true)}>
      ${busy ? 'Scanning …' : 'Scan …'}
    </button>
    <span class="faint">${lastAt ? html`last <${Time} at=${lastAt} />` : 'not scanned yet'}</span>
    ${open && html`<${ScanDialog} onScan=${scan} onClose=${() => setOpen(false)} />`}`;
}

function describe(told) {
  if (told.job_id) return 'The scan takes longer, and goes on in the background.';
  const { listings_scanned: listings, pairs_compared: pairs, groups_detected: groups, groups_merged: merged } = told;
  const compared = `${formatNumber(listings)} listings scanned, ${formatNumber(pairs)} pairs compared in ${formatDuration(told.duration_ms)}`;
  const found = `${formatNumber(groups)} ${groups === 1 ? 'group' : 'groups'} found`;
  return `${compared}: ${found}${merged === undefined ? '' : `, ${formatNumber(merged)} merged`}.`;
}

function ScanDialog({ onScan, onClose }) {
  const { data } = useLive(readCategories);
  const [category, setCategory] = useState('');
  const [threshold, setThreshold] = useState('');
  const [isMerging, setMerging] = useState(false);
  const submit = (event) => {
    event.preventDefault();
    const asked = { ...(threshold !== '' && { threshold: Number(threshold) }) };
    onScan({ isMerging, ...asked, ...(category !== '' && !isMerging && { category }) });
  };
  return html`<${Dialog} title="Scan for duplicates" onClose=${onClose}>
    <form class="stack" onSubmit=${submit}>
      <label class="field">
        <span>Category</span>
        <select value=${category} disabled=${isMerging} onChange=${(event) => setCategory(event.currentTarget.value)}>
          <option value="">All</option>
          ${(data?.categories ?? []).map(({ id, path, name }) => html`<option key=${id} value=${id}>${path?.join(' › ') ?? name}</option>`)}
        </select>
      </label>
      <${ScoreInput} label="From this score on (0 to 1)" value=${threshold} isMerging=${isMerging} onChange=${setThreshold} />
      <label class="check">
        <input type="checkbox" checked=${isMerging} onChange=${(event) => setMerging(event.currentTarget.checked)} />
        <span>Merge what is found, without anybody looking</span>
      </label>
      <div class="row end">
        <button type="button" onClick=${onClose}>Not now</button>
        <button type="submit" class=${isMerging ? 'danger' : 'primary'}>
          ${isMerging ? 'Scan and merge' : 'Scan'}
        </button>
      </div>
    </form>
  <//>`;
}
