import { randomUUID } from 'node:crypto';
import type { FieldError, ServiceError } from '../../shared/kit/errors.ts';
import { toServiceError } from '../http/render-error.ts';
import { html, raw, type Child, type Markup } from './html.ts';
import type { Page } from './layout.ts';
import type { PageAnswer } from './page-handler.ts';
import { tellFault, tellRefusal, type Fault } from './refusals.ts';
import type { Visit } from './visit.ts';

/** Why a form was refused, as the API says it, and what is wrong with its fields, by their names. */
export type FormProblem = Pick<ServiceError, 'status' | 'code' | 'message' | 'details'> & {
  fields: ReadonlyMap<string, Fault>;
};

type FormVisit = Pick<Visit, 'form' | 'words' | 'locale'>;

type FieldOptions = {
  type?: string;
  value?: string | undefined;
  required?: boolean;
  autocomplete?: string;
  hint?: string | undefined;
  rows?: number;
  placeholder?: string | undefined;
  /** Further attributes: fixed text of ours. */
  attributes?: string;
};

/** A labelled field with what is wrong with it; what was typed stays. */
export function field(
  visit: FormVisit,
  name: string,
  label: string,
  problem: FormProblem | undefined,
  { type = 'text', value, required = false, autocomplete, hint, rows, placeholder, attributes = '' }: FieldOptions = {},
): Markup {
  const wrong = problem?.fields.get(name);
  const { form } = visit;
  const typed = problem ? firstText(form[name]) : (value ?? '');
  const described = wrong !== undefined && html` aria-invalid="true" aria-describedby="${name}-error"`;
  const common = html`name="${name}"${required && raw(' required')}${autocomplete && html` autocomplete="${autocomplete}"`}${placeholder && html` placeholder="${placeholder}"`}${described}${raw(attributes)}`;
  const control =
    rows === undefined
      ? html`<input type="${type}" ${common} value="${type === 'password' ? '' : typed}">`
      : html`<textarea rows="${rows}" ${common}>
${typed}</textarea>`;
  return html`<label>${label}${control}</label>${hint && html`<p class="soft">${hint}</p>`}${wrongOf(visit, name, wrong)}`;
}

/** A choice of values with their labels. */
export function select(
  visit: FormVisit,
  name: string,
  label: string,
  options: readonly (readonly [value: string, label: string])[],
  problem: FormProblem | undefined,
  value = '',
  required = false,
): Markup {
  const chosen = problem ? firstText(visit.form[name]) : value;
  const wrong = problem?.fields.get(name);
  return html`<label>${label}<select name="${name}"${required && raw(' required')}${wrong !== undefined && html` aria-invalid="true" aria-describedby="${name}-error"`}>
${options.map(([each, text]) => html`<option value="${each}"${each === chosen && raw(' selected')}>${text}</option>`)}</select></label>${wrongOf(visit, name, wrong)}`;
}

/** A box to tick. */
export function checkbox(
  { form }: Pick<Visit, 'form'>,
  name: string,
  label: string,
  problem: FormProblem | undefined,
  isOn = false,
): Markup {
  const checked = problem ? form[name] !== undefined : isOn;
  return html`<label class="check"><input type="checkbox" name="${name}" value="true"${checked && raw(' checked')}> ${label}</label>`;
}

const wrongOf = (visit: FormVisit, name: string, wrong: Fault | undefined): Child =>
  wrong !== undefined && html`<p class="error" id="${name}-error">${tellFault(visit, wrong)}</p>`;

/** The sentence above a form that was refused; where its fields are wrong, they say why themselves. */
export function problemNote(visit: Pick<Visit, 'words' | 'locale'>, problem: FormProblem | undefined): Child {
  if (!problem) return undefined;
  const areFieldsWrong = problem.status === 400 && problem.fields.size > 0;
  const message = areFieldsWrong ? fieldsNote(visit, problem) : tellRefusal(visit, problem);
  return html`<p class="note bad" role="alert">${message}</p>`;
}

/** The token of a link is no field that anybody sees. */
const fieldsNote = ({ words }: Pick<Visit, 'words'>, { fields }: FormProblem): string =>
  fields.has('token') ? words.signIn.linkUsed : words.errors.fields;

export const firstText = (value: string | string[] | undefined): string => [value ?? ''].flat()[0] ?? '';

/**
 * Runs what a form asks for; what is refused shows the form again, with what was typed and what is wrong with it. Errors that no
 * form can mend (nobody signed in, nothing of that name, a fault of ours) are thrown on. `names` maps paths of the API's body to fields.
 */
export async function submit(
  run: () => Promise<PageAnswer>,
  show: (problem: FormProblem) => Promise<Page> | Page,
  names: Readonly<Record<string, string>> = {},
): Promise<PageAnswer> {
  try {
    return await run();
  } catch (error) {
    const refused = toServiceError(error);
    if (!refused || ![400, 401, 403, 409, 413, 415, 422, 429].includes(refused.status)) throw error;
    const problem = problemOf(refused, names);
    return { status: problem.status, page: await show(problem), headers: refused.headers };
  }
}

function problemOf(
  { status, code, message, details }: ServiceError,
  names: Readonly<Record<string, string>>,
): FormProblem {
  const errors = (details?.errors ?? []) as FieldError[];
  const fields = errors.map((wrong) => {
    const place = wrong.path.replace(/^\/(?:body|query|params)\//, '');
    return [names[place] ?? place.split('/').join('.'), wrong] as const;
  });
  return { status, code, message, details, fields: new Map(fields) };
}

/** A hidden key that makes a form that is sent twice do once what it asks for. */
export const onceField = (): Markup => html`<input type="hidden" name="_once" value="${randomUUID()}">`;

/** The key of a form that was sent, for operations that take an Idempotency-Key. */
export function onceKey({ form }: Pick<Visit, 'form'>): string | undefined {
  const key = firstText(form._once);
  return /^[\da-f-]{36}$/.test(key) ? `page-${key}` : undefined;
}
