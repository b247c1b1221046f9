import { useState } from 'preact/hooks';
import { api } from './api.js';
import { html } from './html.js';
import { Button } from './parts.js';

/** What was queued, in words. */
export const tellQueued = ({ queued, skipped }) =>
  `${queued} ${queued === 1 ? 'text' : 'texts'} queued${skipped > 0 ? `, ${skipped} up to date or edited by hand` : ''}.`;

const localesIn = (text) => {
  const locales = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  return locales.length > 0 ? { locales } : {};
};

function Locales({ value, onInput }) {
  return html`<label class="field">
    <span>Locales, such as "de fr"; all without</span>
    <input
      value=${value}
      onInput=${(event) => onInput(event.currentTarget.value)}
      autocomplete="off"
      spellcheck=${false}
    />
  </label>`;
}

function Force({ checked, onChange }) {
  return html`<label class="check">
    <input type="checkbox" checked=${checked} onChange=${(event) => onChange(event.currentTarget.checked)} />
    <span>Also what is up to date</span>
  </label>`;
}

const hold = (event) => event.preventDefault();

/** Asks for the texts of one listing. */
export function RewriteOne({ onQueued }) {
  const [listing, setListing] = useState('');
  const [locales, setLocales] = useState('');
  const [force, setForce] = useState(false);
  const queue = async () => {
    const answer = await api.post('api/admin/rewrite', {
      listing_id: listing.trim(),
      ...localesIn(locales),
      ...(force && { force }),
    });
    await onQueued();
    return answer;
  };
  return html`<form class="stack" onSubmit=${hold}>
    <h3>One listing</h3>
    <label class="field">
      <span>Id or slug</span>
      <input
        value=${listing}
        onInput=${(event) => setListing(event.currentTarget.value)}
        autocomplete="off"
        spellcheck=${false}
      />
    </label>
    <${Locales} value=${locales} onInput=${setLocales} />
    <${Force} checked=${force} onChange=${setForce} />
    <div class="row">
      <${Button} disabled=${listing.trim() === ''} onClick=${queue} done=${tellQueued}>Rewrite it<//>
    </div>
  </form>`;
}

/** Asks for the texts of the newest listings that lack one. */
export function RewriteMany({ onQueued }) {
  const [limit, setLimit] = useState('100');
  const [locales, setLocales] = useState('');
  const queue = async () => {
    const answer = await api.post('api/admin/rewrite-batch', { limit: Number(limit), ...localesIn(locales) });
    await onQueued();
    return answer;
  };
  return html`<form class="stack" onSubmit=${hold}>
    <h3>The newest that lack a text</h3>
    <label class="field">
      <span>How many, 500 at most</span>
      <input type="number" min="1" max="500" value=${limit} onInput=${(event) => setLimit(event.currentTarget.value)} />
    </label>
    <${Locales} value=${locales} onInput=${setLocales} />
    <div class="row"><${Button} onClick=${queue} done=${tellQueued}>Rewrite them<//></div>
  </form>`;
}
