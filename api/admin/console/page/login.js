import { useEffect, useRef, useState } from 'preact/hooks';
import { api, urlOf } from './api.js';
import { html } from './html.js';
import { CodeField, readCode } from './login-code.js';
import { Enrol } from './login-enrol.js';
import { LinkForm, TokenForm } from './login-link.js';
import { describeError } from './notices.js';
import { PasskeyButton } from './passkeys.js';
import { useRoute } from './route.js';
import { beginSession } from './session.js';

/** The session of somebody who has logged in, whatever way, and has a role; undefined where a second factor is to be set up first. */
async function readSession({ token, user: { email, role } }) {
  if (role === 'user')
    throw new Error(`${email} is neither a moderator nor an administrator. The console is for those only.`);
  try {
    const { profile } = await firstAnswer(role, token);
    return { token, email, profile, role };
  } catch (error) {
    if (error.code === 'enrolment_required') return undefined;
    throw error;
  }
}

/** What only those may ask who need no second factor or have shown it; administrators may know how the fleet is set up. */
const firstAnswer = (role, token) =>
  api.get(role === 'admin' ? '/api/admin/health-detailed' : '/api/admin/flagged?limit=1', { token });

/**
 * Asks for email and password, and for a code where the account has an authenticator app; or for a passkey, or a mailed link, whose
 * token is in the address that it opens. What was typed stays when it is refused; `email` begins with the last one.
 */
export function Login({ email: known = '', reason }) {
  const { path, query } = useRoute();
  const [linkToken, setLinkToken] = useState(path === '#/login' ? query.token : undefined);
  const [way, setWay] = useState(linkToken ? 'token' : 'password');
  const [enrolling, setEnrolling] = useState(undefined);
  const [email, setEmail] = useState(known);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(undefined);
  const [needsCode, setNeedsCode] = useState(false);

  /** Runs what answers a session; a code that is needed is asked for beside what was typed. */
  async function attempt(logIn) {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      const answer = await logIn();
      const begun = await readSession(answer);
      if (begun) beginSession(begun);
      else {
        setEnrolling(answer);
        setBusy(false);
      }
    } catch (failure) {
      const isCodeAsked = failure.code === 'second_factor_required' && !needsCode;
      if (isCodeAsked) setNeedsCode(true);
      else setError(failure);
      setBusy(false);
    }
  }
  // A token has no business in the history or in a bookmark.
  useEffect(() => {
    if (linkToken) history.replaceState(null, '', '#/');
  }, [linkToken]);
  const change = (next) => {
    setWay(next);
    setLinkToken(undefined);
    setError(undefined);
    setNeedsCode(false);
  };
  if (enrolling)
    return html`<${Enrol}
      token=${enrolling.token}
      email=${enrolling.user.email}
      onDone=${() => {
        setEnrolling(undefined);
        void attempt(async () => enrolling);
      }}
    />`;
  const shared = { email, setEmail, busy, needsCode, attempt };

  return html`<div class="login">
    <p class="login-reason">${reason}</p>
    ${way === 'password' && html`<${PasswordForm} ...${shared} known=${known} />`}
    ${way === 'link' && html`<${LinkForm} ...${shared} onError=${setError} />`}
    ${way === 'token' && html`<${TokenForm} ...${shared} token=${linkToken} />`}
    <p class="login-error" role="alert">${error && describeError(error)}</p>
    <${PasskeyButton} busy=${busy} attempt=${attempt} />
    <p class="login-ways">
      ${
        way === 'password'
          ? html`<button type="button" class="quiet small" onClick=${() => change('link')}>Mail me a link</button>`
          : html`<button type="button" class="quiet small" onClick=${() => change('password')}>Use my password</button>`
      }
      <a href=${urlOf('/account')} target="_blank" rel="noopener">Forgot password</a>
    </p>
  </div>`;
}

function PasswordForm({ email, setEmail, busy, needsCode, attempt, known }) {
  const [password, setPassword] = useState('');
  const first = useRef(null);
  useEffect(() => first.current.focus(), []);
  const submit = (event) => {
    event.preventDefault();
    const totp = readCode(event.currentTarget);
    attempt(() => api.post('/api/auth/login', { email: email.trim(), password, totp }, { token: '' }));
  };
  return html`<form class="login-form" onSubmit=${submit}>
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
    ${needsCode && html`<${CodeField} />`}
    <button class="primary" aria-busy=${busy} aria-disabled=${busy}>${busy ? 'Logging in …' : 'Log in'}</button>
  </form>`;
}
