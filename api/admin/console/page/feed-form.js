import { useRef, useState } from 'preact/hooks';
import { api } from './api.js';
import { html } from './html.js';
import { say } from './notices.js';
import { Button, Status, Table } from './parts.js';

const presets = [
  ['openmarine', 'OpenMarine (boat brokers)'],
  ['google-merchant', 'Google Merchant'],
  ['csv', 'table with a header'],
  ['', 'my mapping alone'],
];
/** As much of a file as a preview reads. */
const headBytes = 262_144;
const uploadMs = 600_000;

/** What the fields of a feed in a form say, as the API takes it. Throws for a mapping that is no JSON. */
export function feedOf(data) {
  const text = (name) => /** @type {string} */ (data.get(name) ?? '').trim();
  return { ...readMapping(text('feed_mapping')), preset: text('feed_preset') || null, mode: text('feed_mode') };
}

function readMapping(text) {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('The mapping is no JSON.', { cause });
  }
}

/** How a feed is read, and what that makes of its first items. */
export function FeedFields({ feed }) {
  const { preset = 'openmarine', mode = 'full', ...mapping } = feed ?? {};
  const { format, ...parts } = mapping;
  const own = format === undefined || format === 'auto' ? parts : mapping;
  return html`<label class="field">
      <span>Form of the feed</span>
      <select name="feed_preset">
        ${presets.map(([value, label]) => html`<option key=${value} value=${value} selected=${value === (preset ?? '')}>${label}</option>`)}
      </select>
    </label>
    <label class="field">
      <span>What a feed holds</span>
      <select name="feed_mode">
        <option value="full" selected=${mode === 'full'}>everything (full)</option>
        <option value="delta" selected=${mode === 'delta'}>what has changed (delta)</option>
      </select>
    </label>
    <label class="field whole">
      <span>My mapping, as JSON; its parts replace those of the preset</span>
      <textarea name="feed_mapping" rows="4" spellcheck=${false} placeholder=${'{"fields": {"title": "name"}}'}>
${Object.keys(own).length > 0 ? JSON.stringify(own, null, 2) : ''}</textarea
      >
    </label>
    <${Preview} />`;
}

function Preview() {
  const place = useRef(null);
  const [found, setFound] = useState(undefined);
  const look = async () => {
    const data = new FormData(place.current.closest('form'));
    const file = /** @type {File} */ (data.get('feed_try'));
    const url = /** @type {string} */ (data.get('start_urls')).trim();
    const site = /** @type {string} */ (data.get('site') ?? '').trim();
    const from = file?.size > 0 ? { content: await file.slice(0, headBytes).text() } : { url };
    setFound(
      await api.post('/api/admin/scrapers/preview-feed', { feed: feedOf(data), ...from, ...(site && { site }) }),
    );
  };
  return html`<div class="whole stack" ref=${place}>
    <div class="row">
      <label class="field">
        <span>Try it with a file, else with the address</span>
        <input type="file" name="feed_try" />
      </label>
      <${Button} onClick=${look}>Preview<//>
    </div>
    ${found?.problems.map((problem) => html`<p class="note bad" key=${problem}>${problem}</p>`)}
    ${
      found &&
      html`<${Table}
        label="First items"
        columns=${previewColumns}
        rows=${found.items.map((item, index) => ({ ...item, index }))}
        keyOf=${({ index }) => String(index)}
        empty="No item was found."
      />`
    }
  </div>`;
}

const priceOf = ({ price }) => (price ? `${price.amount} ${price.currency}` : '');
const previewColumns = [
  {
    title: 'Item',
    grow: true,
    render: ({ raw, record, problem, deleted }) =>
      html`<span class="row">
          <strong>${record?.title ?? raw?.title ?? 'An item'}</strong>
          ${deleted && html`<${Status} of="deleted" />`}
        </span>
        ${problem && html`<span class="alarm">${problem}</span>`}
        ${raw && html`<code class="faint cut">${raw.url}</code>`}`,
  },
  { title: 'Price', align: 'end', render: ({ record }) => priceOf(record ?? {}) },
  { title: 'Place', phone: false, render: ({ record }) => record?.location?.city ?? record?.location?.country ?? '' },
  { title: 'Images', align: 'end', phone: false, render: ({ record }) => String(record?.images?.length ?? 0) },
];

/** Sends a file as the feed of a scraper, and starts the run that reads it. */
export function FeedUpload({ scraper, refresh }) {
  const input = useRef(null);
  const send = async () => {
    const form = new FormData();
    form.set('file', input.current.files[0]);
    input.current.value = '';
    await api.post(`/api/admin/scrapers/${scraper.id}/feed`, form, { timeoutMs: uploadMs });
    say(`${scraper.name}: queued.`);
    await refresh();
  };
  const [error, setError] = useState(undefined);
  const choose = () => {
    setError(undefined);
    send().catch(setError);
  };
  return html`<label class="field">
    <span>Upload a feed and read it now</span>
    <input type="file" ref=${input} onChange=${choose} />
    ${error && html`<span class="alarm" role="alert">${error.message}</span>`}
  </label>`;
}
