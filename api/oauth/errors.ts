import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import type { ErrorRequestHandler } from 'express';
import { ServiceError } from '../../shared/kit/errors.ts';
import { logFailure, toServiceError } from '../http/render-error.ts';
import type { Services } from '../services.ts';

/** What a ServiceError is called in the terms of RFC 6749, by its status. */
const codes: Record<number, OAuthErrorCode> = {
  405: OAuthErrorCode.MethodNotAllowed,
  429: OAuthErrorCode.TooManyRequests,
  500: OAuthErrorCode.ServerError,
  503: OAuthErrorCode.TemporarilyUnavailable,
};

/** The one renderer of the endpoints that clients call: `{error, error_description}` (RFC 6749, 5.2), never cached. */
export function renderOAuthError(services: Services): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    response.set('Cache-Control', 'no-store');
    if (error instanceof OAuthError) {
      const isClientUnknown = error.code === OAuthErrorCode.InvalidClient;
      if (isClientUnknown) response.set('WWW-Authenticate', 'Basic realm="oauth"');
      response.status(isClientUnknown ? 401 : 400).json(error.toResponseObject());
      return;
    }
    const known = toServiceError(error) ?? fromParser(error);
    if (!known || known.status >= 500) logFailure(services.log, error, request, response);
    const told = known ?? new ServiceError('internal_error', 'Something went wrong on our side.');
    const code = codes[told.status] ?? OAuthErrorCode.InvalidRequest;
    response.set(told.headers).status(told.status).json(new OAuthError(code, told.message).toResponseObject());
  };
}

/** What the parsers of bodies refuse: too large a body, or one in a charset or encoding that nobody reads. */
function fromParser(error: unknown): ServiceError | undefined {
  const { status = 500 } = error as { status?: number };
  if (status === 413) return new ServiceError('payload_too_large', 'The body is too large.');
  return status === 415 ? new ServiceError('unsupported_media_type', 'The body cannot be read.') : undefined;
}
