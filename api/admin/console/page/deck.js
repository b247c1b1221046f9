import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from './html.js';
import { useKeys } from './keys.js';
import { useQuery } from './route.js';

const wide = matchMedia('(min-width: 60rem)');

function useWide() {
  const [isWide, setWide] = useState(wide.matches);
  useEffect(() => {
    const update = () => setWide(wide.matches);
    wide.addEventListener('change', update);
    return () => wide.removeEventListener('change', update);
  }, []);
  return isWide;
}

/**
 * Which entry of a list is looked at: the one named by `id` in the address, else on a wide page the one at the place where the
 * last one was, so that whoever works a list off goes on with the next. `narrow` pages show the list or the entry.
 * @template {{ id: string }} Entry
 * @param {Entry[]} entries
 */
export function useSelection(entries) {
  const [{ id }, change] = useQuery();
  const isWide = useWide();
  const place = useRef(0);
  const at = entries.findIndex((entry) => entry.id === id);
  if (at >= 0) place.current = at;
  const nearest = isWide && !id ? entries[Math.min(place.current, entries.length - 1)] : undefined;
  const selectedId = id || nearest?.id;
  const index = entries.findIndex((entry) => entry.id === selectedId);
  const select = (next) => change({ id: next });
  const move = (by) => {
    const next = entries[Math.min(Math.max(index < 0 ? place.current : index + by, 0), entries.length - 1)];
    if (next) select(next.id);
  };
  return { id: selectedId, entry: entries[index], index, isNarrow: !isWide, select, move };
}

/** @typedef {ReturnType<typeof useSelection>} Selection */

/**
 * A list beside the entry that is looked at. `j` and `k` go through it; on a narrow page `Escape` goes back to the list.
 * @param {{
 *   label: string, noun: string, entries: { id: string }[], selection: Selection, tools?: unknown, footer?: unknown, children?: unknown,
 *   renderEntry: (entry: any) => unknown, renderMark?: (entry: any) => unknown,
 * }} props
 */
export function Deck({ label, noun, entries, selection, renderEntry, renderMark, tools, footer, children }) {
  const { id, index, isNarrow, select, move } = selection;
  const list = useRef(null);
  useKeys([
    { keys: 'j', label: `Next ${noun}`, run: () => move(1) },
    { keys: 'k', label: `Previous ${noun}`, run: () => move(-1) },
    ...(isNarrow && id ? [{ keys: 'Escape', run: () => select(undefined) }] : []),
  ]);
  useEffect(() => {
    const current = list.current?.querySelector('[aria-current=true]');
    current?.scrollIntoView({ block: 'nearest' });
    list.current?.closest('main')?.scrollTo({ top: 0 });
  }, [id]);
  return html`<div class=${`deck${id ? ' deck-open' : ''}`}>
    <section class="deck-list" aria-label=${label}>
      ${tools}
      <ul ref=${list}>
        ${entries.map(
          (entry) =>
            html`<li key=${entry.id} class=${entry.id === id ? 'current' : undefined}>
              ${renderMark?.(entry)}
              <button
                type="button"
                class="deck-entry"
                aria-current=${entry.id === id}
                onClick=${() => select(entry.id)}
              >
                ${renderEntry(entry)}
              </button>
            </li>`,
        )}
      </ul>
      ${footer}
    </section>
    <div class="deck-detail">
      ${
        isNarrow &&
        id &&
        html`<nav class="deck-back" aria-label="List">
          <button type="button" onClick=${() => select(undefined)}>‹ ${label}</button>
          <span>${index >= 0 ? `${index + 1} of ${entries.length}` : ''}</span>
          <button type="button" disabled=${index < 1} onClick=${() => move(-1)} aria-label=${`Previous ${noun}`}>
            ↑
          </button>
          <button
            type="button"
            disabled=${index < 0 || index >= entries.length - 1}
            onClick=${() => move(1)}
            aria-label=${`Next ${noun}`}
          >
            ↓
          </button>
        </nav>`
      }
      ${children}
    </div>
  </div>`;
}
