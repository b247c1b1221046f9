import { useLayoutEffect, useRef } from 'preact/hooks';
import { html } from './html.js';
import { createStore, useStore } from './store.js';

/**
 * A dialog over the page, which holds the focus; Escape and a click beside it close it.
 * `wide` for what is read rather than answered.
 */
export function Dialog({ title, onClose, wide = false, locked = false, children }) {
  const dialog = useRef(null);
  // Before the next key: what is typed at once belongs to the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current.showModal();
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  const close = (event) => {
    event.preventDefault();
    if (!locked) onClose();
  };
  // A browser lets a second Escape through, whatever is said to the first.
  const closed = () => (locked ? dialog.current?.showModal() : onClose());
  const beside = (event) => event.target === dialog.current && !locked && onClose();
  return html`<dialog
    ref=${dialog}
    class=${wide ? 'dialog wide' : 'dialog'}
    onCancel=${close}
    onClose=${closed}
    onMouseDown=${beside}
    aria-label=${title}
  >
    <div class="dialog-body">
      <header class="dialog-head">
        <h2>${title}</h2>
        ${!locked && html`<button type="button" class="quiet" onClick=${close} aria-label="Close">✕</button>`}
      </header>
      ${children}
    </div>
  </dialog>`;
}

/** @type {ReturnType<typeof createStore<{ question: Question, answer: (yes: boolean) => void } | undefined>>} */
const asked = createStore(undefined);

/**
 * @typedef {{ title: string, text?: string, action: string, danger?: boolean }} Question
 * Asks once, and tells whether the answer was yes.
 * @param {Question} question
 * @returns {Promise<boolean>}
 */
export function confirm(question) {
  asked.read()?.answer(false);
  return new Promise((resolve) => {
    const answer = (yes) => {
      asked.write(undefined);
      resolve(yes);
    };
    asked.write({ question, answer });
  });
}

/** Where questions appear: once, in the shell. */
export function Confirmation() {
  const current = useStore(asked);
  if (!current) return null;
  const { title, text, action, danger = true } = current.question;
  return html`<${Dialog} key=${title} title=${title} onClose=${() => current.answer(false)}>
    ${text && html`<p>${text}</p>`}
    <div class="row end">
      <button type="button" onClick=${() => current.answer(false)}>Keep as it is</button>
      <button type="button" class=${danger ? 'danger' : 'primary'} autofocus onClick=${() => current.answer(true)}>
        ${action}
      </button>
    </div>
  <//>`;
}
