import { SESSION_SECONDS } from '../../shared/accounts/session-token.ts';
import { field, problemNote, submit, firstText, type FormProblem } from './forms.ts';
import { html, type Child, type Markup } from './html.ts';
import type { Page } from './layout.ts';
import type { PageAnswer, PageHandler } from './page-handler.ts';
import { formGuard } from './parts.ts';
import { passkeyForm, passkeyScript, passkeysWork, readCredential } from './passkey-form.ts';
import { keepNext, nextOf, readKeptNext, writeSession } from './session-cookie.ts';
import { holdCredentials, readHeldCredentials, showCodePage } from './sign-in-code.ts';
import { addressBelow, type Visit } from './visit.ts';

/** Signing in by password or by a link that is mailed, and making an account: one page, three forms. */
export const showSignIn: PageHandler = async (visit) =>
  visit.caller ? { location: nextOf(visit) } : { page: await signInPage(visit) };

/** Does what one of the three forms asks for; whoever is signed in then goes on to where they wanted to. */
export const signIn: PageHandler = async (visit) => {
  const { form } = visit;
  const [email, password, name] = [firstText(form.email), firstText(form.password), firstText(form.name)];
  const way = firstText(form.way);
  const held = way === 'code' ? readHeldCredentials(visit) : undefined;
  return submit(
    async () => {
      if (way === 'link') {
        await visit.perform('requestMagicLink', { body: { email } });
        return { page: told(visit, visit.words.signIn.linkSent), headers: { 'Set-Cookie': keepNext(visit) } };
      }
      if (way === 'register') {
        return signedIn(visit, await registerOrLogIn(visit, { email, password, ...(name && { name }) }));
      }
      if (way === 'passkey') {
        const { body } = await visit.perform('loginWithPasskey', { body: { credential: readCredential(visit) } });
        return signedIn(visit, body.token);
      }
      const totp = held && firstText(form.totp).trim();
      const { body } = await visit.perform('login', { body: { ...(held ?? { email, password }), totp } });
      return signedIn(visit, body.token);
    },
    (problem) => {
      // What was typed for a code may be none at all.
      if (problem.code !== 'second_factor_required' && !problem.fields.has('totp'))
        return signInPage(visit, problem, held ? 'password' : way);
      const hidden = {
        way: 'code',
        next: nextOf(visit),
        held: held ? firstText(form.held) : holdCredentials(visit, { email, password }),
      };
      return showCodePage(visit, { hidden, action: visit.href('sign_in', {}), problem });
    },
  );
};

/** Makes an account; of a form that is sent twice, the second finds the account and logs in to it. */
async function registerOrLogIn(visit: Visit, account: { email: string; password: string; name?: string }) {
  const { email, password } = account;
  try {
    const { body } = await visit.perform('register', { body: account });
    visit.form.done = 'registered';
    return body.token;
  } catch (error) {
    if ((error as { status?: number }).status !== 409) throw error;
    const session = await visit.perform('login', { body: { email, password } }).catch(() => undefined);
    if (!session) throw error;
    return session.body.token;
  }
}

/** Ends the session of this browser: its token opens nothing any more. */
export const signOut: PageHandler = async (visit) => {
  if (visit.caller) await visit.perform('endSession', { params: { id: 'current' } });
  return signedOut(visit);
};

/** The way home without a session. */
export const signedOut = (visit: Visit): PageAnswer => ({
  location: visit.href('home', { done: 'signedOut' }),
  headers: { 'Set-Cookie': writeSession(visit, '', 0) },
});

/** The address of signing out, opened by hand: it takes a form to end a session. */
export const showSignOut: PageHandler = async (visit) => ({ location: visit.href('account', {}) });

/** The page behind the link of a mail: reading it redeems nothing, as programs read mails before people do. */
const confirmPage =
  (
    words: (visit: Visit, token: string) => { title: string; text: string; button: string; more?: Child },
  ): PageHandler =>
  async (visit) => {
    const token = typeof visit.query.token === 'string' ? visit.query.token : '';
    const { title, text, button, more } = words(visit, token);
    return {
      page: {
        title,
        content: html`<div class="narrow"><h1>${title}</h1><p>${text}</p>
<form method="post">${formGuard(visit)}<input type="hidden" name="token" value="${token}"><button>${button}</button></form>${more}</div>`,
      },
    };
  };

/** Whoever has signed in already may have asked for the link to close their account. */
export const showSignInLink = confirmPage(({ words, caller, href }, token) => ({
  title: words.signIn.title,
  text: words.signIn.linkText,
  button: words.signIn.title,
  more:
    caller &&
    html`<p><a href="${addressBelow(href('sign_in_link', { token }), 'leave')}">${words.account.leave}</a></p>`,
}));

export const redeemSignInLink: PageHandler = async (visit) =>
  submit(
    async () => {
      const { form } = visit;
      const totp = form.totp === undefined ? undefined : firstText(form.totp).trim();
      const { body } = await visit.perform('verifyMagicLink', { body: { token: firstText(form.token), totp } });
      form.next = readKeptNext(visit);
      return signedIn(visit, body.token);
    },
    (problem) => {
      const token = firstText(visit.form.token);
      if (problem.code !== 'second_factor_required' && !problem.fields.has('totp'))
        return told(visit, visit.words.signIn.linkUsed, problem);
      return showCodePage(visit, { hidden: { token }, action: visit.href('sign_in_link', { token }), problem });
    },
  );

export const showVerifyEmail = confirmPage(({ words: { signIn: words } }) => ({
  title: words.verifyTitle,
  text: words.verifyText,
  button: words.verifyButton,
}));

export const verifyEmailByLink: PageHandler = async (visit) =>
  submit(
    async () => {
      await visit.perform('verifyEmail', { body: { token: firstText(visit.form.token) } });
      return { page: told(visit, visit.words.signIn.verified) };
    },
    (problem) => told(visit, visit.words.signIn.linkUsed, problem),
  );

/** A new password, with the token of a mail. */
export const showResetPassword: PageHandler = async (visit) => ({ page: resetPage(visit) });

export const resetPassword: PageHandler = async (visit) => {
  const { form, words } = visit;
  return submit(
    async () => {
      const body = { token: firstText(form.token), password: firstText(form.password) };
      await visit.perform('confirmPasswordReset', { body });
      return { page: told(visit, words.signIn.resetDone) };
    },
    (problem) => resetPage(visit, problem),
  );
};

/** Asks for the mail with which a password is set anew. */
export const showForgotPassword: PageHandler = async (visit) => ({ page: forgotPage(visit) });

export const forgotPassword: PageHandler = async (visit) =>
  submit(
    async () => {
      await visit.perform('requestPasswordReset', { body: { email: firstText(visit.form.email) } });
      return { page: told(visit, visit.words.signIn.linkSent) };
    },
    (problem) => forgotPage(visit, problem),
  );

async function signInPage(visit: Visit, problem?: FormProblem, way = wayOf(visit)): Promise<Page> {
  const { words } = visit;
  const ways = { password: passwordForm, link: linkForm, register: registerForm };
  const first = Object.hasOwn(ways, way) ? (way as keyof typeof ways) : 'password';
  const sections = Object.entries(ways).toSorted(([a], [b]) => Number(b === first) - Number(a === first));
  return {
    title: words.signIn.title,
    head: passkeyScript(visit),
    content: html`<div class="narrow">
<h1>${first === 'register' ? words.signIn.registerTitle : words.signIn.title}</h1>
${first !== 'register' && html`<p>${words.signIn.isNew} <a href="${visit.href('sign_in', { way: 'register', next: nextOf(visit) })}">${words.signIn.register}</a></p>`}
${passkeysWork(visit) && (await passkeySection(visit, way === 'passkey' ? problem : undefined))}
${sections.map(([name, form]) => html`<section class="panel">${form(visit, name === first && way !== 'passkey' ? problem : undefined)}</section>`)}
</div>`,
  };
}

const wayOf = ({ query }: Visit) => (typeof query.way === 'string' ? query.way : 'password');

/** A form of the page: what is wrong with it, and the hidden fields that say which one it is. */
const openForm = (visit: Visit, way: string, problem: FormProblem | undefined): Child =>
  html`${problemNote(visit, problem)}${formGuard(visit)}<input type="hidden" name="way" value="${way}"><input type="hidden" name="next" value="${nextOf(visit)}">`;

async function passkeySection(visit: Visit, problem: FormProblem | undefined): Promise<Markup> {
  const { body: options } = await visit.perform('createPasskeyLoginOptions', {});
  const fields = html`<input type="hidden" name="way" value="passkey"><input type="hidden" name="next" value="${nextOf(visit)}">`;
  const form = {
    kind: 'get',
    options,
    action: visit.href('sign_in', {}),
    fields,
    button: visit.words.security.byPasskey,
    isOffered: !problem,
  } as const;
  return html`${problemNote(visit, problem)}${passkeyForm(visit, form)}`;
}

const emailField = (visit: Visit, problem: FormProblem | undefined) =>
  field(visit, 'email', visit.words.signIn.email, problem, {
    type: 'email',
    required: true,
    autocomplete: 'username webauthn',
    value: firstText(visit.form.email),
  });

const passwordForm = (visit: Visit, problem: FormProblem | undefined): Markup => {
  const { words, href } = visit;
  return html`<h2>${words.signIn.byPassword}</h2><form method="post" action="${href('sign_in', {})}">${openForm(visit, 'password', problem)}
${emailField(visit, problem)}
${field(visit, 'password', words.signIn.password, problem, { type: 'password', required: true, autocomplete: 'current-password' })}
<div class="stack"><button>${words.signIn.title}</button><a href="${href('forgot_password', {})}">${words.signIn.forgot}</a></div></form>`;
};

const linkForm = (visit: Visit, problem: FormProblem | undefined): Markup => {
  const { words, href } = visit;
  return html`<h2>${words.signIn.byLink}</h2><p class="soft">${words.signIn.byLinkText}</p>
<form method="post" action="${href('sign_in', {})}">${openForm(visit, 'link', problem)}
${emailField(visit, problem)}
<button class="plain">${words.signIn.sendLink}</button></form>`;
};

const registerForm = (visit: Visit, problem: FormProblem | undefined): Markup => {
  const { words, href } = visit;
  return html`<h2>${words.signIn.register}</h2><form method="post" action="${href('sign_in', {})}">${openForm(visit, 'register', problem)}
${field(visit, 'name', words.signIn.name, problem, { autocomplete: 'name', attributes: ' maxlength="100"' })}
${emailField(visit, problem)}
${field(visit, 'password', words.signIn.password, problem, { type: 'password', required: true, autocomplete: 'new-password', hint: words.signIn.passwordHint })}
<button>${words.signIn.register}</button></form>`;
};

function forgotPage(visit: Visit, problem?: FormProblem): Page {
  const { words } = visit;
  return {
    title: words.signIn.forgot,
    content: html`<div class="narrow"><h1>${words.signIn.forgot}</h1>${problemNote(visit, problem)}
<form method="post">${formGuard(visit)}
${field(visit, 'email', words.signIn.email, problem, { type: 'email', required: true, autocomplete: 'username' })}
<button>${words.signIn.sendLink}</button></form></div>`,
  };
}

function resetPage(visit: Visit, problem?: FormProblem): Page {
  const { words, query, form } = visit;
  const token = typeof query.token === 'string' ? query.token : firstText(form.token);
  return {
    title: words.signIn.resetTitle,
    content: html`<div class="narrow"><h1>${words.signIn.resetTitle}</h1>${problemNote(visit, problem)}
<form method="post">${formGuard(visit)}<input type="hidden" name="token" value="${token}">
${field(visit, 'password', words.signIn.newPassword, problem, { type: 'password', required: true, autocomplete: 'new-password', hint: words.signIn.passwordHint })}
<button>${words.signIn.resetTitle}</button></form></div>`,
  };
}

/** One sentence and the way on. */
function told(visit: Visit, text: string, problem?: FormProblem): Page {
  const { words, href } = visit;
  return {
    title: words.signIn.title,
    content: html`<div class="narrow"><h1>${problem ? words.errors.invalid : words.signIn.title}</h1><p class="note${problem ? ' bad' : ''}" role="status">${text}</p>
<p><a class="button" href="${href(visit.caller ? 'my_listings' : 'sign_in', {})}">${visit.caller ? words.nav.myListings : words.signIn.title}</a></p></div>`,
  };
}

const signedIn = (visit: Visit, token: string): PageAnswer => ({
  location: withDone(nextOf(visit), firstText(visit.form.done)),
  ...newSession(visit, token),
});

/** What gives the browser a session in place of the one it has. */
export const newSession = (visit: Visit, token: string) => ({
  headers: { 'Set-Cookie': writeSession(visit, token, SESSION_SECONDS) },
});

function withDone(next: string, done: string): string {
  return done === '' ? next : `${next}${next.includes('?') ? '&' : '?'}done=${done}`;
}
