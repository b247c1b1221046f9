import { html } from './html.js';
import { Id } from './links.js';
import { Time } from './parts.js';

const titles = {
  copied_images: 'Photos',
  low_price: 'Price',
  copied_text: 'Text',
  contact_details: 'Contact details',
  velocity: 'Many at once',
  new_account: 'New account',
};

/** What an automatic check found that speaks for a scam, each with its reason; nothing where it found none. */
export function ScamEvidence({ check }) {
  if (!check) return null;
  const { score, held_at: heldAt, checked_at: checkedAt, evidence } = check;
  return html`<section aria-label="Signs of a scam">
    <p class="row">
      <strong>Signs of a scam</strong>
      ${
        heldAt
          ? html`<span class="badge bad">taken off show by the check, <${Time} at=${heldAt} /></span>`
          : html`<span class="faint">checked <${Time} at=${checkedAt} /></span>`
      }
      <span class="faint">they weigh ${score} in all</span>
    </p>
    <ul class="note-list">
      ${evidence.map(
        ({ signal, weight, reason, cleared, details }) =>
          html`<li key=${signal}>
            <span class=${cleared ? 'badge off' : 'badge bad'}>${titles[signal] ?? signal}</span> ${reason}
            ${details.contacts && html` <span class="faint">${details.contacts.map(({ masked }) => masked).join(', ')}</span>`}
            ${(details.listings ?? []).map((id) => html` <${Id} of=${id} />`)}
            <span class="faint"> ${cleared ? 'approved by a moderator, does not count' : `weighs ${weight}`}</span>
          </li>`,
      )}
    </ul>
  </section>`;
}
