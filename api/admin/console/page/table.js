import { html } from './html.js';

/**
 * @typedef {{ title: string, label?: string, render: (row: any) => unknown, align?: 'end', phone?: boolean, grow?: boolean }} Column
 * `label` is read aloud where there is no title; `phone: false` leaves a column out on narrow screens; the one that grows takes the
 * room that is left.
 */

/**
 * Rows that are read with j and k and opened with Enter or a click, when there is `onOpen`.
 * @param {{ label: string, columns: Column[], rows: any[] | undefined, keyOf: (row: any) => string,
 *   onOpen?: (row: any) => void, selected?: string, empty?: unknown, stale?: boolean }} props
 */
export function Table({ label, columns, rows, keyOf, onOpen, selected, empty = 'Nothing here.', stale = false }) {
  if (rows && rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const classOf = ({ align, phone = true, grow }) =>
    [align === 'end' && 'end', !phone && 'not-phone', grow && 'grow'].filter(Boolean).join(' ');
  return html`<div class="table-frame ${stale || !rows ? 'stale' : ''}">
    <table aria-label=${label} aria-busy=${!rows || stale}>
      <thead>
        <tr>
          ${columns.map(
            (column) =>
              html`<th scope="col" class=${classOf(column)}>
                ${column.title || html`<span class="unseen">${column.label ?? 'Actions'}</span>`}
              </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${(rows ?? []).map((row, index) => {
          const key = keyOf(row);
          const open = (event) => {
            if (!isControl(event)) onOpen(row);
          };
          const enter = (event) => {
            if (event.key !== 'Enter' || event.target !== event.currentTarget) return;
            event.preventDefault();
            onOpen(row);
          };
          return html`<tr
            key=${key}
            class=${onOpen ? 'opens' : ''}
            tabindex=${index === 0 ? 0 : -1}
            aria-current=${selected === key ? 'true' : undefined}
            onClick=${onOpen && open}
            onKeyDown=${onOpen && enter}
          >
            ${columns.map((column) => html`<td class=${classOf(column)}>${column.render(row)}</td>`)}
          </tr>`;
        })}
      </tbody>
    </table>
  </div>`;
}

const isControl = (event) => event.target.closest('a, button, input, select, label, summary') !== null;

/** Moves the focus to the next or the previous row: of the table that has it, else of the first. */
export function stepRows(step) {
  const table = document.activeElement?.closest('table') ?? document.querySelector('main table');
  const rows = [...(table?.querySelectorAll('tbody tr') ?? [])];
  const at = rows.indexOf(document.activeElement?.closest('tr'));
  const next = rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** The way through the pages of a list: `of` is the `pagination` of its answer; there is none through an empty one. */
export function Pagination({ of, onPage, label = 'Pages of the list' }) {
  if (!of || of.total === 0) return null;
  const { page, pages, total } = of;
  return html`<nav class="pagination" aria-label=${label}>
    <span class="faint">${total === 1 ? '1 entry' : `${total.toLocaleString('en')} entries`}</span>
    ${
      pages > 1 &&
      html`<button type="button" class="small" disabled=${page <= 1} onClick=${() => onPage(page - 1)}>Previous</button>
        <span class="number">${page} / ${pages}</span>
        <button type="button" class="small" disabled=${page >= pages} onClick=${() => onPage(page + 1)}>Next</button>`
    }
  </nav>`;
}
