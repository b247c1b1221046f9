/** What is kept of an error's message beside the row that it befell. */
export const MAX_ERROR_LENGTH = 500;

/** The one table of error codes: code -> HTTP status. The wire shape is `{error: {code, message, details?}}`. */
const statusOf = {
  bad_request: 400,
  validation_error: 400,
  moderation_rejected: 400,
  unauthorized: 401,
  second_factor_required: 401,
  enrolment_required: 401,
  forbidden: 403,
  account_suspended: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  conflict: 409,
  duplicate_listing: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  service_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof statusOf;

/** Why something was refused, for programs: messages may change, these do not. */
export type Reason =
  | 'required'
  | 'too_short'
  | 'too_long'
  | 'too_many'
  | 'too_small'
  | 'too_large'
  | 'not_a_number'
  | 'not_a_choice'
  | 'not_an_email'
  | 'not_a_date'
  | 'in_the_past'
  | 'wrong_order'
  | 'guessable'
  | 'empty_file'
  | 'file_too_large'
  | 'bad_image'
  | 'wrong_password'
  | 'not_own_password'
  | 'wrong_code'
  | 'wrong_passkey'
  | 'too_many_passkeys'
  | 'account_exists'
  | 'key_exists'
  | 'already_reviewed'
  | 'already_reported'
  | 'own_thing'
  | 'appeal_over'
  | 'already_appealed'
  | 'not_available';

/** `limit` is how much, or how many, there may be at most or has to be at least. */
export type FieldError = { path: string; message: string; reason?: Reason | undefined; limit?: number | undefined };

/** What is told beside the text; a reason is that of the request as a whole. */
type ErrorDetails = { reason?: Reason; [name: string]: unknown };

/** An error with a public text (sent to the caller as it stands) and an inner `cause` (logged, never sent). */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetails | undefined; cause?: unknown; headers?: Record<string, string> } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.status = statusOf[code];
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

export const badRequest = (message: string, details?: ErrorDetails) =>
  new ServiceError('bad_request', message, { details });

/** A validation_error; each field error names its place as a JSON pointer such as `/body/price/amount`. */
export const invalid = (message: string, errors: FieldError[] = [], details: ErrorDetails = {}) =>
  new ServiceError('validation_error', message, {
    details: errors.length > 0 ? { errors, ...details } : details,
  });

export const unauthorized = (message = 'A valid credential is required.', details?: ErrorDetails) =>
  new ServiceError('unauthorized', message, { details, headers: { 'WWW-Authenticate': 'Bearer' } });

/** The first factor was right, and a code has to come with it: none came, or one that is not good. */
export const secondFactorRequired = (message: string) =>
  new ServiceError('second_factor_required', message, { headers: { 'WWW-Authenticate': 'Bearer' } });

/** The session is genuine, and its role needs a second factor that it has not shown (the step-up of RFC 9470). */
export const enrolmentRequired = () =>
  new ServiceError(
    'enrolment_required',
    'Your role needs a second factor: log in with it, or set up an authenticator app or a passkey first.',
    { headers: { 'WWW-Authenticate': 'Bearer error="insufficient_user_authentication"' } },
  );

export const forbidden = (message: string) => new ServiceError('forbidden', message);

export const notFound = (resource: string, id: string, details?: ErrorDetails) =>
  new ServiceError('not_found', `There is no ${resource} '${id.slice(0, 100)}'.`, { details });

export const conflict = (message: string, details?: ErrorDetails) => new ServiceError('conflict', message, { details });

export const rateLimited = (message: string, retryAfterSeconds: number, headers: Record<string, string> = {}) =>
  new ServiceError('rate_limited', message, {
    headers: { ...headers, 'Retry-After': String(Math.max(1, retryAfterSeconds)) },
  });

export const unavailable = (message: string, cause?: unknown, retryAfterSeconds = 2) =>
  new ServiceError('service_unavailable', message, {
    cause,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
