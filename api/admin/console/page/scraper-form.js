import { useState } from 'preact/hooks';
import { api } from './api.js';
import { FeedFields, feedOf } from './feed-form.js';
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
  feed: null,
  category_id: null,
  schedule: null,
  max_pages: 1_000,
  requests_per_minute: 60,
  respect_robots: true,
  proxy_urls: null,
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
  const kind = text('kind');
  const common = {
    name: text('name'),
    ...((scraper || text('site')) && { site: text('site') }),
    kind,
    start_urls: text('start_urls').split(/\s+/).filter(Boolean),
    category_id: text('category_id') || null,
    schedule: text('schedule') || null,
    requests_per_minute: Number(text('requests_per_minute')),
    respect_robots: data.has('respect_robots'),
    proxy_urls: data.has('own_proxies') ? text('proxy_urls').split(/\s+/).filter(Boolean) : null,
    auto_publish: data.has('auto_publish'),
    require_images: data.has('require_images'),
    enabled: data.has('enabled'),
  };
  if (kind === 'feed') return { ...common, feed: feedOf(data) };
  return {
    ...common,
    feed: null,
    link_pattern: text('link_pattern') || null,
    pagination_pattern: text('pagination_pattern') || null,
    extract: text('mode') === 'selectors' ? { mode: 'selectors', selectors } : { mode: 'structured' },
    max_pages: Number(text('max_pages')),
  };
}

/**
 * Makes a scraper, or changes the one that is given; `onDone` gets it as it is then. What is refused stays. What is `proposed`
 * stands in the form at first; with a scraper, only that is changed.
 */
export function ScraperForm({ scraper, proposed, onDone }) {
  const values = { ...blank, ...scraper, ...proposed };
  const [ownProxies, setOwnProxies] = useState(values.proxy_urls !== null);
  const [kind, setKind] = useState(values.kind);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(undefined);

  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    setBusy(true);
    setError(undefined);
    try {
      const whole = bodyOf(form, scraper);
      const learnt = Object.entries(whole).filter(
        ([name]) => proposed && name !== 'name' && Object.hasOwn(proposed, name),
      );
      const body = scraper && proposed ? Object.fromEntries(learnt) : whole;
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

  const isFeed = kind === 'feed';
  return html`<form class="form" onSubmit=${submit}>
    <${Field} name="name" label="Name" value=${values.name} required maxlength="100" autofocus=${!scraper} />
    <label class="field">
      <span>What is read</span>
      <select name="kind" onChange=${(event) => setKind(event.currentTarget.value)}>
        <option value="http" selected=${kind === 'http'}>pages, by plain HTTP</option>
        <option value="browser" selected=${kind === 'browser'}>pages that need JavaScript, in a browser</option>
        <option value="feed" selected=${isFeed}>a feed: XML, CSV or JSON</option>
      </select>
    </label>
    ${
      (scraper || isFeed) &&
      html`<${Field}
        name="site"
        label="Site"
        hint=${isFeed ? 'The host of its items; that of the address when empty.' : 'No other host is visited.'}
        value=${scraper && values.site}
        required=${Boolean(scraper)}
      />`
    }
    <label class="field whole">
      <span>${isFeed ? 'Address of the feed; none when it is uploaded' : 'Start addresses, one a line'}</span>
      <textarea name="start_urls" rows=${isFeed ? '1' : '2'} required=${!isFeed}>${values.start_urls.join('\n')}</textarea>
    </label>
    ${isFeed ? html`<${FeedFields} feed=${values.feed} />` : html`<${PageFields} values=${values} />`}
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
      name="requests_per_minute"
      label="Requests a minute"
      type="number"
      min="1"
      max="6000"
      required
      value=${values.requests_per_minute}
    />
    ${
      ownProxies &&
      html`<label class="field whole">
        <span>Proxies, one a line</span>
        <textarea name="proxy_urls" rows="2">${(values.proxy_urls ?? []).join('\n')}</textarea>
        <span class="hint">http://user:password@host:port. Those that are here keep the password they have.</span>
      </label>`
    }
    <div class="whole stack">
      <${Check} name="enabled" label="Follows its schedule" checked=${values.enabled} />
      <${Check} name="respect_robots" label="Obeys robots.txt and its crawl delay" checked=${values.respect_robots} />
      <${Check}
        name="own_proxies"
        label="Goes through proxies of its own, or through none"
        checked=${ownProxies}
        onChange=${(event) => setOwnProxies(event.currentTarget.checked)}
      />
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

/** Which pages are visited, and how each is read. */
function PageFields({ values }) {
  const [mode, setMode] = useState(values.extract.mode);
  return html`<${Field}
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
      name="max_pages"
      label="Pages a run at most"
      type="number"
      min="1"
      max="100000"
      required
      value=${values.max_pages}
    />
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
    }`;
}

function Field({ label, hint, value, ...rest }) {
  return html`<label class="field">
    <span>${label}</span>
    <input ...${rest} defaultValue=${value ?? ''} />
    ${hint && html`<span class="hint">${hint}</span>`}
  </label>`;
}

function Check({ name, label, checked, ...rest }) {
  return html`<label class="check">
    <input type="checkbox" name=${name} defaultChecked=${checked} ...${rest} />
    <span>${label}</span>
  </label>`;
}
