import { invalid } from '../../shared/kit/errors.ts';
import { changeSecurity, securitySections, type ShownOnce } from './account-security.ts';
import { changeTrader, traderFields, traderSection } from './account-trader.ts';
import { checkbox, field, problemNote, select, submit, firstText, type FormProblem } from './forms.ts';
import { fill, formatDay } from './format.ts';
import { html, type Child } from './html.ts';
import type { Page } from './layout.ts';
import { askForExport, dataSection, leaveForGood, leaveSection, mailLeaveLink } from './leaving.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard } from './parts.ts';
import { passkeyScript } from './passkey-form.ts';
import { newSession, signedOut } from './sign-in.ts';
import { requireCaller, type Visit } from './visit.ts';

/** One's own account: name, mails, API keys, ending all sessions, taking one's data along, and leaving. */
export const showAccount: PageHandler = async (visit) => {
  requireCaller(visit);
  return { page: await accountPage(visit) };
};

/** Does what one of the forms of the page asks for; a new key is shown once. */
export const changeAccount: PageHandler = async (visit) => {
  requireCaller(visit);
  const { form, href } = visit;
  return submit(
    async () => {
      const security = await changeSecurity(visit);
      if (security) return 'shown' in security ? { page: await accountPage(visit, undefined, security) } : security;
      const trader = await changeTrader(visit);
      if (trader) return trader;
      switch (firstText(form.action)) {
        case 'create-key':
          return { page: await accountPage(visit, undefined, { newKey: await createKey(visit) }) };
        case 'revoke-key':
          await visit.perform('revokeApiKey', { params: { id: firstText(form.id) } });
          return { location: href('account', { done: 'keyRevoked' }) };
        case 'disconnect':
          await visit.perform('disconnectApplication', { params: { id: firstText(form.id) } });
          return { location: href('account', { done: 'disconnected' }) };
        case 'confirm-email':
          await visit.perform('resendVerification', {});
          return { location: href('account', { done: 'linkMailed' }) };
        case 'password': {
          const input = { current: firstText(form.current_password), new: firstText(form.new_password) };
          const { body } = await visit.perform('changePassword', { body: input });
          return { ...newSession(visit, body.token), location: href('account', { done: 'passwordChanged' }) };
        }
        case 'end-sessions':
          await visit.perform('logoutAll', { body: { keys: form.keys !== undefined } });
          return signedOut(visit);
        case 'export':
          return askForExport(visit);
        case 'leave':
          return leaveForGood(visit, { password: firstText(form.leave_password) });
        case 'leave-link':
          return mailLeaveLink(visit);
        default:
          await visit.perform('updateMe', {
            body: { name: firstText(form.name), email_notifications: form.email_notifications !== undefined },
          });
          return { location: href('account', { done: 'saved' }) };
      }
    },
    async (problem) => accountPage(visit, problem),
    {
      name: nameFields[firstText(form.action)] ?? 'name',
      credential: 'passkey_name',
      current: 'current_password',
      password: 'leave_password',
      new: 'new_password',
      ...(firstText(form.action) === 'trader' && traderFields),
    },
  );
};

/** Which field holds the name that an operation was given. */
const nameFields: Readonly<Record<string, string>> = { 'create-key': 'key_name', 'add-passkey': 'passkey_name' };

/** A new API key. One name is given once, so that a form that is sent twice makes no second key. */
async function createKey(visit: Visit): Promise<string> {
  const { form } = visit;
  const name = firstText(form.key_name).trim();
  const { body } = await visit.perform('listApiKeys', {});
  if (body.keys.some(({ label, revoked_at: revokedAt }) => label === name && revokedAt === null))
    throw invalid('There is a key of this name.', [
      { path: '/body/name', message: 'is the name of another key', reason: 'key_exists' },
    ]);
  const { body: created } = await visit.perform('createApiKey', {
    body: { name, permissions: firstText(form.permissions) },
  });
  return created.key;
}

/** What is shown this once. */
type Shown = { newKey?: string; shown?: ShownOnce };

/** Where the role needs a second factor first, the page holds nothing but what sets one up. */
async function accountPage(visit: Visit, problem?: FormProblem, { newKey, shown }: Shown = {}): Promise<Page> {
  const { words, href, form, caller } = visit;
  const { body } = await visit.perform('getMe', {});
  const { user } = body;
  const of = (action: string) => (firstText(form.action) === action ? problem : undefined);
  const action = (name: string) => html`${formGuard(visit)}<input type="hidden" name="action" value="${name}">`;
  const security = await securitySections(visit, { problem, shown });
  const signOut = html`<form method="post" action="${href('sign_out', {})}" class="panel">${formGuard(visit)}<button class="plain">${words.nav.signOut}</button></form>`;
  if (caller?.mustEnrol)
    return {
      title: words.nav.account,
      head: passkeyScript(visit),
      content: html`<div class="narrow"><h1>${words.nav.account}</h1>${problemNote(visit, problem)}
<p class="soft">${user.email}</p>${security}${signOut}</div>`,
    };
  return {
    title: words.nav.account,
    head: passkeyScript(visit),
    content: html`<div class="narrow"><h1>${words.nav.account}</h1>${problemNote(visit, problem)}
<p class="soft">${user.email}</p>
<ul class="tiles">
<li><a class="tile" href="${href('saved_searches', {})}">${words.nav.savedSearches}</a></li>
<li><a class="tile" href="${href('bookings', {})}">${words.nav.bookings}</a></li>
<li><a class="tile" href="${href('reviews', {})}">${words.nav.reviews}</a></li>
<li><a class="tile" href="${href('reports', {})}">${words.reports.title}</a></li>
<li><a class="tile" href="${href('notices', {})}">${words.notices.title}</a></li>
<li><a class="tile" href="${href('seller', { id: user.id })}">${words.account.publicProfile}</a></li>
</ul>
${signOut}
${
  !user.verified &&
  html`<form method="post" class="panel">${action('confirm-email')}<p>${words.account.unverified}</p><button class="plain">${words.account.sendAgain}</button></form>`
}
<section class="panel"><h2>${words.account.profile}</h2><form method="post">${action('profile')}
${field(visit, 'name', words.signIn.name, of('profile'), { value: user.name, required: true, autocomplete: 'name' })}
${checkbox(visit, 'email_notifications', words.account.notifications, of('profile'), user.email_notifications !== false)}
<p><button>${words.my.save}</button></p></form></section>
<section class="panel"><h2>${words.signIn.password}</h2><form method="post">${action('password')}
${field(visit, 'current_password', words.account.currentPassword, of('password'), { type: 'password', required: true, autocomplete: 'current-password' })}
${field(visit, 'new_password', words.signIn.newPassword, of('password'), { type: 'password', required: true, autocomplete: 'new-password', hint: words.signIn.passwordHint })}
<p><button class="plain">${words.my.save}</button></p></form><p><a href="${href('forgot_password', {})}">${words.account.changePassword}</a></p></section>
${security}
<section class="panel" id="keys"><h2>${words.account.keys}</h2><p class="soft">${words.account.keysText}</p>
${newKey !== undefined && html`<p class="note" role="status">${words.account.newKey}<br><code class="key">${newKey}</code></p>`}
${await keys(visit)}
<form method="post" action="#keys">${action('create-key')}
${field(visit, 'key_name', words.account.keyName, of('create-key'), { required: true })}
${select(visit, 'permissions', words.account.keyMay, Object.entries(words.account.permissions), of('create-key'))}
<button class="plain">${words.account.createKey}</button></form></section>
${await connectedApplications(visit)}
<section class="panel"><h2>${words.account.endSessions}</h2><form method="post">${action('end-sessions')}
${checkbox(visit, 'keys', words.account.endKeys, of('end-sessions'), true)}
<button class="plain">${words.account.endSessions}</button></form></section>
${await traderSection(visit, of('trader'))}
${await dataSection(visit)}
${leaveSection(visit, of('leave'))}
</div>`,
  };
}

async function keys(visit: Visit): Promise<Child> {
  const { words, locale } = visit;
  const { body } = await visit.perform('listApiKeys', {});
  const valid = body.keys.filter(({ revoked_at: revokedAt }) => revokedAt === null);
  return html`<ul class="rows">${valid.map(
    ({ id, label, key_prefix: prefix, created_at: at }) =>
      html`<li class="stack"><span>${label} <code>${prefix}…</code> <span class="soft">${formatDay(locale, at)}</span></span>
<form method="post">${formGuard(visit)}<input type="hidden" name="action" value="revoke-key"><input type="hidden" name="id" value="${id}"><button class="link" aria-label="${words.account.revoke}: ${label}">${words.account.revoke}</button></form></li>`,
  )}</ul>`;
}

/** The applications that act for the person; nothing for whoever has connected none. */
async function connectedApplications(visit: Visit): Promise<Child> {
  const { words, locale } = visit;
  const { body } = await visit.perform('listConnectedApplications', {});
  if (body.applications.length === 0) return undefined;
  const facts = ({ created_at: at, last_used_at: used }: (typeof body.applications)[number]) => [
    formatDay(locale, at),
    ...(used === null ? [] : [fill(words.connect.used, { date: formatDay(locale, used) })]),
  ];
  return html`<section class="panel"><h2>${words.connect.applications}</h2><p class="soft">${words.connect.applicationsText}</p>
<ul class="rows">${body.applications.map(
    (application) =>
      html`<li class="stack"><span>${application.name} <span class="soft">${facts(application).join(' · ')}</span><br><span class="soft">${application.scopes.map((scope) => words.connect.scopes[scope]).join(' · ')}</span></span>
<form method="post">${formGuard(visit)}<input type="hidden" name="action" value="disconnect"><input type="hidden" name="id" value="${application.id}"><button class="link" aria-label="${words.connect.disconnect}: ${application.name}">${words.connect.disconnect}</button></form></li>`,
  )}</ul></section>`;
}
