import { useState } from 'preact/hooks';
import { api } from './api.js';
import { html } from './html.js';
import { describeError, say } from './notices.js';

const selectorNames = [
  'title',
  'description',
  'price',
  'currency',
  'sku',
  'brand',
  'model',
  'availability',
  'condition',
  'breadcrumbs',
  'category',
  'images',
  'location',
  'properties',
];

const blank = {
  name: '',
  kind: 'http',
  start_urls: [],
  link_pattern: null,
  pagination_pattern: null,
  extract: { mode: 'structured' },
  category_id: null,
  schedule: null,
  max_pages: 1_000,
  requests_per_minute: 60,
  respect_robots: true,
  auto_publish: false,
  require_images: false,
  enabled: true,
};

/** The fields of the form as the API takes them. */
function bodyOf(form, scraper) {
  const data = new FormData(form);
  const text = (name) => /** @type {string} */ (data.get(name) ?? '').trim();
  const selectors = Object.fromEntries(
    selectorNames.map((name) => [name, text(`selector_${name}`)]).filter(([, value]) => value),
  );
  return {
    name: text('name'),
    ...(scraper && { site: text('site') }),
    kind: text('kind'),
    start_urls: text('start_urls').split(/\s+/).filter(Boolean),
    link_pattern: text('link_pattern') || null,
    pagination_pattern: text('pagination_pattern') || null,
    extract: text('mode') === 'selectors' ? { mode: 'selectors', selectors } : { mode: 'structured' },
    category_id: text('category_id') || null,
    schedule: text('schedule') || null,
    max_pages: Number(text('max_pages')),
    requests_per_minute: Number(text('requests_per_minute')),
    respect_robots: data.has('respect_robots'),
    auto_publish: data.has('auto_publish'),
    require_images: data.has('require_images'),
    enabled: data.has('enabled'),
  };
}

/**
 * Makes a scraper, or changes the one that is given; `onDone` gets it as it is then. What is refused stays. What is `proposed`
 * stands in the form at first; with a scraper, only that is changed.
 */
export function ScraperForm({ scraper, proposed, onDone }) {
  const values = { ...blank, ...scraper, ...proposed };
  const [mode, setMode] = useState(values.extract.mode);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(undefined);

  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    const whole = bodyOf(event.currentTarget, scraper);
    const learnt = Object.entries(whole).filter(
      ([name]) => proposed && name !== 'name' && Object.hasOwn(proposed, name),
    );
    const body = scraper && proposed ? Object.fromEntries(learnt) : whole;
    setBusy(true);
    setError(undefined);
    try {
      const saved = scraper
        ? await api.patch(`/api/admin/scrapers/${scraper.id}`, body)
        : await api.post('/api/admin/scrapers', body);
      say(scraper ? `${saved.name} is changed.` : `${saved.name} is made.`);
      onDone(saved);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return html`<form class="form" onSubmit=${submit}>
    <${Field} name="name" label="Name" value=${values.name} required maxlength="100" autofocus />
    ${
      scraper &&
      html`<${Field} name="site" label="Site" hint="No other host is visited." value=${values.site} required />`
    }
    <label class="field whole">
      <span>Start addresses, one a line</span>
      <textarea name="start_urls" rows="2" required>${values.start_urls.join('\n')}</textarea>
    </label>
    <${Field}
      name="link_pattern"
      label="Pages with a record"
      hint="Regular expression on the address; all pages when empty."
      value=${values.link_pattern}
    />
    <${Field}
      name="pagination_pattern"
      label="Pages that only lead to others"
      hint="Regular expression on the address."
      value=${values.pagination_pattern}
    />
    <${Field}
      name="schedule"
      label="Schedule"
      hint="Five fields of cron in UTC; by hand only when empty."
      value=${values.schedule}
      placeholder="0 4 * * *"
    />
    <${Field}
      name="category_id"
      label="Category of every record"
      hint="Found for each record when empty."
      value=${values.category_id}
    />
    <${Field}
      name="max_pages"
      label="Pages a run at most"
      type="number"
      min="1"
      max="100000"
      required
      value=${values.max_pages}
    />
    <${Field}
      name="requests_per_minute"
      label="Requests a minute"
      type="number"
      min="1"
      max="6000"
      required
      value=${values.requests_per_minute}
    />
    <label class="field">
      <span>How pages are fetched</span>
      <select name="kind">
        <option value="http" selected=${values.kind === 'http'}>plain HTTP</option>
        <option value="browser" selected=${values.kind === 'browser'}>
          in a browser, for pages that need JavaScript
        </option>
      </select>
    </label>
    <label class="field">
      <span>How pages are read</span>
      <select name="mode" onChange=${(event) => setMode(event.currentTarget.value)}>
        <option value="structured" selected=${mode === 'structured'}>structured data</option>
        <option value="selectors" selected=${mode === 'selectors'}>structured data, and my selectors first</option>
      </select>
    </label>
    ${
      mode === 'selectors' &&
      selectorNames.map(
        (name) =>
          html`<${Field}
            key=${name}
            name="selector_${name}"
            label="Selector: ${name}"
            maxlength="500"
            value=${values.extract.selectors?.[name]}
          />`,
      )
    }
    <div class="whole stack">
      <${Check} name="enabled" label="Follows its schedule" checked=${values.enabled} />
      <${Check} name="respect_robots" label="Obeys robots.txt and its crawl delay" checked=${values.respect_robots} />
      <${Check}
        name="auto_publish"
        label="Publishes what it has scraped once the pictures are in"
        checked=${values.auto_publish}
      />
      <${Check}
        name="require_images"
        label="Never publishes a listing without a picture"
        checked=${values.require_images}
      />
    </div>
    ${error && html`<p class="note bad whole" role="alert">${describeError(error)}</p>`}
    <div class="row end whole">
      <button class="primary" aria-busy=${busy}>${scraper ? 'Save' : 'Make the scraper'}</button>
    </div>
  </form>`;
}

function Field({ label, hint, value, ...rest }) {
  return html`<label class="field">
    <span>${label}</span>
    <input ...${rest} defaultValue=${value ?? ''} />
    ${hint && html`<span class="hint">${hint}</span>`}
  </label>`;
}

function Check({ name, label, checked }) {
  return html`<label class="check">
    <input type="checkbox" name=${name} defaultChecked=${checked} />
    <span>${label}</span>
  </label>`;
}
