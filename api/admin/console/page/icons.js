import { html } from './html.js';

/** Outlines of 16 by 16, by the name of the page. */
const outlines = {
  overview: 'M2 14V8M6 14V4M10 14V9M14 14V2',
  jobs: 'M2 4h12M2 8h12M2 12h7',
  runs: 'M5 3l8 5-8 5z',
  scrapers: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12',
  duplicates: 'M2 2h8v8H2zM6 10v4h8V6h-4',
  moderation: 'M3 14V2h9l-2 3 2 3H3',
  rewriting: 'M3 13l1-4 7-7 3 3-7 7zM9 4l3 3',
  upkeep: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3l2 2',
  requests: 'M2 5h10l-3-3M14 11H4l3 3',
  help: 'M6 6a2 2 0 1 1 3 1.7c-.8.5-1 .9-1 1.8M8 12v.5',
  leave: 'M9 3H3v10h6M7 8h7M11 5l3 3-3 3',
};

/** A small drawing that says nothing by itself. */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${outlines[name] ?? 'M3 8h10'} /></svg>`;
}
