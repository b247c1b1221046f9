/** The forms of the account page; its script shows the one that the link is for. */
export const content = `<noscript><p>This page needs JavaScript.</p></noscript>

<form id="magic_link" data-path="api/auth/magic-link/verify" hidden>
<p>Log in to your account. The link that brought you here works once.</p>
<button>Log in</button>
</form>

<form id="verify_email" data-path="api/auth/verify-email" hidden>
<p>Confirm that this address is yours. <strong>Do so only if you have made this account yourself:</strong>
if somebody else has entered your address, just close this page.</p>
<button>Confirm my address</button>
</form>

<form id="password_reset" data-path="api/auth/password-reset/confirm" hidden>
<p>Choose a new password. You will be logged out everywhere else.</p>
<label>New password
<input name="password" type="password" autocomplete="new-password" minlength="8" maxlength="128" required>
</label>
<button>Set the password</button>
</form>

<form id="ask" hidden>
<p>We mail you a link. It works once, and only for a short time.</p>
<label>Your email address
<input name="email" type="email" autocomplete="email" maxlength="254" required>
</label>
<p><button value="api/auth/magic-link">Log in by mail</button></p>
<p><button value="api/auth/password-reset">Set a new password</button></p>
</form>

<p role="status" id="status"></p>

<div id="session" hidden>
<label>Session token
<input id="token" readonly>
</label>
<p>Programs send it as <code>Authorization: Bearer</code> and the token. It is valid for 7 days; keep it to yourself.</p>
<button type="button" id="copy">Copy the token</button>
</div>

<p id="again" hidden><a href="account">Ask for a new link</a></p>`;

/** Posts the token of the fragment when the person asks for it, and says what came of it. */
export const script = `
'use strict';
const byId = (id) => document.getElementById(id);
const fragment = new URLSearchParams(location.hash.slice(1));
const token = fragment.get('token');
const purposes = ['magic_link', 'verify_email', 'password_reset'];
const purpose = purposes.find((each) => each === fragment.get('purpose'));
// A token has no business in the history or in a bookmark.
if (location.hash) history.replaceState(null, '', location.pathname + location.search);

const done = {
  magic_link: ({ user }) => 'You are logged in as ' + user.email + '.',
  verify_email: ({ user }) => user.email + ' is confirmed. Thank you!',
  password_reset: () => 'Your password is changed. Log in with the new one.',
  ask: ({ message }) => message,
};

async function send(form, path, body) {
  const buttons = form.querySelectorAll('button');
  buttons.forEach((button) => { button.disabled = true; });
  byId('status').textContent = 'One moment\\u2026';
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (response.ok) return succeed(form, answer);
    fail(answer.error.message, token !== null && (response.status === 401 || isOfToken(answer.error)));
  } catch {
    fail('The service could not be reached. Please try again.', false);
  }
  buttons.forEach((button) => { button.disabled = false; });
}

const isOfToken = ({ details }) => (details?.errors ?? []).some(({ path }) => path === '/body/token');

function succeed(form, answer) {
  form.hidden = true;
  byId('status').textContent = done[form.id](answer);
  if (!answer.token) return;
  byId('token').value = answer.token;
  byId('session').hidden = false;
}

function fail(message, isUsedUp) {
  byId('status').textContent = message;
  byId('again').hidden = !isUsedUp;
}

byId('copy').addEventListener('click', async () => {
  byId('token').select();
  await navigator.clipboard?.writeText(byId('token').value);
  byId('copy').textContent = 'Copied';
});

for (const id of purposes) {
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault();
    const password = new FormData(event.target).get('password');
    send(event.target, event.target.dataset.path, { token, ...(password !== null && { password }) });
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
