import { z } from 'zod';
import { MINUTE_MS } from '../../shared/kit/clock.ts';
import { seal, unseal } from '../../shared/kit/seal.ts';
import { codeField } from './account-totp.ts';
import { firstText, problemNote, type FormProblem } from './forms.ts';
import { html } from './html.ts';
import type { Page } from './layout.ts';
import { formGuard } from './parts.ts';
import { StaleForm, type Visit } from './visit.ts';

const LIFE_MS = 10 * MINUTE_MS;
const CONTEXT = 'sign-in form';
const NONCE_CHARS = 16;

const credentials = z.object({ email: z.string(), password: z.string(), until: z.number() });
type Credentials = { email: string; password: string };

/** Email and password as a field of the form that asks for the code: sealed, so that no page holds them, and good for ten minutes. */
export function holdCredentials({ services }: Visit, { email, password }: Credentials): string {
  const { clock, config } = services;
  const held = JSON.stringify({ email, password, until: clock.now().getTime() + LIFE_MS });
  const { nonce, body } = seal(config.jwtSecrets[0] ?? '', CONTEXT, held);
  return nonce.toString('base64url') + body.toString('base64url');
}

/** What the form has held; one that is too old, or not ours, is to be begun anew. */
export function readHeldCredentials({ services, form }: Visit): Credentials {
  const { clock, config } = services;
  const held = firstText(form.held);
  const nonce = Buffer.from(held.slice(0, NONCE_CHARS), 'base64url');
  const body = Buffer.from(held.slice(NONCE_CHARS), 'base64url');
  const isWhole = nonce.length === 12 && body.length > 16;
  const text = isWhole ? unseal(config.jwtSecrets, CONTEXT, { nonce, body }) : undefined;
  const known = text && credentials.parse(JSON.parse(text.toString()));
  if (!known || known.until < clock.now().getTime()) throw new StaleForm();
  return { email: known.email, password: known.password };
}

type CodeForm = { hidden: Record<string, string>; action: string; problem: FormProblem };

/** Asks for the code of the app, with what was sent before it in hidden fields; what was wrong with a code that was sent is said. */
export function showCodePage(visit: Visit, { hidden, action, problem }: CodeForm): Page {
  const { words, form } = visit;
  // A code that is none at all is told of as one that is wrong.
  const wrong = form.totp !== undefined &&
    problem && { ...problem, details: { reason: 'wrong_code' } as const, fields: new Map() };
  return {
    title: words.security.codeTitle,
    content: html`<div class="narrow"><h1>${words.security.codeTitle}</h1>${problemNote(visit, wrong || undefined)}<p>${words.security.codeText}</p>
<form method="post" action="${action}">${formGuard(visit)}${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${codeField(visit, 'totp', words.security.code, undefined)}
<button>${words.signIn.title}</button></form></div>`,
  };
}
