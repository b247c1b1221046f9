/** What the account page says; `{email}` stands for the address of the account. */
export type AccountWords = {
  title: string;
  needsScript: string;
  logIn: { text: string; button: string };
  confirm: { text: string; warning: string; otherwise: string; button: string };
  newPassword: { text: string; label: string; button: string };
  ask: { text: string; label: string; logIn: string; newPassword: string };
  session: { label: string; text: string; copy: string; copied: string };
  askAgain: string;
  wait: string;
  loggedIn: string;
  confirmed: string;
  changed: string;
  mailed: string;
  usedUp: string;
  tooMany: string;
  weakPassword: string;
  failed: string;
};

/** What it says where an account has an authenticator app. */
export type CodeWords = { label: string; needed: string; wrong: string };

/** The forms of the account page; its script shows the one that the link is for. */
export const contentIn = (words: AccountWords, code: CodeWords) => `<noscript><p>${words.needsScript}</p></noscript>

<form id="magic_link" data-path="api/auth/magic-link/verify" hidden>
<p>${words.logIn.text}</p>
<label id="code" hidden>${code.label}
<input name="totp" autocomplete="one-time-code" maxlength="40" autocapitalize="none" spellcheck="false">
</label>
<button>${words.logIn.button}</button>
</form>

<form id="verify_email" data-path="api/auth/verify-email" hidden>
<p>${words.confirm.text} <strong>${words.confirm.warning}</strong>
${words.confirm.otherwise}</p>
<button>${words.confirm.button}</button>
</form>

<form id="password_reset" data-path="api/auth/password-reset/confirm" hidden>
<p>${words.newPassword.text}</p>
<label>${words.newPassword.label}
<input name="password" type="password" autocomplete="new-password" minlength="8" maxlength="128" required>
</label>
<button>${words.newPassword.button}</button>
</form>

<form id="ask" hidden>
<p>${words.ask.text}</p>
<label>${words.ask.label}
<input name="email" inputmode="email" autocomplete="email" maxlength="254" required>
</label>
<p><button value="api/auth/magic-link">${words.ask.logIn}</button></p>
<p><button value="api/auth/password-reset">${words.ask.newPassword}</button></p>
</form>

<p role="status" id="status"></p>

<div id="session" hidden>
<label>${words.session.label}
<input id="token" readonly>
</label>
<p>${words.session.text}</p>
<button type="button" id="copy">${words.session.copy}</button>
</div>

<p id="again" hidden><a href="account">${words.askAgain}</a></p>`;

/** Posts the token of the fragment when the person asks for it, and says what came of it. */
export const scriptIn = (
  { wait, loggedIn, confirmed, changed, mailed, usedUp, tooMany, weakPassword, failed, session }: AccountWords,
  code: CodeWords,
) => `
'use strict';
const words = ${JSON.stringify({ wait, loggedIn, confirmed, changed, mailed, usedUp, tooMany, weakPassword, failed, codeNeeded: code.needed, codeWrong: code.wrong, copied: session.copied })};
const byId = (id) => document.getElementById(id);
const fragment = new URLSearchParams(location.hash.slice(1));
const token = fragment.get('token');
const purposes = ['magic_link', 'verify_email', 'password_reset'];
const purpose = purposes.find((each) => each === fragment.get('purpose'));
// A token has no business in the history or in a bookmark.
if (location.hash) history.replaceState(null, '', location.pathname + location.search);

const done = {
  magic_link: ({ user }) => words.loggedIn.replace('{email}', () => user.email),
  verify_email: ({ user }) => words.confirmed.replace('{email}', () => user.email),
  password_reset: () => words.changed,
  ask: () => words.mailed,
};

async function send(form, path, body) {
  const buttons = form.querySelectorAll('button');
  buttons.forEach((button) => { button.disabled = true; });
  byId('status').textContent = words.wait;
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (response.ok) return succeed(form, answer);
    if (answer.error.code === 'second_factor_required' || isAbout('totp', answer.error)) askCode(form, body.totp);
    else if (token !== null && (response.status === 401 || isAbout('token', answer.error))) fail(words.usedUp, true);
    else if (isAbout('password', answer.error)) fail(words.weakPassword, false);
    else fail(response.status === 429 ? words.tooMany : words.failed, false);
  } catch {
    fail(words.failed, false);
  }
  buttons.forEach((button) => { button.disabled = false; });
}

const isAbout = (field, { details }) => (details?.errors ?? []).some(({ path }) => path === '/body/' + field);

function succeed(form, answer) {
  form.hidden = true;
  byId('status').textContent = done[form.id](answer);
  if (!answer.token) return;
  byId('token').value = answer.token;
  byId('session').hidden = false;
}

/** A right link of an account with an app: the code has to come with it. */
function askCode(form, sent) {
  byId('code').hidden = false;
  form.elements.totp.required = true;
  form.elements.totp.value = '';
  form.elements.totp.focus();
  fail(sent ? words.codeWrong : words.codeNeeded, false);
}

function fail(message, isUsedUp) {
  byId('status').textContent = message;
  byId('again').hidden = !isUsedUp;
}

byId('copy').addEventListener('click', async () => {
  byId('token').select();
  await navigator.clipboard?.writeText(byId('token').value);
  byId('copy').textContent = words.copied;
});

for (const id of purposes) {
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault();
    const fields = new FormData(event.target);
    const [password, totp] = [fields.get('password'), fields.get('totp')?.trim()];
    send(event.target, event.target.dataset.path, { token, ...(password !== null && { password }), ...(totp && { totp }) });
  });
}
byId('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  const path = event.submitter?.value ?? 'api/auth/magic-link';
  send(event.target, path, { email: new FormData(event.target).get('email') });
});

const shown = token && purpose ? purpose : 'ask';
byId(shown).hidden = false;
addEventListener('hashchange', () => location.reload());
`;
