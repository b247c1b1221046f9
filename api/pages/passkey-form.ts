import { isIP } from 'node:net';
import { invalid } from '../../shared/kit/errors.ts';
import { assetUrl } from './assets.ts';
import { firstText } from './forms.ts';
import { html, raw, type Child, type Markup } from './html.ts';
import { formGuard } from './parts.ts';
import type { Visit } from './visit.ts';

/** Passkeys are for names of hosts: browsers make none for an address. */
export const passkeysWork = ({ services }: Pick<Visit, 'services'>): boolean =>
  isIP(new URL(services.config.baseUrl).hostname) === 0;

/** The script that asks the browser for passkeys; pages that have a form for them name it in their head. */
export const passkeyScript = ({ links }: Pick<Visit, 'links'>): Markup =>
  html`<script type="module" src="${assetUrl(links, 'passkeys.js')}"></script>`;

type PasskeyForm = {
  kind: 'create' | 'get';
  options: unknown;
  action?: string;
  fields: Child;
  button: string;
  /** Whether the browser offers passkeys in the field of the address, before the button is pressed. */
  isOffered?: boolean;
};

/** A form that the script fills with what the browser has made of the options; without script, or passkeys, it is not shown. */
export const passkeyForm = (
  visit: Visit,
  { kind, options, action, fields, button, isOffered = false }: PasskeyForm,
): Markup =>
  html`<form method="post"${action !== undefined && html` action="${action}"`} data-passkey="${kind}"${isOffered && raw(' data-offered')} data-options="${JSON.stringify(options)}">${formGuard(visit)}
<input type="hidden" name="credential">${fields}
<p><button class="plain">${button}</button></p><p class="error" role="alert" hidden>${visit.words.security.passkeyFailed}</p></form>`;

/** What the script has put into the form; 400 for anything else. */
export function readCredential({ form }: Pick<Visit, 'form'>): Record<string, unknown> {
  try {
    return JSON.parse(firstText(form.credential)) as Record<string, unknown>;
  } catch (cause) {
    throw Object.assign(
      invalid('This passkey cannot be used.', [
        {
          path: '/body/credential',
          message: 'is not what this service asked for, has expired or was sent before',
          reason: 'wrong_passkey',
        },
      ]),
      { cause },
    );
  }
}
