import { nameEvent } from './event-words.js';
import { html } from './html.js';
import { Person } from './links.js';
import { Empty, Section, Time } from './parts.js';

/** Who changed what of a listing, and when: the newest first. */
export function ListingHistory({ entries }) {
  return html`<${Section} title="History">
    ${entries.length === 0 && html`<${Empty}>Nothing has happened to it in the last 90 days.<//>`}
    <ol class="history">
      ${entries.map(
        ({ seq, type, at, actor, changes }) =>
          html`<li key=${seq}>
            <p>
              <strong>${nameEvent(type)}</strong> by ${actor ? html`<${Person} of=${actor} />` : 'the service'},${' '}
              <${Time} at=${at} />
            </p>
            ${changes.map(({ field, before, after }) => html`<${Change} key=${field} field=${field} before=${before} after=${after} />`)}
          </li>`,
      )}
    </ol>
  <//>`;
}

function Change({ field, before, after }) {
  const name = field.replaceAll('_', ' ');
  if (before === null && after === null) return html`<p class="faint">${name}</p>`;
  return html`<p class="differences">
    <span>${name}</span> <del>${before ?? '–'}</del>${' → '}<ins>${after ?? '–'}</ins>
  </p>`;
}
