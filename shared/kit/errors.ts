/** The one table of error codes: code -> HTTP status. The wire shape is `{error: {code, message, details?}}`. */
const statusOf = {
  bad_request: 400,
  validation_error: 400,
  moderation_rejected: 400,
  unauthorized: 401,
  forbidden: 403,
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

export type FieldError = { path: string; message: string };

/** An error with a public text (sent to the caller as it stands) and an inner `cause` (logged, never sent). */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Record<string, unknown> | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: Record<string, unknown>; cause?: unknown; headers?: Record<string, string> } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.status = statusOf[code];
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

export const badRequest = (message: string, details?: Record<string, unknown>) =>
  new ServiceError('bad_request', message, { details });

/** A validation_error; each field error names its place as a JSON pointer such as `/body/price/amount`. */
export const invalid = (message: string, errors: FieldError[] = [], details: Record<string, unknown> = {}) =>
  new ServiceError('validation_error', message, {
    details: errors.length > 0 ? { errors, ...details } : details,
  });

export const unauthorized = (message = 'A valid credential is required.') =>
  new ServiceError('unauthorized', message, { headers: { 'WWW-Authenticate': 'Bearer' } });

export const forbidden = (message: string) => new ServiceError('forbidden', message);

export const notFound = (resource: string, id: string, details?: Record<string, unknown>) =>
  new ServiceError('not_found', `There is no ${resource} '${id.slice(0, 100)}'.`, { details });

export const conflict = (message: string, details?: Record<string, unknown>) =>
  new ServiceError('conflict', message, { details });

export const rateLimited = (message: string, retryAfterSeconds: number, headers: Record<string, string> = {}) =>
  new ServiceError('rate_limited', message, {
    headers: { ...headers, 'Retry-After': String(Math.max(1, retryAfterSeconds)) },
  });

export const unavailable = (message: string, cause?: unknown, retryAfterSeconds = 2) =>
  new ServiceError('service_unavailable', message, {
    cause,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
