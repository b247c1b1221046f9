import { useRef, useState } from 'preact/hooks';
import { Dialog } from './dialog.js';
import { html } from './html.js';

const longest = 500;

const texts = {
  goods: 'Goods of this kind may not be offered here.',
  fraud: 'Readers have reported this offer as fraudulent, and we could not dispel their doubts.',
  contact:
    'Please leave addresses, links and telephone numbers out of the text: readers write to you through this service.',
  price: 'The price seems to be a placeholder. Please offer it again with the real price, or without one.',
  text: 'The text does not describe what is offered. Please tell its state, its age and its equipment in whole sentences.',
  duplicate: 'You are offering the same thing in another listing already.',
  pictures: 'The pictures do not show what is offered, or are not yours.',
};

const names = {
  goods: 'Prohibited goods',
  fraud: 'Fraud',
  contact: 'Links or telephone',
  price: 'Price',
  text: 'Text',
  duplicate: 'Duplicate',
  pictures: 'Pictures',
};

const templateOf = new Map(
  Object.entries({
    blocked_term: 'goods',
    prohibited_goods: 'goods',
    illegal: 'goods',
    link_spam: 'contact',
    phone_spam: 'contact',
    spam: 'contact',
    placeholder_price: 'price',
    shouting: 'text',
    gibberish: 'text',
    fraud: 'fraud',
    duplicate: 'duplicate',
  }),
);

/** The words that fit what is said against a listing best. */
const proposeReason = (reasons = [], flags = []) =>
  texts[
    [...reasons.map(({ code }) => code), ...flags.map(({ reason }) => reason)]
      .map((each) => templateOf.get(each))
      .find(Boolean)
  ] ?? '';

/** Asks what the owner is to be told: one of the usual reasons, changed at will, own words, or nothing. */
export function RejectDialog({ listing, reasons, flags, onReject, onClose }) {
  const [reason, setReason] = useState(() => proposeReason(reasons, flags));
  const field = useRef(null);
  const choose = (text) => {
    setReason(text);
    field.current.focus();
  };
  const submit = (event) => {
    event.preventDefault();
    onReject(reason.trim());
  };
  const onKey = (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  };
  return html`<${Dialog} title="Reject this listing?" onClose=${onClose}>
    <form class="stack" onSubmit=${submit} onKeyDown=${onKey}>
      <p><strong>${listing.title}</strong> is deleted, and its owner is mailed the reason.</p>
      <div class="chips" role="group" aria-label="Usual reasons">
        ${Object.entries(texts).map(
          ([name, text]) =>
            html`<button type="button" class="small" aria-pressed=${reason === text} onClick=${() => choose(text)}>
              ${names[name]}
            </button>`,
        )}
      </div>
      <label class="field">
        <span>Reason for the owner</span>
        <textarea
          ref=${field}
          autofocus
          rows="4"
          maxlength=${longest}
          value=${reason}
          onInput=${(event) => setReason(event.currentTarget.value)}
        ></textarea>
        <span class="faint">${reason.length} of ${longest}; without a reason the mail tells none.</span>
      </label>
      <div class="row end">
        <button type="button" onClick=${onClose}>Keep it</button>
        <button type="submit" class="danger">Reject <kbd>Ctrl ↵</kbd></button>
      </div>
    </form>
  <//>`;
}
