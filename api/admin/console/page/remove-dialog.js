import { useState } from 'preact/hooks';
import { Dialog } from './dialog.js';
import { html } from './html.js';

/** Asks why a listing is deleted; with a reason its seller is told, without one nobody is. */
export function RemoveDialog({ listing, onRemove, onClose }) {
  const [reason, setReason] = useState('');
  const submit = (event) => {
    event.preventDefault();
    void onRemove(reason.trim());
  };
  return html`<${Dialog} title="Delete this listing?" onClose=${onClose}>
    <form class="stack" onSubmit=${submit}>
      <p>Nobody but administrators finds "${listing.title}" any more. It can be restored.</p>
      <label class="field">
        <span>The reason, for its seller</span>
        <textarea
          rows="3"
          maxlength="500"
          value=${reason}
          onInput=${(event) => setReason(event.currentTarget.value)}
          autofocus
        ></textarea>
        <span class="hint">${reason.trim() ? 'The seller is mailed this.' : 'Without a reason nobody is told.'}</span>
      </label>
      <div class="row end">
        <button type="button" onClick=${onClose}>Keep it</button>
        <button class="danger">Delete</button>
      </div>
    </form>
  <//>`;
}
