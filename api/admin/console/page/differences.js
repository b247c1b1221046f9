import { formatMoney } from './format.js';
import { html } from './html.js';

/** What a listing said and what it says then, a line for each part that differs. */
export function Differences({ of }) {
  return html`<dl class="differences">
    ${Object.keys(of.next)
      .flatMap((field) => linesOf(field, of.previous[field], of.next[field]))
      .map(
        ({ name, before, after }) =>
          html`<div key=${name}>
            <dt>${name}</dt>
            <dd><del>${before}</del> <span aria-hidden="true">→</span> <ins>${after}</ins></dd>
          </div>`,
      )}
  </dl>`;
}

/** Of a place, of attributes and of the facts of a boat each part is a line, named after both. */
function linesOf(field, before, after) {
  if (field === 'price') return [{ name: field, before: tellPrice(before), after: tellPrice(after) }];
  if (!hasParts(before ?? after) || !hasParts(after ?? before))
    return [{ name: field, before: tell(before), after: tell(after) }];
  const parts = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...parts].map((part) => ({
    name: `${field}: ${part.replaceAll('_', ' ')}`,
    before: tell(before?.[part]),
    after: tell(after?.[part]),
  }));
}

const hasParts = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const tellPrice = (price) => (price?.amount === 0 ? 'on request' : formatMoney(price?.amount, price?.currency));

const longest = 300;

function tell(value) {
  if (value === undefined || value === null || value === '') return '–';
  const text = typeof value === 'string' ? value : Array.isArray(value) ? value.map(tell).join(', ') : textOf(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text || '–';
}

const textOf = (value) => (hasParts(value) ? JSON.stringify(value) : String(value));
