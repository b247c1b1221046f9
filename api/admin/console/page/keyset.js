import { useState } from 'preact/hooks';
import { formatNumber } from './format.js';
import { html } from './html.js';

/**
 * The way through a list whose pages follow one another by cursors. `filter` names the list: another one begins at its first page.
 * @param {string} filter
 */
export function useCursors(filter) {
  const [way, setWay] = useState({ filter, trail: [] });
  const trail = way.filter === filter ? way.trail : [];
  const setTrail = (next) => setWay({ filter, trail: next });
  return {
    cursor: trail.at(-1),
    page: trail.length + 1,
    next: (cursor) => setTrail([...trail, cursor]),
    previous: () => setTrail(trail.slice(0, -1)),
  };
}

/** Buttons to the page before and the next, and how many entries there are where the list tells. */
export function KeysetPagination({ cursors, of, noun = 'entries' }) {
  if (!of || (of.results.length === 0 && cursors.page === 1)) return null;
  const { total, total_is_exact: isExact = true, next_cursor: next } = of;
  const isWhole = cursors.page === 1 && !next;
  if (isWhole && total === undefined) return null;
  return html`<nav class="pagination" aria-label="Pages of the list">
    ${total !== undefined && html`<span class="faint">${formatNumber(total)}${isExact ? '' : ' or more'} ${noun}</span>`}
    ${
      !isWhole &&
      html`<button type="button" class="small" disabled=${cursors.page === 1} onClick=${cursors.previous}>Previous</button>
        <span class="number">page ${formatNumber(cursors.page)}</span>
        <button type="button" class="small" disabled=${!next} onClick=${() => cursors.next(next)}>Next</button>`
    }
  </nav>`;
}
