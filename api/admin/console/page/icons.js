import { html } from './html.js';

/** Outlines of 16 by 16, by the name of the page. */
const outlines = {
  overview: 'M2 14V8M6 14V4M10 14V9M14 14V2',
  listings: 'M2 2h12v4H2zM2 10h12v4H2z',
  payments: 'M1 4h14v9H1zM1 7h14',
  webhooks: 'M4 12a3 3 0 1 1 3-3h5M12 4a3 3 0 1 1-3 3L6 12',
  search: 'M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2zM11 11l3 3',
  jobs: 'M2 4h12M2 8h12M2 12h7',
  runs: 'M5 3l8 5-8 5z',
  scrapers: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12',
  duplicates: 'M2 2h8v8H2zM6 10v4h8V6h-4',
  reports: 'M8 2l6.5 12h-13zM8 7v3M8 12v.5',
  moderation: 'M3 14V2h9l-2 3 2 3H3',
  rewriting: 'M3 13l1-4 7-7 3 3-7 7zM9 4l3 3',
  people: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.5-3 2.5-4.5 5.5-4.5s5 1.5 5.5 4.5',
  audit: 'M4 2h8v12H4zM6 5h4M6 8h4M6 11h2',
  settings: 'M2 4h7M13 4h1M2 12h1M7 12h7M11 2v4M5 10v4',
  upkeep: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3l2 2',
  requests: 'M2 5h10l-3-3M14 11H4l3 3',
  help: 'M6 6a2 2 0 1 1 3 1.7c-.8.5-1 .9-1 1.8M8 12v.5',
  leave: 'M9 3H3v10h6M7 8h7M11 5l3 3-3 3',
};

/** A small drawing that says nothing by itself. */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${outlines[name] ?? 'M3 8h10'} /></svg>`;
}
