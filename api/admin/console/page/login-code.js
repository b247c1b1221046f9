import { useEffect, useRef } from 'preact/hooks';
import { html } from './html.js';

/** The code of a form that asks for one; undefined for others. */
export const readCode = (form) => form.elements.totp?.value.trim() || undefined;

/** Asks for the code that goes with a right password or link. */
export function CodeField() {
  const input = useRef(null);
  useEffect(() => input.current.focus(), []);
  return html`<label class="field">
    <span>Code of your authenticator app, or a recovery code</span>
    <input ref=${input} name="totp" autocomplete="one-time-code" maxlength="40" required />
  </label>`;
}
