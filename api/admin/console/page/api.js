import { lapseSession, session } from './session.js';

const defaultTimeoutMs = 30_000;

/**
 * An answer of the API that is no success; `status` is 0 when there was none, `errors` names the fields that are wrong.
 */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {Partial<Pick<ApiError, 'code' | 'message' | 'errors' | 'retryAfterMs'>>} answer
   */
  constructor(
    status,
    { code = 'unreachable', message = 'The server does not answer.', errors = [], retryAfterMs = 0 },
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The address of a path of the API, also behind a path prefix: beside the page's own. */
export const urlOf = (path) => new URL(path.replace(/^\//, ''), document.baseURI).href;

/**
 * Calls the API with a form, or with anything else as JSON. A refused token ends the session, unless the call brought its own.
 * Another form of answer, such as `text/csv`, is given as text.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {{ signal?: AbortSignal, token?: string, timeoutMs?: number, accept?: string }} [options]
 */
async function call(method, path, body, { signal, token, timeoutMs = defaultTimeoutMs, accept } = {}) {
  const own = token ?? session.read()?.token;
  const timeout = AbortSignal.timeout(timeoutMs);
  const isForm = body instanceof FormData;
  let response;
  let text;
  try {
    response = await fetch(urlOf(path), {
      method,
      credentials: 'omit',
      cache: 'no-store',
      headers: {
        Accept: accept ?? 'application/json',
        ...(own && { Authorization: `Bearer ${own}` }),
        ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, timeout.aborted ? { message: 'The server did not answer in time.' } : {});
  }
  if (response.ok && accept !== undefined) return text;
  const answer = parse(text);
  if (response.ok) return answer;
  if (response.status === 401 && token === undefined) lapseSession();
  throw new ApiError(response.status, {
    code: answer?.error?.code ?? `http_${response.status}`,
    message: answer?.error?.message ?? `The server answered ${response.status}.`,
    errors: answer?.error?.details?.errors,
    retryAfterMs: Number(response.headers.get('Retry-After') ?? 0) * 1_000 || 0,
  });
}

function parse(text) {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The API with the session of this tab: each call gives the body of the answer, or throws an ApiError. */
export const api = {
  get: (path, options) => call('GET', path, undefined, options),
  post: (path, body, options) => call('POST', path, body, options),
  put: (path, body, options) => call('PUT', path, body, options),
  patch: (path, body, options) => call('PATCH', path, body, options),
  delete: (path, options) => call('DELETE', path, undefined, options),
};

/**
 * A path with its query; what is undefined, null or empty is left out.
 * @param {string} path
 * @param {Record<string, string | number | boolean | null | undefined>} query
 */
export function withQuery(path, query) {
  const kept = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}
