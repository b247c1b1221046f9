import { showTotpForm } from './account-totp.ts';
import { field, firstText, type FormProblem } from './forms.ts';
import { fill, formatDay } from './format.ts';
import { html, type Child, type Markup } from './html.ts';
import type { PageAnswer } from './page-handler.ts';
import { formGuard } from './parts.ts';
import { passkeyForm, passkeysWork, readCredential } from './passkey-form.ts';
import { signedOut } from './sign-in.ts';
import type { Visit } from './visit.ts';

/** What is shown this once: the secret of an app to be, or its recovery codes. */
export type ShownOnce = { otpauthUrl: string } | { recoveryCodes: readonly string[] };

/** An answer, or what the account page is to show. */
type Outcome = PageAnswer | { shown: ShownOnce };

/** Does what the forms of the sections below ask for; undefined for other forms of the page. */
export async function changeSecurity(visit: Visit): Promise<Outcome | undefined> {
  const { form, href, perform, caller } = visit;
  const id = firstText(form.id);
  switch (firstText(form.action)) {
    case 'end-session': {
      await perform('endSession', { params: { id } });
      return id === caller?.sessionId ? signedOut(visit) : { location: href('account', { done: 'sessionEnded' }) };
    }
    case 'start-totp': {
      const { body } = await perform('startTotp', {});
      return { shown: { otpauthUrl: body.otpauth_url } };
    }
    case 'confirm-totp': {
      const { body } = await perform('confirmTotp', { body: { code: firstText(form.code).replaceAll(/\s/g, '') } });
      return { shown: { recoveryCodes: body.recovery_codes } };
    }
    case 'remove-totp':
      await perform('removeTotp', { body: proofOf(firstText(form.proof)) });
      return { location: href('account', { done: 'totpRemoved' }) };
    case 'add-passkey': {
      const body = { name: firstText(form.passkey_name), credential: readCredential(visit) };
      await perform('createPasskey', { body });
      return { location: href('account', { done: 'passkeyAdded' }) };
    }
    case 'delete-passkey':
      await perform('deletePasskey', { params: { id } });
      return { location: href('account', { done: 'passkeyDeleted' }) };
    default:
      return undefined;
  }
}

/** Six digits and recovery codes are codes; passwords are longer than the one, and hardly look like the other. */
const proofOf = (text: string) =>
  /^\s*(?:\d{3}\s?\d{3}|[0-9a-f]{4}(?:-[0-9a-f]{4}){3})\s*$/i.test(text) ? { code: text } : { password: text };

type Shown = { problem: FormProblem | undefined; shown: ShownOnce | undefined };

/** Devices and sessions, two-factor sign-in, and passkeys, as sections of the account page. */
export async function securitySections(visit: Visit, { problem, shown }: Shown): Promise<Markup> {
  const of = (action: string) => (firstText(visit.form.action) === action ? problem : undefined);
  const { words, caller } = visit;
  return html`${caller?.mustEnrol && html`<p class="note bad" role="alert">${words.security.enrol}</p>`}
<section class="panel" id="sessions"><h2>${words.security.sessions}</h2>${await sessions(visit)}</section>
<section class="panel" id="two-factor"><h2>${words.security.twoFactor}</h2>${await twoFactor(visit, of, shown)}</section>
${passkeysWork(visit) && html`<section class="panel" id="passkeys"><h2>${words.security.passkeys}</h2>${await passkeys(visit, of('add-passkey'))}</section>`}`;
}

const action = (visit: Visit, name: string): Markup =>
  html`${formGuard(visit)}<input type="hidden" name="action" value="${name}">`;

const removeButton = (visit: Visit, name: string, id: string, label: string, what: string): Markup =>
  html`<form method="post">${action(visit, name)}<input type="hidden" name="id" value="${id}"><button class="link" aria-label="${label}: ${what}">${label}</button></form>`;

async function sessions(visit: Visit): Promise<Markup> {
  const { words, locale, perform } = visit;
  const { body } = await perform('listSessions', {});
  const rows = body.sessions.map(({ id, current, device, network, last_used_at: usedAt }) => {
    const name = device || words.security.unknownDevice;
    return html`<li class="stack"><span>${name}${current && html` <strong>(${words.security.current})</strong>`}<br>
<span class="soft">${network} · ${words.security.lastUsed} <time datetime="${usedAt}" data-time>${formatDay(locale, usedAt)}</time></span></span>
${removeButton(visit, 'end-session', id, words.security.end, name)}</li>`;
  });
  return html`<p class="soft">${words.security.sessionsText}</p><ul class="rows">${rows}</ul>`;
}

async function twoFactor(
  visit: Visit,
  of: (action: string) => FormProblem | undefined,
  shown: ShownOnce | undefined,
): Promise<Child> {
  const { words, locale, form, perform } = visit;
  const { body } = await perform('getTotp', {});
  if (body.enabled)
    return html`${
      shown &&
      'recoveryCodes' in shown &&
      html`<div class="note" role="status"><p>${words.security.recovery}</p><ul class="codes">${shown.recoveryCodes.map((code) => html`<li><code>${code}</code></li>`)}</ul></div>`
    }
<p>${fill(words.security.on, { date: formatDay(locale, body.confirmed_at ?? ''), count: body.recovery_codes_left })}</p>
<form method="post">${action(visit, 'remove-totp')}
${field(visit, 'proof', words.security.proof, proofProblem(of('remove-totp')), { type: 'password', required: true, autocomplete: 'current-password' })}
<p><button class="plain">${words.security.remove}</button></p></form>`;
  const problem = of('confirm-totp');
  const url = shown && 'otpauthUrl' in shown ? shown.otpauthUrl : problem && firstText(form.otpauth_url);
  if (url?.startsWith('otpauth://totp/')) return showTotpForm(visit, url, action(visit, 'confirm-totp'), problem);
  return html`<p>${words.security.off}</p><form method="post" action="#two-factor">${action(visit, 'start-totp')}<button class="plain">${words.security.setUp}</button></form>`;
}

/** Whichever of the two was wrong, it was typed into the one field. */
const proofProblem = (problem: FormProblem | undefined): FormProblem | undefined =>
  problem && { ...problem, fields: new Map([...problem.fields.values()].map((wrong) => ['proof', wrong])) };

async function passkeys(visit: Visit, problem: FormProblem | undefined): Promise<Markup> {
  const { words, locale, perform, caller } = visit;
  const [{ body: known }, { body: options }] = await Promise.all([
    perform('listPasskeys', {}),
    perform('createPasskeyOptions', {}),
  ]);
  const rows = known.passkeys.map(
    ({ id, name, created_at: createdAt }) =>
      html`<li class="stack"><span>${name} <span class="soft">${formatDay(locale, createdAt)}</span></span>
${!caller?.mustEnrol && removeButton(visit, 'delete-passkey', id, words.security.deletePasskey, name)}</li>`,
  );
  const fields = html`<input type="hidden" name="action" value="add-passkey">
${field(visit, 'passkey_name', words.security.passkeyName, problem, { required: true, attributes: ' maxlength="100"' })}`;
  return html`<p class="soft">${words.security.passkeysText}</p><ul class="rows">${rows}</ul>
${passkeyForm(visit, { kind: 'create', options, fields, button: words.security.addPasskey })}
<noscript><p class="soft">${words.security.needsScript}</p></noscript>`;
}
