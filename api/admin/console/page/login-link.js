import { useState } from 'preact/hooks';
import { api } from './api.js';
import { html } from './html.js';
import { CodeField, readCode } from './login-code.js';

/** Mails a link that opens the console. */
export function LinkForm({ email, setEmail, onError }) {
  const [sent, setSent] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    onError(undefined);
    try {
      await api.post('/api/auth/magic-link', { email: email.trim(), page: 'console' }, { token: '' });
      setSent(true);
    } catch (failure) {
      onError(failure);
    }
  };
  return html`<form class="login-form" onSubmit=${submit}>
    <label class="field">
      <span>Email</span>
      <input
        inputmode="email"
        autocomplete="username"
        required
        value=${email}
        onInput=${(event) => setEmail(event.currentTarget.value)}
      />
    </label>
    ${
      sent &&
      html`<p role="status">
        If the address has an account with a role, a mail is on its way. Its button opens the console, once, within 15 minutes.
      </p>`
    }
    <button class="primary">${sent ? 'Mail me another link' : 'Mail me a link'}</button>
  </form>`;
}

/** Logs in with the token of a mailed link: opening the link redeems nothing, as programs read mails before people do. */
export function TokenForm({ token, busy, needsCode, attempt }) {
  const submit = (event) => {
    event.preventDefault();
    const totp = readCode(event.currentTarget);
    attempt(() => api.post('/api/auth/magic-link/verify', { token, totp }, { token: '' }));
  };
  return html`<form class="login-form" onSubmit=${submit}>
    <p>The link that brought you here logs you in once.</p>
    ${needsCode && html`<${CodeField} />`}
    <button class="primary" aria-busy=${busy} aria-disabled=${busy}>${busy ? 'Logging in …' : 'Log in'}</button>
  </form>`;
}
