import { OAuthError } from '@modelcontextprotocol/server';
import { inTransaction } from '../../db/client.ts';
import { requireLiveCredential } from '../../shared/accounts/live-credential.ts';
import { issueCode } from '../../shared/accounts/oauth/exchange.ts';
import { describeRedirectUri } from '../../shared/accounts/oauth/redirect-uri.ts';
import { scopesOf, type KeyScope } from '../../shared/accounts/key-scopes.ts';
import { reachesRole } from '../../shared/accounts/roles.ts';
import { enrolmentRequired, forbidden } from '../../shared/kit/errors.ts';
import type { Caller } from '../http/authenticate.ts';
import { chargeRequests } from '../http/enforce-rate-limit.ts';
import { fill } from '../pages/format.ts';
import { firstText } from '../pages/forms.ts';
import { html, raw, type Markup } from '../pages/html.ts';
import type { PageAnswer, PageHandler } from '../pages/page-handler.ts';
import { formGuard } from '../pages/parts.ts';
import { requireCaller, type Visit } from '../pages/visit.ts';
import {
  answerAddress,
  findAsker,
  readAuthorizationRequest,
  type Asker,
  type AuthorizationRequest,
} from './authorization-request.ts';

/**
 * The authorization endpoint: asks whoever has signed in whether an application may act for them, and what it may do. Nobody is sent
 * on without having pressed a button, also when the application has asked wrongly: a link to this page leads nowhere else.
 */
export const showConsent: PageHandler = async (visit) => {
  requireSession(visit);
  const asker = await findAsker(visit.services, visit.query);
  if (!asker) return refusal(visit, visit.words.connect.unknownText);
  try {
    return await consentPage(visit, asker, readAuthorizationRequest(visit.links, visit.query));
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return refusal(visit, visit.words.connect.invalidText, asker);
  }
};

/** Sends the answer to the application: a code, that the person refuses, or what was wrong with the request. */
export const decideConsent: PageHandler = async (visit) => {
  const caller = requireSession(visit);
  const { services, links, query, form, request } = visit;
  const asker = await findAsker(services, query);
  if (!asker) return refusal(visit, visit.words.connect.unknownText);
  try {
    const asked = readAuthorizationRequest(links, query);
    if (firstText(form.decision) !== 'allow')
      return sendTo(visit, asker, { error: 'access_denied', error_description: 'The person has refused.' });
    await chargeRequests(services, 'write', caller, request.res?.locals.network as string, 1);
    return sendTo(visit, asker, { code: await agree(visit, caller, asker, asked) });
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return sendTo(visit, asker, { error: error.code, error_description: error.message });
  }
};

/** Only a session can agree, that has shown the second factor its role needs: neither a key nor another application's token. */
function requireSession(visit: Visit): Caller {
  const caller = requireCaller(visit);
  if (caller.via !== 'session') throw forbidden('Applications are connected by somebody who has signed in.');
  if (caller.mustEnrol) throw enrolmentRequired();
  return caller;
}

async function agree(
  { services, form }: Visit,
  caller: Caller,
  { client, redirectUri }: Asker,
  { scopes, codeChallenge, resource }: AuthorizationRequest,
): Promise<string> {
  const chosen = new Set([form.scopes ?? []].flat());
  const granted = scopesOf(
    'read',
    offeredTo(caller, scopes).filter((scope) => chosen.has(scope)),
  );
  const consent = {
    clientId: client.id,
    userId: caller.userId,
    sessionEpoch: caller.sessionEpoch,
    redirectUri,
    codeChallenge,
    scopes: granted,
    resource,
  };
  return inTransaction(services.db, async (tx) => {
    await requireLiveCredential(tx, caller);
    return issueCode(tx, consent, services.clock.now());
  });
}

/** What the person may hand on of what is asked for: `admin` to act in their role, which is looked at with each request. */
const offeredTo = ({ role }: Caller, scopes: readonly KeyScope[]): KeyScope[] =>
  scopes.filter((scope) => scope !== 'admin' || reachesRole(role, 'moderator'));

const sendTo = (visit: Visit, asker: Asker, answer: Record<string, string>): PageAnswer => ({
  location: answerAddress(asker, visit.links, answer),
  headers: { 'Referrer-Policy': 'no-referrer' },
});

async function consentPage(visit: Visit, asker: Asker, { scopes }: AuthorizationRequest): Promise<PageAnswer> {
  const { words, services } = visit;
  const { body } = await visit.perform('getMe', {});
  const values = { app: asker.client.name, brand: services.config.brand.name, email: body.user.email };
  const title = fill(words.connect.title, values);
  const { kind, name } = describeRedirectUri(asker.redirectUri);
  const page = {
    title,
    content: html`<div class="narrow"><h1>${title}</h1>
<section class="panel"><p>${fill(words.connect.text, values)}</p>
<p>${fill(words.connect.leads[kind], { host: name })}</p>
<p class="note">${words.connect.unverified}</p>
<form method="post">${formGuard(visit)}
<fieldset><legend>${words.connect.may}</legend>
${offeredTo(requireCaller(visit), scopes).map((scope) => scopeChoice(visit, scope))}
</fieldset>
<p class="soft">${words.connect.end}</p>
<div class="stack"><button name="decision" value="allow">${words.connect.allow}</button>
<button class="plain" name="decision" value="deny">${words.connect.deny}</button></div></form></section></div>`,
  };
  return { page, formTargets: [formTarget(asker.redirectUri)] };
}

/** A scope to tick; reading belongs to every connection, and to administrate has to be chosen. */
function scopeChoice({ words: { connect }, caller }: Visit, scope: KeyScope): Markup {
  const label = scope === 'admin' && caller?.role === 'moderator' ? connect.moderate : connect.scopes[scope];
  const state = scope === 'read' ? ' checked disabled' : scope === 'admin' ? '' : ' checked';
  return html`<label class="check"><input type="checkbox" name="scopes" value="${scope}"${raw(state)}> ${label}</label>`;
}

/** What cannot be answered, and the way back for an application that is known. */
function refusal(visit: Visit, text: string, asker?: Asker): PageAnswer {
  const { words, href } = visit;
  const page = {
    title: words.connect.refused,
    content: html`<div class="narrow"><h1>${words.connect.refused}</h1><p class="note bad" role="alert">${text}</p>
${asker && html`<form method="post">${formGuard(visit)}<button class="plain" name="decision" value="back">${words.connect.back}</button></form>`}
<p><a class="button plain" href="${href('home', {})}">${words.errors.home}</a></p></div>`,
  };
  return { page, status: 400, formTargets: asker ? [formTarget(asker.redirectUri)] : [] };
}

/** The source of the Content-Security-Policy that a form may be answered with; it has no notation for IPv6. */
function formTarget(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri);
  return /^https?:$/.test(protocol) && !hostname.startsWith('[') ? origin : protocol;
}
