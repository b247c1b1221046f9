import { api } from './api.js';
import { html } from './html.js';
import { Button } from './parts.js';

const live = new Set(['queued', 'running']);

/** Starts a run of a scraper, or cancels the one that is live. */
export function RunButton({ scraper, refresh }) {
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
