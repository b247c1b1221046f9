import { field, type FormProblem } from './forms.ts';
import { html, type Markup } from './html.ts';
import { drawQrCode } from './qr-code.ts';
import type { Visit } from './visit.ts';

/** The secret of an app to be as a QR code and as text, and the field for the app's first code. */
export function showTotpForm(visit: Visit, url: string, action: Markup, problem: FormProblem | undefined): Markup {
  const { words } = visit;
  const secret = URL.parse(url)?.searchParams.get('secret') ?? '';
  return html`<p>${words.security.scan}</p>${drawQrCode(url, words.security.qrCode)}
<p>${words.security.key} <code class="key">${secret.replaceAll(/(.{4})(?!$)/g, '$1 ')}</code></p>
<form method="post" action="#two-factor">${action}<input type="hidden" name="otpauth_url" value="${url}">
${codeField(visit, 'code', words.security.code, problem)}
<p><button>${words.security.confirm}</button></p></form>`;
}

/** A field for a code, as phones and password managers fill it. */
export const codeField = (visit: Visit, name: string, label: string, problem: FormProblem | undefined): Markup =>
  field(visit, name, label, problem, {
    required: true,
    autocomplete: 'one-time-code',
    value: '',
    attributes: ' maxlength="40" autocapitalize="none" spellcheck="false" inputmode="text"',
  });
