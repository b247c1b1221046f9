import { useState } from 'preact/hooks';
import { api } from './api.js';
import { html } from './html.js';
import { describeError } from './notices.js';
import { addPasskey, hasPasskeys } from './passkeys.js';
import { QrCode } from './qr-code.js';

/**
 * Sets up the first second factor of somebody whose role needs one, in the session that has shown none: an authenticator app with its
 * recovery codes, or a passkey. `onDone` once the session may be used.
 */
export function Enrol({ token, email, onDone }) {
  const [app, setApp] = useState(undefined);
  const [codes, setCodes] = useState(undefined);
  const [error, setError] = useState(undefined);
  const [busy, setBusy] = useState(false);
  const act = (what) => async (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await what(form);
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  const start = act(async () => setApp(await api.post('/api/me/totp', undefined, { token })));
  const confirm = act(async (form) => {
    const code = form.elements.code.value.replaceAll(/\s/g, '');
    setCodes((await api.post('/api/me/totp/confirm', { code }, { token })).recovery_codes);
  });
  const usePasskey = act(async () => {
    await addPasskey(token);
    onDone();
  });

  return html`<section class="login" aria-label="Second factor">
    <h2>Set up a second factor</h2>
    <p>${email} has a role here, and this marketplace asks everybody with a role for a second factor.</p>
    ${
      !app &&
      html`<div class="row">
        <button type="button" class="primary" aria-busy=${busy} onClick=${start}>Use an authenticator app</button>
        ${hasPasskeys && html`<button type="button" aria-busy=${busy} onClick=${usePasskey}>Use a passkey</button>`}
      </div>`
    }
    ${
      app &&
      !codes &&
      html`<form class="login-form" onSubmit=${confirm}>
        <p>Scan this with the app, or type the key into it. Then enter the code that it shows.</p>
        <${QrCode} text=${app.otpauth_url} label="QR code for the authenticator app" />
        <p>Key: <code class="key">${app.secret.replaceAll(/(.{4})(?!$)/g, '$1 ')}</code></p>
        <label class="field">
          <span>Code of the app</span>
          <input name="code" autocomplete="one-time-code" inputmode="numeric" maxlength="10" required />
        </label>
        <button class="primary" aria-busy=${busy}>Confirm</button>
      </form>`
    }
    ${
      codes &&
      html`<div role="status">
          <p>These recovery codes open the account once each when the app is lost. Keep them where you keep papers: they are shown this once.</p>
          <ul class="codes">${codes.map((code) => html`<li key=${code}><code>${code}</code></li>`)}</ul>
        </div>
        <button type="button" class="primary" onClick=${onDone}>I have kept them: open the console</button>`
    }
    <p class="login-error" role="alert">${error && describeError(error)}</p>
  </section>`;
}
