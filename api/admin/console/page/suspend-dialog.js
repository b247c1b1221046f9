import { useState } from 'preact/hooks';
import { api } from './api.js';
import { Dialog } from './dialog.js';
import { html } from './html.js';
import { complain, say } from './notices.js';

const longest = 2_000;
const dayMs = 86_400_000;
const lengths = [
  ['', 'until it is lifted'],
  ['1', 'a day'],
  ['7', 'a week'],
  ['30', 'thirty days'],
];

/** Asks for the reason, which the person is mailed, and for how long. */
export function SuspendDialog({ account, onDone, onClose }) {
  const [reason, setReason] = useState('');
  const [days, setDays] = useState('');
  const [busy, setBusy] = useState(false);
  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    const until = days === '' ? undefined : new Date(Date.now() + Number(days) * dayMs).toISOString();
    try {
      await api.post(`api/admin/users/${account.id}/suspend`, { reason: reason.trim(), until });
      say(`Suspended: ${account.name}`);
      onDone();
    } catch (error) {
      complain(error);
      setBusy(false);
    }
  }
  return html`<${Dialog} title="Suspend this account?" onClose=${onClose}>
    <form class="stack" onSubmit=${submit}>
      <p>
        <strong>${account.name}</strong> is logged out everywhere. API keys are revoked, webhooks paused, and listings and
        rentals hidden. The reason is mailed.
      </p>
      <label class="field">
        <span>Reason for the person</span>
        <textarea
          autofocus
          required
          rows="4"
          maxlength=${longest}
          value=${reason}
          onInput=${(event) => setReason(event.currentTarget.value)}
        ></textarea>
      </label>
      <label class="field">
        <span>For how long</span>
        <select value=${days} onChange=${(event) => setDays(event.currentTarget.value)}>
          ${lengths.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
        </select>
      </label>
      <div class="row end">
        <button type="button" onClick=${onClose}>Keep as it is</button>
        <button type="submit" class="danger" aria-busy=${busy} disabled=${reason.trim() === ''}>Suspend</button>
      </div>
    </form>
  <//>`;
}
