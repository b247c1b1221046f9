import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from './api.js';
import { html } from './html.js';
import { describeError } from './notices.js';
import { beginSession } from './session.js';

/** Logs an administrator in; an Error says why not. */
async function logIn(email, password) {
  const { token } = await api.post('/api/auth/login', { email, password }, { token: '' });
  const { profile } = await api.get('/api/admin/health-detailed', { token }).catch((error) => {
    if (error.status !== 403) throw error;
    throw new Error(`${email} is not an administrator. The console is for administrators only.`);
  });
  beginSession({ token, email, profile });
}

/** Asks for email and password. What was typed stays when it is refused; `email` begins with the last one. */
export function Login({ email: known = '', reason }) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(undefined);
  const first = useRef(null);
  useEffect(() => first.current.focus(), []);

  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await logIn(email.trim(), password);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return html`<form class="login" onSubmit=${submit}>
    <p class="login-reason">${reason}</p>
    <label class="field">
      <span>Email</span>
      <input
        ref=${known ? undefined : first}
        autofocus=${!known}
        inputmode="email"
        autocomplete="username"
        required
        value=${email}
        onInput=${(event) => setEmail(event.currentTarget.value)}
      />
    </label>
    <label class="field">
      <span>Password</span>
      <input
        ref=${known ? first : undefined}
        autofocus=${Boolean(known)}
        type="password"
        autocomplete="current-password"
        required
        value=${password}
        onInput=${(event) => setPassword(event.currentTarget.value)}
      />
    </label>
    <p class="login-error" role="alert">${error && describeError(error)}</p>
    <button class="primary" aria-busy=${busy} aria-disabled=${busy}>${busy ? 'Logging in …' : 'Log in'}</button>
  </form>`;
}
