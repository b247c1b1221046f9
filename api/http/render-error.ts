import type { ErrorRequestHandler, Request, Response } from 'express';
import { sqlState, isConnectionError } from '../../db/client.ts';
import {
  badRequest,
  conflict,
  invalid,
  notFound,
  ServiceError,
  unavailable,
  type FieldError,
  type Reason,
} from '../../shared/kit/errors.ts';
import type { Logger } from '../../shared/kit/log.ts';
import { describeForm, reasonOfForm } from '../../shared/kit/text-forms.ts';

/** PostgreSQL's complaints about values that no schema can rule out: the caller's mistake, not ours. */
const badValueStates = new Set([
  '22021',
  '22P02',
  '22P05',
  '22003',
  '22007',
  '22008',
  '22025',
  '2201B',
  '54000',
  '54001',
  '22001',
]);
const raceStates = new Set(['23505', '23P01', '40001', '40P01']);
/** The error of the triggers that keep what a suspended person has off show. */
const SUSPENDED_OWNER = 'QS001';
const overloadStates = /^(53|57014|55P03)/;

/** The one renderer: any error becomes the envelope; only an unforeseen one is logged, with its cause, and answered 500. */
export function renderError(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const known = toServiceError(error);
    if (!known || known.status >= 500) logFailure(log, error, request, response);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const answer = known ?? new ServiceError('internal_error', 'Something went wrong on our side.');
    response.removeHeader('ETag');
    response.set(answer.headers);
    response.set('Cache-Control', 'no-store');
    response.status(answer.status).type('application/json').send(renderEnvelope(answer));
  };
}

/** Logs what a request has failed of that is no fault of its sender, with its cause. */
export function logFailure(log: Logger, error: unknown, { path }: Request, response: Response): void {
  const cause = error instanceof ServiceError ? (error.cause ?? error) : error;
  log.error({ err: cause, request_id: response.getHeader('X-Request-Id'), path }, 'request failed');
}

/** The wire form of an error: `{error: {code, message, details?}}` as JSON text. */
export function renderEnvelope({ code, message, details }: ServiceError): string {
  return JSON.stringify({ error: { code, message, ...(details && { details }) } });
}

/** The public form of any error that has one; undefined for a fault of our own. */
export function toServiceError(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (typeof error !== 'object' || error === null) return undefined;
  return fromValidator(error) ?? fromExpress(error) ?? fromDatabase(error);
}

type ValidatorError = {
  status?: number;
  errors?: { path?: string; message?: string; errorCode?: string }[];
  message?: string;
};

function fromValidator(error: ValidatorError): ServiceError | undefined {
  if (!Array.isArray(error.errors) || typeof error.status !== 'number') return undefined;
  if (error.status === 415)
    return new ServiceError('unsupported_media_type', 'The media type of the body is not supported.');
  if (error.status !== 400) return undefined;
  // No id or slug is of another form than the contract's: there is nothing of that name.
  if (error.errors.some(({ path }) => path?.startsWith('/params/'))) {
    return new ServiceError('not_found', 'There is nothing of this name.');
  }
  const errors = error.errors.map(({ path = '', message = '', errorCode = '' }): FieldError => ({
    path,
    message: inWords(message),
    ...reasonOf(errorCode.split('.', 1).join(), message),
  }));
  return invalid('The request does not fit this operation.', dropRepeats(errors));
}

const reasonOfKeyword: Readonly<Record<string, Reason>> = {
  required: 'required',
  minLength: 'too_short',
  maxLength: 'too_long',
  maxItems: 'too_many',
  minimum: 'too_small',
  exclusiveMinimum: 'too_small',
  maximum: 'too_large',
  exclusiveMaximum: 'too_large',
  enum: 'not_a_choice',
  const: 'not_a_choice',
};

/** Why a value is refused by a keyword of JSON Schema, and the limit that Ajv names in its message. */
function reasonOf(keyword: string, message: string): Pick<FieldError, 'reason' | 'limit'> {
  if (keyword === 'pattern' || keyword === 'format') return { reason: reasonOfForm(formIn(message) ?? '') };
  if (keyword === 'type') return { reason: /number|integer/.test(message) ? 'not_a_number' : undefined };
  const limit = /-?\d+(?:\.\d+)?/.exec(message)?.[0];
  if (limit === undefined || keyword === 'required') return { reason: reasonOfKeyword[keyword] };
  if (keyword === 'minLength' && limit === '1') return { reason: 'required' };
  return { reason: reasonOfKeyword[keyword], limit: reasonOfKeyword[keyword] && Number(limit) };
}

/** The pattern or format that a text was held against. */
const formIn = (message: string): string | undefined => /^must match (?:pattern|format) "(.*)"$/s.exec(message)?.[1];

/** What a text has to be rather than the pattern or the format that it was held against. */
function inWords(message: string): string {
  if (message === 'must NOT have additional properties') return 'is not a field that is known here';
  const form = formIn(message);
  return (form !== undefined && describeForm(form)) || message;
}

function dropRepeats(errors: FieldError[]): FieldError[] {
  return [...new Map(errors.map((error) => [`${error.path} ${error.message}`, error])).values()].slice(0, 50);
}

/** What Express itself refuses: an address that cannot be decoded. */
function fromExpress(error: { status?: number }): ServiceError | undefined {
  return error instanceof URIError || error.status === 400 ? badRequest('The request could not be read.') : undefined;
}

function fromDatabase(error: object): ServiceError | undefined {
  const state = sqlState(error);
  if (state && badValueStates.has(state)) return invalid('A value of the request cannot be stored.');
  if (state && raceStates.has(state)) return conflict('Somebody else changed this at the same moment; read it again.');
  if (state === SUSPENDED_OWNER) return conflict('Its owner is suspended: nothing of theirs is put on show.');
  if (state === '23503') return notFound('resource', 'referred to');
  if (isConnectionError(error) || (state && overloadStates.test(state))) {
    return unavailable('The service is busy or its database cannot be reached; try again shortly.', error);
  }
  return undefined;
}
