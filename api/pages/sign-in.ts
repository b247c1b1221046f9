import { SESSION_SECONDS } from '../../shared/accounts/session-token.ts';
import { field, problemNote, submit, textOf, type FormProblem } from './forms.ts';
import { html, type Child } from './html.ts';
import type { Page } from './layout.ts';
import type { PageAnswer, PageHandler } from './page-handler.ts';
import { formGuard } from './parts.ts';
import { SESSION_COOKIE, type Visit } from './visit.ts';

/** Signing in by password or by a link that is mailed, and making an account: one page, three forms. */
export const showSignIn: PageHandler = async (visit) =>
  visit.caller ? { location: nextOf(visit) } : { page: signInPage(visit) };

/** Does what one of the three forms asks for; whoever is signed in then goes on to where they wanted to. */
export const signIn: PageHandler = async (visit) => {
  const { form } = visit;
  const [email, password, name] = [textOf(form.email), textOf(form.password), textOf(form.name)];
  const way = textOf(form.way);
  return submit(
    async () => {
      if (way === 'link') {
        await visit.perform('requestMagicLink', { body: { email } });
        return { page: told(visit, visit.words.signIn.linkSent) };
      }
      if (way === 'register') {
        const { body } = await visit.perform('register', { body: { email, password, ...(name && { name }) } });
        return signedIn(visit, body.token);
      }
      const { body } = await visit.perform('login', { body: { email, password } });
      return signedIn(visit, body.token);
    },
    (problem) => signInPage(visit, problem, way),
  );
};

/** Ends the session of this browser. */
export const signOut: PageHandler = async (visit) => ({
  location: visit.href('home', {}),
  headers: { 'Set-Cookie': sessionCookie(visit, '', 0) },
});

/** The page behind the link of a mail: reading it redeems nothing, as programs read mails before people do. */
const confirmPage =
  (words: (visit: Visit) => { title: string; text: string; button: string }): PageHandler =>
  async (visit) => {
    const { title, text, button } = words(visit);
    const token = typeof visit.query.token === 'string' ? visit.query.token : '';
    return {
      page: {
        title,
        content: html`<div class="narrow"><h1>${title}</h1><p>${text}</p>
<form method="post">${formGuard(visit)}<input type="hidden" name="token" value="${token}"><button>${button}</button></form></div>`,
      },
    };
  };

export const showSignInLink = confirmPage(({ words: { signIn: words } }) => ({
  title: words.title,
  text: words.linkText,
  button: words.title,
}));

export const redeemSignInLink: PageHandler = async (visit) =>
  submit(
    async () => {
      const { body } = await visit.perform('verifyMagicLink', { body: { token: textOf(visit.form.token) } });
      return signedIn(visit, body.token);
    },
    (problem) => told(visit, visit.words.signIn.linkUsed, problem),
  );

export const showVerifyEmail = confirmPage(({ words: { signIn: words } }) => ({
  title: words.verifyTitle,
  text: words.verifyText,
  button: words.verifyButton,
}));

export const verifyEmailByLink: PageHandler = async (visit) =>
  submit(
    async () => {
      await visit.perform('verifyEmail', { body: { token: textOf(visit.form.token) } });
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
      const body = { token: textOf(form.token), password: textOf(form.password) };
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
      await visit.perform('requestPasswordReset', { body: { email: textOf(visit.form.email) } });
      return { page: told(visit, visit.words.signIn.linkSent) };
    },
    (problem) => forgotPage(visit, problem),
  );

function signInPage(visit: Visit, problem?: FormProblem, way = 'password'): Page {
  const { words, href } = visit;
  const next = nextOf(visit);
  const of = (each: string) => (way === each ? problem : undefined);
  const email = (each: string) =>
    field(visit, 'email', words.signIn.email, of(each), { type: 'email', required: true, autocomplete: 'username' });
  const hidden = (each: string): Child =>
    html`${formGuard(visit)}<input type="hidden" name="way" value="${each}"><input type="hidden" name="next" value="${next}">`;
  return {
    title: words.signIn.title,
    content: html`<div class="narrow">
<h1>${words.signIn.title}</h1>
${problemNote(problem)}
<section class="panel"><form method="post" action="${href('sign_in', {})}">${hidden('password')}
${email('password')}
${field(visit, 'password', words.signIn.password, of('password'), { type: 'password', required: true, autocomplete: 'current-password' })}
<div class="stack"><button>${words.signIn.title}</button><a href="${href('forgot_password', {})}">${words.signIn.forgot}</a></div></form></section>
<section class="panel"><h2>${words.signIn.byLink}</h2><p class="soft">${words.signIn.byLinkText}</p>
<form method="post" action="${href('sign_in', {})}">${hidden('link')}
${email('link')}
<button class="plain">${words.signIn.sendLink}</button></form></section>
<section class="panel"><h2>${words.signIn.register}</h2>
<form method="post" action="${href('sign_in', {})}">${hidden('register')}
${field(visit, 'name', words.signIn.name, of('register'), { autocomplete: 'name' })}
${email('register')}
${field(visit, 'password', words.signIn.password, of('register'), { type: 'password', required: true, autocomplete: 'new-password', hint: words.signIn.passwordHint })}
<button class="plain">${words.signIn.register}</button></form></section>
</div>`,
  };
}

function forgotPage(visit: Visit, problem?: FormProblem): Page {
  const { words } = visit;
  return {
    title: words.signIn.forgot,
    content: html`<div class="narrow"><h1>${words.signIn.forgot}</h1>${problemNote(problem)}
<form method="post">${formGuard(visit)}
${field(visit, 'email', words.signIn.email, problem, { type: 'email', required: true, autocomplete: 'username' })}
<button>${words.signIn.sendLink}</button></form></div>`,
  };
}

function resetPage(visit: Visit, problem?: FormProblem): Page {
  const { words, query, form } = visit;
  const token = typeof query.token === 'string' ? query.token : textOf(form.token);
  return {
    title: words.signIn.resetTitle,
    content: html`<div class="narrow"><h1>${words.signIn.resetTitle}</h1>${problemNote(problem)}
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
<p><a class="button" href="${href('sign_in', {})}">${words.signIn.title}</a></p></div>`,
  };
}

const signedIn = (visit: Visit, token: string): PageAnswer => ({
  location: nextOf(visit),
  headers: { 'Set-Cookie': sessionCookie(visit, token, SESSION_SECONDS) },
});

function sessionCookie({ links }: Visit, token: string, seconds: number): string {
  const { protocol } = new URL(links.base);
  const parts = [`${SESSION_COOKIE}=${token}`, 'Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`];
  return [...parts, ...(protocol === 'https:' ? ['Secure'] : [])].join('; ');
}

/** Where somebody wanted to go before signing in: a path of this site, or their listings. */
function nextOf({ form, query, href }: Visit): string {
  const next = textOf(form.next) || (typeof query.next === 'string' ? query.next : '');
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(next) && !next.startsWith('/sign-') ? next : href('my_listings', {});
}
