import type { components, ErrorCode } from './contract.ts';
import { readRetryAfter } from './retry.ts';

type Envelope = components['schemas']['ErrorResponse'];

/** An answer that is no success: its status, the envelope's `code`, `message` and `details`, and what its headers say. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: Envelope['error']['details'];
  /** `X-Request-Id`, which the operators find in their logs. */
  readonly requestId: string | undefined;
  /** Seconds after which the service takes the request again. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, body: unknown) {
    const error = isEnvelope(body) ? body.error : undefined;
    super(error?.message ?? `The server answered ${response.status} ${response.statusText}`.trim());
    this.status = response.status;
    this.code = error?.code ?? 'unknown';
    this.details = error?.details;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.retryAfter = readRetryAfter(response);
  }
}

function isEnvelope(body: unknown): body is Envelope {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}
